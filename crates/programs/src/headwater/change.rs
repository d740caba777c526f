//! `headwater change`: the one verb that runs git.

use std::path::PathBuf;

use clap::ArgMatches;
use headwater_taxonomy::verbs::Answer;
use headwater_taxonomy::yaml::escaped;
use headwater_vcs::{Request, produce};

use super::{Context, refused};

pub(crate) fn change(context: Context<'_>, given: &ArgMatches) -> Answer {
    let all = |name: &str| given.get_many::<String>(name).into_iter().flatten().cloned();
    let verified: Vec<String> = all("verified").collect();
    // The table has two values for each statement about an edge.
    let edges: Vec<String> = all("verified-edge").collect();
    let edges = edges.chunks_exact(2).filter_map(|pair| match pair {
        [path, target] => Some((path.clone(), target.clone())),
        _ => None,
    });
    let edges: Vec<(String, String)> = edges.collect();
    let request = Request {
        root: context.root,
        base: given.get_one::<String>("base").map_or("", String::as_str),
        out: given.get_one::<PathBuf>("out").map_or(context.root, PathBuf::as_path),
        verified: &verified,
        verified_edges: &edges,
    };
    match produce(&request) {
        Ok(manifest) => Answer { stdout: format!("{}\n", manifest.display()), ..Answer::default() },
        Err(refusal) => refused(2, &escaped(&refusal.to_string())),
    }
}
