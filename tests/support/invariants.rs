//! What must hold after every successful write, judged with real git and not with our own code.

use super::world::{Run, Snapshot, World};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// One commit of the store, as git tells it.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Its sha.
    pub sha: String,
    /// Its parents.
    pub parents: Vec<String>,
    /// Its `Canvas-Node` values.
    pub nodes: Vec<String>,
    /// Its `Canvas-Freeze` values.
    pub freezes: Vec<String>,
    /// Its `Canvas-Author` values.
    pub authors: Vec<String>,
    /// Its `Canvas-Base` values.
    pub bases: Vec<String>,
    /// The paths it changes.
    pub paths: Vec<String>,
}

/// Every commit of the store, newest first.
///
/// # Errors
/// Git's own, when it refuses.
pub fn commits(world: &World) -> Result<Vec<Commit>, String> {
    let key = |key: &str| format!("%(trailers:key={key},valueonly)%x00");
    let format = format!(
        "--format=%x01%H%x00%P%x00{}{}{}{}",
        key("Canvas-Node"),
        key("Canvas-Freeze"),
        key("Canvas-Author"),
        key("Canvas-Base")
    );
    let run = world.git(&["log", "-m", "--no-renames", "--name-only", &format]);
    if run.code != Some(0) {
        return Err(run.report());
    }
    let lines = |text: &str| -> Vec<String> {
        text.split('\n').filter(|l| !l.is_empty()).map(str::to_owned).collect()
    };
    Ok(run
        .out()
        .split('\u{1}')
        .skip(1)
        .map(|record| {
            let fields: Vec<&str> = record.split('\0').collect();
            let field = |n: usize| fields.get(n).copied().unwrap_or_default();
            Commit {
                sha: field(0).to_owned(),
                parents: field(1).split_whitespace().map(str::to_owned).collect(),
                nodes: lines(field(2)),
                freezes: lines(field(3)),
                authors: lines(field(4)),
                bases: lines(field(5)),
                paths: lines(field(6)),
            }
        })
        .collect())
}

/// How many commits name each node.
pub fn counts(commits: &[Commit]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for node in commits.iter().flat_map(|c| &c.nodes) {
        *counts.entry(node.clone()).or_default() += 1;
    }
    counts
}

/// One start tag of a canvas as the tool writes it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Tag {
    /// The element name.
    pub name: String,
    /// The attributes, in order.
    pub attributes: Vec<(String, String)>,
}

impl Tag {
    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}

/// The start tags of a canvas, in document order. Good for canonical files: text never holds `<`.
pub fn tags(text: &str) -> Vec<Tag> {
    let mut found = Vec::new();
    for piece in text.split('<').skip(1) {
        let inside = piece.split('>').next().unwrap_or_default().trim_end_matches('/');
        let (name, mut rest) = inside.split_once(' ').unwrap_or((inside, ""));
        if name.starts_with(['?', '/', '!']) {
            continue;
        }
        let mut attributes = Vec::new();
        while let Some((key, after)) = rest.split_once("=\"") {
            let Some((value, more)) = after.split_once('"') else { break };
            attributes.push((key.trim().to_owned(), value.to_owned()));
            rest = more;
        }
        found.push(Tag { name: name.to_owned(), attributes });
    }
    found
}

/// The ids of a canvas, in document order.
pub fn ids(text: &str) -> Vec<String> {
    tags(text).iter().filter_map(|t| t.get("id").map(str::to_owned)).collect()
}

/// Whether every recorded node of a canvas carries `v` equal to the commits that name it.
///
/// # Errors
/// Names the node that does not.
pub fn check_versions(text: &str, counts: &BTreeMap<String, usize>) -> Result<(), String> {
    for tag in tags(text) {
        let Some(id) = tag.get("id") else { continue };
        let Some(count) = counts.get(id) else { continue };
        let v = tag.get("v").unwrap_or("none");
        if v != count.to_string() {
            return Err(format!("node {id} has v={v} and {count} commit(s) name it"));
        }
    }
    Ok(())
}

/// Judges one successful write: `before` is the world it met.
///
/// # Errors
/// Says what does not hold.
pub fn check_write(
    world: &World,
    verb: &str,
    canvas: &str,
    run: &Run,
    before: &Snapshot,
    by_hand: bool,
) -> Result<(), String> {
    let after = Snapshot::take(world);
    let commits = world.lifted(|| commits(world))?;
    let old = if before.log.starts_with("Some(0)") { before.log.lines().count() } else { 0 };
    let made = commits.len().saturating_sub(old);
    let wanted = if verb == "create" { 3 } else { 1 };
    if made != wanted {
        return Err(format!("{verb} made {made} commit(s), not {wanted}"));
    }
    let head = &commits[0];
    if run.label("Canvas-Base").as_deref() != Some(&head.sha) {
        return Err(format!("the printed base is not the new head {}", head.sha));
    }
    let file = format!("{canvas}.xml");
    for (place, commit) in commits[..made].iter().enumerate() {
        let birth = verb == "create" && place == 2;
        let freeze = verb == "freeze";
        let paths = if freeze { Vec::new() } else { vec![file.clone()] };
        // A commit that changes no byte lists no path, and is still one commit.
        if commit.paths != paths && !(commit.paths.is_empty() && verb != "create") {
            return Err(format!("commit {} changes {:?}", commit.sha, commit.paths));
        }
        let nodes = usize::from(!birth && !freeze);
        if commit.nodes.len() != nodes || commit.authors.len() != 1 {
            return Err(format!("commit {} has other trailers: {commit:?}", commit.sha));
        }
        if commit.freezes != if freeze { vec![canvas.to_owned()] } else { Vec::new() } {
            return Err(format!("commit {} has freezes {:?}", commit.sha, commit.freezes));
        }
        let bases = if birth { &[][..] } else { &commit.parents[..] };
        if commit.bases != bases {
            return Err(format!("commit {} has base {:?}", commit.sha, commit.bases));
        }
    }
    if let Some(node) = run.label("Canvas-Node")
        && head.nodes != [node.clone()]
    {
        return Err(format!("it printed node {node} and committed {:?}", head.nodes));
    }
    let path = world.canvas_file(canvas);
    let text = world.lifted(|| std::fs::read_to_string(&path)).map_err(|e| e.to_string())?;
    if !by_hand {
        check_versions(&text, &counts(&commits))?;
        if verb != "freeze" {
            let verdict = world.lifted(|| world.validate(&[&path]));
            if verdict.code != Some(0) || !verdict.stdout.is_empty() || !verdict.stderr.is_empty() {
                return Err(format!("what was written does not validate\n{}", verdict.report()));
            }
        }
    }
    let others = |status: &str| -> Vec<String> {
        status
            .lines()
            .filter(|l| verb == "freeze" || !l.ends_with(&file))
            .map(str::to_owned)
            .collect()
    };
    let tidy = if verb == "freeze" {
        after.status == before.status
    } else {
        others(&after.status) == others(&before.status)
            && !after.status.lines().any(|l| l.ends_with(&file))
    };
    if !tidy {
        return Err(format!("git status was\n{}and is\n{}", before.status, after.status));
    }
    let known: Vec<&PathBuf> = before.files.keys().collect();
    for new in after.files.keys().filter(|p| !known.contains(p)) {
        let state = world.workspace().join("state");
        let made = verb == "create" && (*new == path || *new == state || *new == world.directory());
        if !made {
            return Err(format!("{} was left behind", new.display()));
        }
    }
    for (old, entry) in &before.files {
        if after.files.get(old) != Some(entry) && (*old != path || verb == "freeze") {
            return Err(format!("{} is not what it was", old.display()));
        }
    }
    Ok(())
}

#[test]
fn tags_are_read_in_document_order() {
    let text = "<?xml?>\n<canvas ledger=\"t\" schema=\"2\">\n  <text id=\"ab2c\" v=\"1\">a &lt; b</text>\n\
                  <list id=\"cd3e\" v=\"2\"/>\n</canvas>\n";
    assert_eq!(ids(text), ["ab2c", "cd3e"]);
    let counts = BTreeMap::from([("ab2c".to_owned(), 1), ("cd3e".to_owned(), 3)]);
    assert!(check_versions(text, &counts).is_err());
}
