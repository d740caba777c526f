//! `headwater check`.

use std::time::{SystemTime, UNIX_EPOCH};

use clap::ArgMatches;
use headwater_check::{Date, Run, Settings, Severity};
use headwater_report::Report;
use headwater_taxonomy::verbs::Answer;

use super::{Context, refused};

pub(crate) fn check(context: Context<'_>, given: &ArgMatches) -> Answer {
    let now = match given.get_one::<String>("now") {
        Some(text) => Date::parse(text).ok_or_else(|| {
            let shown = headwater_taxonomy::yaml::shown(text);
            format!("`{shown}` is no day of the calendar; write --now YYYY-MM-DD")
        }),
        None => today().ok_or_else(|| {
            "the clock of this machine cannot be read; give the day with --now YYYY-MM-DD"
                .to_owned()
        }),
    };
    let now = match now {
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
    let status = match (run.broken.is_empty(), strict || census) {
        (false, _) => 2,
        (true, no) => u8::from(no),
    };
    Answer { stdout, stderr, status }
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
        let words = headwater_taxonomy::yaml::escaped(&broken.words);
        text.push_str(&format!(
            "headwater: the rule {} broke over {} and judged nothing there: {words}; report this\n",
            broken.rule,
            headwater_taxonomy::yaml::escaped(&broken.target)
        ));
    }
    text
}

/// The UTC day of the system's clock.
fn today() -> Option<Date> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    Date::from_unix_days(seconds / 86_400)
}
