//! What a program has to say at the end of a run.

use canvas_store::refusal::Refusal;

/// The outcome of one run, before anything is printed.
#[derive(Debug, Default)]
pub struct Answer {
    /// Everything for standard output.
    pub stdout: Vec<u8>,
    /// The refusal for standard error, which also decides the exit status; without one it is 0.
    pub refusal: Option<Refusal>,
    /// The commit this run made. It stands whether or not the answer can be printed.
    pub stored: Option<String>,
}

impl Answer {
    /// An answer that changed nothing.
    pub fn said(stdout: impl Into<Vec<u8>>) -> Answer {
        Answer { stdout: stdout.into(), ..Answer::default() }
    }

    /// The answer to a write that made `commit`.
    pub fn stored(stdout: impl Into<Vec<u8>>, commit: &str) -> Answer {
        Answer { stdout: stdout.into(), refusal: None, stored: Some(commit.to_owned()) }
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Answer {
        Answer { refusal: Some(refusal), ..Answer::default() }
    }
}
