//! What the crate says when it says no. A refusal cannot be built without what it is about, what is
//! wrong and what to do next, so no caller can print half a message.

use std::fmt::Write as _;

use crate::yaml::{Fault, Position, escaped};

/// The step that refuses. The labels are stable; the sentences are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A file that cannot be read at all.
    Input,
    /// A file that is not YAML of our dialect.
    Yaml,
    /// Names that must agree and do not.
    Identity,
    /// An unknown member, a missing one, a value outside its closed set or type.
    Structure,
    /// A `$` text that is no admitted reference, or one that leads nowhere.
    Reference,
    /// An address that cannot be addressed.
    Address,
    /// An operation whose precondition does not hold.
    Operation,
    /// Bundles that are missing or require each other.
    Bundles,
    /// Two operations whose result would depend on their order.
    Confluence,
    /// A core requirement that nothing satisfies.
    Core,
    /// A validation rule of the resolved tree, by its number in the rule table.
    Rule(u8),
    /// The committed lock.
    Lock,
}

impl Class {
    /// The stable label.
    pub fn label(self) -> String {
        match self {
            Self::Input => "input".to_owned(),
            Self::Yaml => "yaml".to_owned(),
            Self::Identity => "identity".to_owned(),
            Self::Structure => "structure".to_owned(),
            Self::Reference => "reference".to_owned(),
            Self::Address => "address".to_owned(),
            Self::Operation => "operation".to_owned(),
            Self::Bundles => "bundles".to_owned(),
            Self::Confluence => "confluence".to_owned(),
            Self::Core => "core".to_owned(),
            Self::Rule(number) => {
                let name = crate::validate::class_name(number);
                format!("rule {number} {name}")
            }
            Self::Lock => "lock".to_owned(),
        }
    }
}

/// What the reader should do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// A sentence.
    Do(String),
    /// A verb of the program, and what it will achieve.
    Run(&'static str, &'static str),
}

/// One thing that is refused, or one warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The step that refuses.
    pub class: Class,
    /// The file, relative to the repository root.
    pub file: String,
    /// The place in the file, where there is one.
    pub at: Option<Position>,
    /// The address in the tree, or the operation and its address.
    pub address: Option<String>,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub next: Next,
}

impl Refusal {
    /// A refusal about a whole file.
    pub fn of_file(class: Class, file: &str, what: impl Into<String>, next: Next) -> Self {
        Self { class, file: file.to_owned(), at: None, address: None, what: what.into(), next }
    }

    /// The refusals of the loader for one file.
    pub fn of_faults(file: &str, faults: &[Fault]) -> Vec<Self> {
        faults
            .iter()
            .map(|fault| Self {
                class: Class::Yaml,
                file: file.to_owned(),
                at: Some(fault.at),
                address: None,
                what: fault.offence.to_string(),
                next: Next::Do(fault.offence.remedy().to_owned()),
            })
            .collect()
    }

    /// One paragraph: where, what, and what to do. `program` is the name the caller was invoked by.
    pub fn render(&self, program: &str) -> String {
        let mut out = escaped(&self.file);
        if let Some(at) = self.at {
            let _ = write!(out, ":{at}");
        }
        let _ = write!(out, ": [{}] ", self.class.label());
        if let Some(address) = &self.address {
            let _ = write!(out, "{address}: ");
        }
        let _ = write!(out, "{}; ", self.what);
        match &self.next {
            Next::Do(sentence) => out.push_str(sentence),
            Next::Run(verb, why) => {
                let _ = write!(out, "run `{program} {verb}`, which {why}");
            }
        }
        out
    }
}
