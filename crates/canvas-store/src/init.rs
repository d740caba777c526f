//! The first canvas makes the repository (canvas-store §2.3).
//!
//! It is built under another name and renamed into place, so that a process killed half-way leaves
//! no half-made `.git`; what it does leave is swept away by the next one that initialises.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk;
use crate::lock::{self, PRIVATE};
use crate::os;
use crate::refusal::{Exit, Next, Refusal, Subject};

/// The folders of an empty repository.
const FOLDERS: [&str; 8] = [
    PRIVATE,
    "hooks",
    "info",
    "objects",
    "objects/info",
    "objects/pack",
    "refs/heads",
    "refs/tags",
];
/// The files of an empty repository.
const FILES: [(&str, &str); 5] = [
    ("HEAD", "ref: refs/heads/main\n"),
    (
        "config",
        "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
    ),
    ("description", "Every canvas of one workspace.\n"),
    ("info/exclude", ""),
    // What git checks out or stages here is byte for byte what was committed.
    ("info/attributes", "* -text\n"),
];
/// How the name of a repository under construction begins.
const UNDER_CONSTRUCTION: &str = ".git.init-";

/// Makes the canvas directory and its repository where they are missing.
pub fn ensure(dir: &Path) -> Result<(), Refusal> {
    if let Err(error) = disk::create_dir_all(dir) {
        let about = Subject::about("directory", dir.display().to_string());
        return Err(os::refusal(
            format!("cannot make the canvas directory {}", dir.display()),
            &error,
            os::Act::Write,
            dir,
            about,
        ));
    }
    let git_dir = dir.join(".git");
    match fs::symlink_metadata(&git_dir) {
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(cannot_initialise(dir, &error)),
    }
    build(dir, &git_dir).map_err(|error| cannot_initialise(dir, &error))
}

fn build(dir: &Path, git_dir: &Path) -> io::Result<()> {
    sweep(dir)?;
    let under_construction = dir.join(format!("{UNDER_CONSTRUCTION}{}", std::process::id()));
    disk::create_dir_all(&under_construction.join(PRIVATE))?;
    // The store's own lock, held while building: whoever can take it has found a dead one's work.
    let lock = disk::open_or_create(&lock::store_lock_path(&under_construction))?;
    lock.lock()?;
    let built = fill(&under_construction).and_then(|()| {
        match disk::rename(&under_construction, git_dir) {
            // Another first canvas was faster; its repository is as good.
            Err(_) if git_dir.join("HEAD").exists() => Ok(()),
            other => other.and_then(|()| disk::sync_parent(git_dir)),
        }
    });
    let _ = fs::remove_dir_all(&under_construction);
    built
}

fn fill(at: &Path) -> io::Result<()> {
    for folder in FOLDERS {
        disk::create_dir_all(&at.join(folder))?;
    }
    for (name, content) in FILES {
        disk::create_durable(&at.join(name), content.as_bytes(), 0o666)?;
    }
    Ok(())
}

/// Removes repositories whose builder died.
fn sweep(dir: &Path) -> io::Result<()> {
    let mut found: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(UNDER_CONSTRUCTION) {
            found.push(entry.path());
        }
    }
    for path in found {
        let dead = match fs::File::open(lock::store_lock_path(&path)) {
            Ok(lock) => lock.try_lock().is_ok(),
            // Killed before it had a lock, or just started: only empty folders are surely dead.
            Err(_) => {
                let _ = fs::remove_dir(path.join(PRIVATE));
                fs::remove_dir(&path).is_ok()
            }
        };
        if dead {
            let _ = fs::remove_dir_all(&path);
        }
    }
    Ok(())
}

fn cannot_initialise(dir: &Path, error: &io::Error) -> Refusal {
    let shown = dir.display().to_string();
    Refusal::new(
        Exit::Tool,
        format!("cannot initialise a git repository at {shown}: {}", os::words(error)),
        Subject::about("directory", shown.clone()),
        Next::new(format!(
            "look {}, make the directory writable for this user, and re-run",
            os::with("ls -ld", dir)
        )),
    )
    .and(Subject::about("command", "git init"))
    .and_all(os::subjects(error, &[dir]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_builder_left_is_swept_and_a_living_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let dead = dir.path().join(".git.init-1");
        fs::create_dir_all(dead.join(PRIVATE)).unwrap();
        fs::write(lock::store_lock_path(&dead), "").unwrap();
        fs::create_dir(dir.path().join(".git.init-2")).unwrap();
        let living = dir.path().join(".git.init-3");
        fs::create_dir_all(living.join(PRIVATE)).unwrap();
        let lock = fs::File::create(lock::store_lock_path(&living)).unwrap();
        lock.lock().unwrap();
        ensure(dir.path()).unwrap();
        assert!(!dead.exists() && living.exists());
        drop(lock);
        assert!(
            crate::repository::Repository::open(dir.path())
                .unwrap()
                .head()
                .unwrap()
                .commit
                .is_none()
        );
        let mut names: Vec<_> = fs::read_dir(dir.path().join(".git"))
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(
            names,
            ["HEAD", PRIVATE, "config", "description", "hooks", "info", "objects", "refs"]
        );
    }
}
