//! `headwater explain`: what a document is and owes, or what a rule checks and why.

use clap::ArgMatches;
use headwater_taxonomy::verbs::Answer;

use super::{Context, refused};

pub(crate) fn explain(context: Context<'_>, given: &ArgMatches) -> Answer {
    let target = given.get_one::<String>("target").map_or("", String::as_str).trim();
    let registry = headwater_rules::registry();
    if let Some(template) = registry.get(target) {
        // A rule is explained without a repository.
        return Answer { stdout: template.about().text().to_owned(), ..Answer::default() };
    }
    let (corpus, stderr) = match context.repository().and_then(|()| context.corpus()) {
        Ok(loaded) => loaded,
        Err(answer) => return answer,
    };
    match headwater_check::explain(&corpus, &registry, target) {
        Ok(stdout) => Answer { stdout, stderr, status: 0 },
        Err(sentence) => refused(2, &sentence),
    }
}
