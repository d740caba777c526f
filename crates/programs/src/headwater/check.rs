//! `headwater check`.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use headwater_check::{Caching, Manifest, Registry, Run, Settings, Severity};
use headwater_corpus::Corpus;
use headwater_report::{Layout, Report};
use headwater_taxonomy::files;
use headwater_taxonomy::verbs::Answer;
use headwater_taxonomy::yaml::{escaped, shown};

use super::fix::Fix;
use super::{Context, day, refused};

pub(crate) fn check(context: Context<'_>, given: &ArgMatches) -> Answer {
    checked(context, given).unwrap_or_else(|refusal| refusal)
}

fn checked(context: Context<'_>, given: &ArgMatches) -> Result<Answer, Answer> {
    let now = day(given).map_err(|sentence| refused(2, &sentence))?;
    let change = given.get_one::<PathBuf>("change");
    let change = change.map(|path| manifest(context, path)).transpose()?;
    let name = given.get_one::<String>("format").map_or("text", String::as_str);
    let name = if given.get_flag("json") { "json" } else { name };
    let format = headwater_report::format(name)
        .ok_or_else(|| refused(2, &format!("there is no format `{name}`")))?;
    let mut layout = Layout { colour: context.surroundings.colour, ..Layout::default() };
    if given.get_flag("wide") {
        if name != "text" {
            let what = "`--wide` lays out the text report only; leave it out, or the format";
            return Err(refused(2, what));
        }
        layout = layout.wide(context.surroundings.columns);
    }
    let verbose = given.get_flag("verbose");
    let fix = Fix::of(given).map_err(|sentence| refused(2, &sentence))?;
    let cache = match &fix {
        _ if given.get_flag("no-cache") => Caching::Off,
        Some(fix) if fix.preview => Caching::Read,
        _ => Caching::Keep,
    };
    let settings =
        Settings { now, cache, continuity: verbose || name == "json", change: change.as_ref() };
    let registry = headwater_rules::registry();
    let judge = || Judged::of(context, &registry, settings);
    let mut judged = judge()?;
    let (mut fixed, mut unfixed) = (String::new(), false);
    if let Some(fix) = fix {
        if fix.preview {
            let shown = fix.shown(&judged);
            let stderr = judged.notes + &account(&judged.run) + &shown.stderr;
            let status = if judged.run.broken.is_empty() { shown.status } else { 2 };
            return Ok(Answer { stderr, status, ..shown });
        }
        let done = fix.made(context.root, judged, judge)?;
        (judged, fixed, unfixed) = (done.judged, done.account, done.refused);
    }
    let Judged { corpus, run, notes } = judged;
    let report = Report { run: &run, corpus: &corpus, registry: &registry, verbose, layout };
    let rendered = format.render(&report);
    let mut stderr = notes + &account(&run) + &fixed;
    if corpus.rows().is_empty() {
        stderr
            .push_str("headwater: there is no file under the corpus root, so nothing was judged\n");
    }
    let lost = rendered.lost(&run);
    for finding in &lost {
        let place = &finding.defect.place;
        stderr.push_str(&format!(
            "headwater: the format {name} lost the finding {} at {}:{}; report this, and use another format\n",
            finding.rule,
            escaped(&place.path),
            place.line
        ));
    }
    let unmet = corpus.declaration().unmet_engine().is_some();
    let strict = given.get_flag("strict") && (run.count(Severity::Error) > 0 || unmet);
    let census =
        given.get_flag("strict-census") && (corpus.rows().is_empty() || !run.covers_the_census());
    let blocked = given.contains_id("gate") && run.is_blocked(corpus.taxonomy());
    let written = publish(&report, given, &mut stderr);
    let status = match (run.broken.is_empty() && written, strict || census || blocked || unfixed) {
        (false, _) => 2,
        (true, no) => u8::from(no || !lost.is_empty()),
    };
    // The process ends with this answer. Giving back the memory of a large corpus piece by piece would
    // take longer than much of what came before.
    std::mem::forget((corpus, run));
    Ok(Answer { stdout: rendered.text, stderr, status })
}

/// A corpus and the run over it.
pub(crate) struct Judged {
    pub corpus: Corpus,
    pub run: Run,
    /// What is to be said of its declaration, for standard error.
    pub notes: String,
}

impl Judged {
    /// Reads the corpus as it is on the disk now, and judges it.
    fn of(
        context: Context<'_>,
        registry: &Registry,
        settings: Settings<'_>,
    ) -> Result<Self, Answer> {
        let (corpus, mut notes) = context.corpus()?;
        for source in corpus.lock().moved_sources(context.root) {
            notes.push_str(&format!("headwater: {}\n", source.note().render(context.program)));
        }
        let run = headwater_check::run(&corpus, registry, settings);
        Ok(Self { corpus, run, notes })
    }
}

/// Writes the files that the command line asks for beside the report. A run in which a rule broke
/// publishes no read set, since a gate would carry what was never judged.
fn publish(report: &Report<'_>, given: &ArgMatches, stderr: &mut String) -> bool {
    let mut put = |option: &str, text: &dyn Fn() -> Result<String, String>| {
        let Some(path) = given.get_one::<PathBuf>(option) else { return true };
        let Err(why) = text().and_then(|text| write(path, &text)) else { return true };
        let (what, path) = (option.replace('-', " "), escaped(&path.display().to_string()));
        stderr.push_str(&format!("headwater: the {what} was not written to {path}: {why}\n"));
        false
    };
    let read_set = put("read-set", &|| match report.run.broken.is_empty() {
        true => Ok(report.run.read_set.to_string()),
        false => Err("a rule broke, so there is no verdict to publish".to_owned()),
    });
    let register = put("register", &|| Ok(headwater_report::register(report)));
    read_set && register
}

/// Writes a file that the command line names. What stands there and is no regular file stays.
fn write(path: &Path, text: &str) -> Result<(), String> {
    match std::fs::metadata(path) {
        Ok(about) if !about.is_file() => Err("it is no regular file; name another path".to_owned()),
        _ => files::replace(path, text.as_bytes()).map_err(|why| why.to_string()),
    }
}

fn manifest(context: Context<'_>, path: &Path) -> Result<Manifest, Answer> {
    Manifest::read(path).map_err(|why| {
        let shown = shown(&path.to_string_lossy());
        let program = context.program;
        refused(
            2,
            &format!("`{shown}` is no manifest of a change: {why}; `{program} change` writes one"),
        )
    })
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
