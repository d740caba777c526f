//! `headwater gate`: whether the verdict of an earlier run carries to this tree.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use headwater_check::{READ_SET_LIMIT, ReadSet};
use headwater_taxonomy::files::{Links, read_regular};
use headwater_taxonomy::verbs::Answer;
use headwater_taxonomy::yaml::escaped;

use super::{Context, day, refused};

pub(crate) fn gate(context: Context<'_>, given: &ArgMatches) -> Answer {
    let asked = match day(given) {
        Ok(asked) => asked,
        Err(sentence) => return refused(2, &sentence),
    };
    let path = given.get_one::<PathBuf>("read-set").map_or(Path::new(""), PathBuf::as_path);
    let set = match read(path) {
        Ok(set) => set,
        Err(why) => {
            let shown = escaped(&path.display().to_string());
            let next = format!("`{} check --read-set <path>` writes one", context.program);
            return refused(2, &format!("the read set {shown} cannot be used: {why}; {next}"));
        }
    };
    match headwater_check::gate(context.root, &headwater_rules::registry(), &set, asked) {
        Err(fault) => context.refusal(&[fault.refusal()]),
        Ok(verdict) => Answer {
            stdout: if given.get_flag("json") {
                headwater_report::gate_json(&verdict)
            } else {
                headwater_report::gate_text(&verdict)
            },
            stderr: String::new(),
            status: u8::from(!verdict.reasons.is_empty()),
        },
    }
}

fn read(path: &Path) -> Result<ReadSet, String> {
    let bytes = read_regular(path, READ_SET_LIMIT, Links::Follow).map_err(|why| why.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    ReadSet::parse(&text).map_err(|bad| bad.to_string())
}
