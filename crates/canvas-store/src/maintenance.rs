//! Keeps the number of loose objects down, as `git commit` does.
//!
//! Every edit leaves three small files in the object database. When git itself would pack them, it
//! is asked to, in the background; without a git on the machine the store works on unpacked.

use std::process::{Command, Stdio};

use crate::os::without_git_variables;
use crate::repository::Repository;

/// The fan-out directory git samples to estimate how many loose objects there are.
const SAMPLE: &str = "17";
/// How many files in it mean that there are more than git's default of 6,700.
const SAMPLE_LIMIT: usize = 27;

/// Starts git's own maintenance when it is due. Never waits, and never fails a write.
pub fn consider(repository: &Repository) {
    let sample = repository.git_dir().join("objects").join(SAMPLE);
    let Ok(entries) = std::fs::read_dir(sample) else { return };
    if entries.take(SAMPLE_LIMIT + 1).count() <= SAMPLE_LIMIT {
        return;
    }
    let mut command = Command::new("git");
    let _ = without_git_variables(&mut command)
        .arg("--git-dir")
        .arg(repository.git_dir())
        .args(["maintenance", "run", "--auto", "--quiet"])
        .current_dir(repository.dir())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}
