//! What a process is run in that decides how a report looks, and nothing of what it says.

use std::io::{self, IsTerminal};

/// The surroundings of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Whether standard output is a terminal whose user did not ask for plain text by `NO_COLOR`.
    pub colour: bool,
    /// How many columns it says it has, by `COLUMNS`.
    pub columns: Option<usize>,
}

impl Surroundings {
    /// Those of this process.
    #[must_use]
    pub fn of_process() -> Self {
        let asked = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let columns = std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok());
        Self { colour: io::stdout().is_terminal() && !asked, columns }
    }
}
