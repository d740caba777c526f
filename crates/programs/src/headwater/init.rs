//! `headwater init`: a first taxonomy for the documents that are there.

use std::fmt::Write as _;

use clap::ArgMatches;
use headwater_init::{Failure, Request};
use headwater_taxonomy::verbs::Answer;
use headwater_taxonomy::yaml::escaped;

use super::{Context, day, refused};

pub(crate) fn init(context: Context<'_>, given: &ArgMatches) -> Answer {
    let text = |name: &str| given.get_one::<String>(name).map(String::as_str);
    let now = match day(given) {
        Ok(now) => now,
        Err(sentence) => return refused(2, &sentence),
    };
    let owner = text("owner").unwrap_or_default().trim();
    if owner.is_empty() {
        return refused(2, "--owner is blank; name who answers for what the documents owe");
    }
    let request = Request {
        root: context.root,
        corpus: text("corpus"),
        package: text("package"),
        owner,
        now,
    };
    let registry = headwater_rules::registry();
    let made = headwater_init::propose(request, &registry)
        .and_then(|proposal| headwater_init::write(context.root, &proposal).map(|()| proposal));
    let proposal = match made {
        Ok(proposal) => proposal,
        Err(Failure::No(refusal)) => return refused(1, &refusal.render(context.program)),
        Err(Failure::Unusable(refusals)) => return context.refusal(&refusals),
    };
    let mut stdout = String::new();
    // Writing to a text cannot fail.
    for (word, what) in &proposal.account {
        let _ = writeln!(stdout, "{word:<10}  {}", escaped(what));
    }
    for draft in &proposal.drafts {
        let _ = writeln!(stdout, "{:<10}  {}", "wrote", escaped(&draft.path));
    }
    let _ = writeln!(
        stdout,
        "\n`{program} check` judges the documents by it. Correct the guesses in the taxonomy.yml of the \
         package;\n`{program} taxonomy resolve` then writes the lock anew.",
        program = context.program
    );
    Answer { stdout, ..Answer::default() }
}
