//! What a caller may ask of the store, and what it answers (canvas-store §§2.8, 3).
//!
//! None of these types holds a document or a tree to be written: the write surface takes a canvas
//! identifier, a reason, at most one node id and five scalars, so a change of two nodes is not
//! something a caller can spell.

use std::ffi::OsString;

/// What the store takes from the environment; read once by the program, never by the library.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `OPENCLAW_WORKSPACE`; there is no default.
    pub workspace: Option<OsString>,
    /// `USER`, for the default author.
    pub user: Option<OsString>,
    /// `HOME`, where git's user configuration is looked for.
    pub home: Option<OsString>,
    /// `XDG_CONFIG_HOME`, likewise.
    pub xdg_config_home: Option<OsString>,
    /// `GIT_CONFIG_GLOBAL`: the file to read in place of the user's configuration, as git does.
    pub git_config_global: Option<OsString>,
    /// `GIT_CONFIG_SYSTEM`: the file to read in place of the system's configuration.
    pub git_config_system: Option<OsString>,
    /// `GIT_CONFIG_NOSYSTEM` is set to a true value: the system's configuration is not read.
    pub git_config_nosystem: bool,
}

impl Environment {
    /// The environment of this process.
    pub fn from_process() -> Environment {
        let variable = std::env::var_os;
        let is_true = |value: OsString| {
            let value = value.to_string_lossy().to_ascii_lowercase();
            !matches!(value.as_str(), "" | "0" | "false" | "no" | "off")
        };
        Environment {
            workspace: variable(crate::workspace::VARIABLE),
            user: variable("USER"),
            home: variable("HOME"),
            xdg_config_home: variable("XDG_CONFIG_HOME"),
            git_config_global: variable("GIT_CONFIG_GLOBAL"),
            git_config_system: variable("GIT_CONFIG_SYSTEM"),
            git_config_nosystem: variable("GIT_CONFIG_NOSYSTEM").is_some_and(is_true),
        }
    }
}

/// `create`: the birth of a canvas and its first two nodes (canvas-store §3.3).
#[derive(Clone, Debug)]
pub struct Create<'a> {
    /// The identifier, or none to have one minted.
    pub canvas: Option<&'a str>,
    /// The text of the first node; not blank.
    pub problem: &'a str,
    /// The text of the second node; not blank.
    pub expected_value: &'a str,
    /// The `Canvas-Author` value, or none for the default.
    pub author: Option<&'a str>,
}

/// What the four editing verbs have in common.
#[derive(Clone, Copy, Debug)]
pub struct Edit<'a> {
    /// The canvas identifier.
    pub canvas: &'a str,
    /// The reason; never blank, never a bare back-reference (canvas-store §5.6).
    pub why: &'a str,
    /// The sha the edit was decided against, or none to ask for no staleness check.
    pub base: Option<&'a str>,
    /// The `Canvas-Author` value, or none for the default.
    pub author: Option<&'a str>,
}

/// Where a node goes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Position<'a> {
    /// Right after this node, in its parent.
    After(&'a str),
    /// As the last child of this container; `root` is the canvas itself.
    Into(&'a str),
}

/// The content of one node, built anew from what the caller gave; nothing is sticky.
#[derive(Clone, Debug, Default)]
pub struct Payload {
    /// The element name; empty or absent means `text` for an insert, the present type for a replace.
    pub element: Option<String>,
    /// The character data.
    pub text: Option<String>,
    /// The `payload` attribute, set by the two figure files.
    pub figure: Option<Figure>,
    /// The `title` attribute.
    pub title: Option<String>,
    /// The `href` attribute.
    pub href: Option<String>,
    /// Whether `answered="true"` is set.
    pub answered: bool,
}

/// A figure language whose source comes from a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Figure {
    /// `--mermaid-file`
    Mermaid,
    /// `--svg-file`
    Svg,
}

/// What `read` is asked for beside the document.
#[derive(Clone, Debug, Default)]
pub struct ReadRequest<'a> {
    /// Node ids to select; the union with `types`.
    pub ids: Vec<&'a str>,
    /// Element names to select.
    pub types: Vec<&'a str>,
    /// Whether to say who last wrote each printed node.
    pub provenance: bool,
    /// Tell what changed since this sha.
    pub since: Option<&'a str>,
    /// Whether to say if the canvas was frozen.
    pub frozen: bool,
}

/// The answer to `create`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Created {
    /// The canvas identifier.
    pub canvas: String,
    /// Whether the store minted it.
    pub minted: bool,
    /// The id of the problem node.
    pub problem: String,
    /// The id of the expected-value node.
    pub expected_value: String,
    /// The new head, forty hex digits.
    pub base: String,
    /// The canvas's path, joined to the workspace as the caller spelled it.
    pub file: String,
}

/// The answer to the four editing verbs.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Written {
    /// The node written.
    pub node: String,
    /// The commit made, forty hex digits.
    pub base: String,
    /// What others changed since the declared base, if anything (canvas-store §5.3).
    pub news: Option<News>,
}

/// The answer to `freeze`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Frozen {
    /// The canvas identifier.
    pub canvas: String,
    /// The commit made, forty hex digits.
    pub base: String,
}

/// What happened to one canvas between two commits.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct News {
    /// The older commit, forty hex digits.
    pub since: String,
    /// The newer commit, forty hex digits.
    pub head: String,
    /// The subject of each commit that touched the canvas's file, oldest first.
    pub subjects: Vec<String>,
    /// git's unified diff of the file between the two.
    pub diff: Vec<u8>,
}

impl News {
    /// The block as it is printed, `Canvas-News` line first (canvas-store §5.3).
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = format!(
            "Canvas-News: {} commit(s) between {} and {}\n",
            self.subjects.len(),
            self.since,
            self.head
        )
        .into_bytes();
        for subject in &self.subjects {
            out.extend_from_slice(crate::refusal::escape(subject).as_bytes());
            out.push(b'\n');
        }
        if !self.subjects.is_empty() {
            out.extend_from_slice(&self.diff);
        }
        out
    }
}

/// The answer to `read`: everything for standard output, and the refusal that follows it when the
/// stored document is invalid.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The header lines and the document, ready to be written.
    pub stdout: Vec<u8>,
    /// Set when the document printed is not valid (canvas-store §3.4).
    pub refusal: Option<crate::refusal::Refusal>,
}

/// One edit of one node.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HistoryEntry {
    /// The commit, forty hex digits.
    pub commit: String,
    /// The author or authors, joined by a comma and a space.
    pub author: String,
    /// The verb.
    pub verb: String,
    /// The reason.
    pub reason: String,
}

/// The answer to `history`: every edit of one node, oldest first; never empty.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NodeHistory {
    /// The node.
    pub node: String,
    /// Its edits, oldest first.
    pub entries: Vec<HistoryEntry>,
}

impl NodeHistory {
    /// The text `history` prints (canvas-store §3.6).
    pub fn to_text(&self) -> String {
        use crate::refusal::escape;
        let mut out = format!("Canvas-Node: {}\n", escape(&self.node));
        for entry in &self.entries {
            out.push_str(&format!(
                "\nCanvas-Commit: {}\nCanvas-Author: {}\n{}: {}\n",
                entry.commit,
                escape(&entry.author),
                escape(&entry.verb),
                escape(&entry.reason)
            ));
        }
        out
    }
}
