//! `headwater check`.

use std::path::PathBuf;

use clap::ArgMatches;
use headwater_check::{Run, Settings, Severity};
use headwater_report::Report;
use headwater_taxonomy::files;
use headwater_taxonomy::verbs::Answer;
use headwater_taxonomy::yaml::escaped;

use super::{Context, day, refused};

pub(crate) fn check(context: Context<'_>, given: &ArgMatches) -> Answer {
    let now = match day(given) {
        Ok(now) => now,
        Err(sentence) => return refused(2, &sentence),
    };
    let (corpus, mut stderr) = match context.corpus() {
        Ok(loaded) => loaded,
        Err(answer) => return answer,
    };
    let name = given.get_one::<String>("format").map_or("text", String::as_str);
    let name = if given.get_flag("json") { "json" } else { name };
    let Some(format) = headwater_report::format(name) else {
        return refused(2, &format!("there is no format `{name}`"));
    };
    let verbose = given.get_flag("verbose");
    let settings =
        Settings { now, cache: !given.get_flag("no-cache"), continuity: verbose || name == "json" };
    let registry = headwater_rules::registry();
    let run = headwater_check::run(&corpus, &registry, settings);
    let report = Report { run: &run, corpus: &corpus, registry: &registry, verbose };
    let stdout = format.render(&report);
    stderr.push_str(&account(&run));
    if corpus.rows().is_empty() {
        stderr
            .push_str("headwater: there is no file under the corpus root, so nothing was judged\n");
    }
    let unmet = corpus.declaration().unmet_engine().is_some();
    let strict = given.get_flag("strict") && (run.count(Severity::Error) > 0 || unmet);
    let census =
        given.get_flag("strict-census") && (corpus.rows().is_empty() || !run.covers_the_census());
    let published = publish(&run, given, &mut stderr);
    let status = match (run.broken.is_empty() && published, strict || census) {
        (false, _) => 2,
        (true, no) => u8::from(no),
    };
    Answer { stdout, stderr, status }
}

/// Writes the read set where one is asked for. A run in which a rule broke publishes none, since a gate
/// would carry what was never judged.
fn publish(run: &Run, given: &ArgMatches, stderr: &mut String) -> bool {
    let Some(path) = given.get_one::<PathBuf>("read-set") else { return true };
    let why = if run.broken.is_empty() {
        files::replace(path, run.read_set.to_string().as_bytes()).err().map(|why| why.to_string())
    } else {
        Some("a rule broke, so there is no verdict to publish".to_owned())
    };
    if let Some(why) = &why {
        let path = escaped(&path.display().to_string());
        stderr.push_str(&format!("headwater: the read set was not written to {path}: {why}\n"));
    }
    why.is_none()
}

/// What the cache did, and which rules broke.
fn account(run: &Run) -> String {
    let cache = &run.cache;
    let mut text = format!(
        "{} served from cache, {} evaluated, {} not keyed\n",
        cache.served, cache.evaluated, cache.unkeyed
    );
    if let Some((path, error)) = &cache.unwritten {
        text.push_str(&format!("cache not written: {path}: {error}\n"));
    }
    for broken in &run.broken {
        let words = escaped(&broken.words);
        text.push_str(&format!(
            "headwater: the rule {} broke over {} and judged nothing there: {words}; report this\n",
            broken.rule,
            escaped(&broken.target)
        ));
    }
    text
}
