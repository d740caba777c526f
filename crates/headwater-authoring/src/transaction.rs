//! Writing composed files: all of those that exist or none, and then the new ones, each by itself.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use headwater_check::headwater_taxonomy::yaml::escaped;

use crate::disk::{Disk, Real, names};
use crate::plan::{Edit, Refusal};

/// A write that the disk broke off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The file at which it broke off, and why.
    pub at: Refusal,
    /// The files that could not be brought back, and why; every other one is as it was.
    pub damaged: Vec<Refusal>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal { path, reason } = &self.at;
        write!(f, "`{}` could not be written: {reason}", escaped(path))?;
        if self.damaged.is_empty() {
            return f.write_str("; every file is as it was");
        }
        f.write_str("; these files could not be brought back, so look at each before going on")?;
        for (at, Refusal { path, reason }) in self.damaged.iter().enumerate() {
            write!(f, "{} `{}` ({reason})", if at == 0 { ":" } else { "," }, escaped(path))?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// Writes edits below a root. A file that is no longer what the run read, that a link or a second
/// name leads to, or that is there already where a new one was to be, is refused, and no other file
/// with it. The rest is written all or not at all; new files are made after that, each by itself.
///
/// # Errors
///
/// The disk refused a step. What was written is brought back.
pub fn write(root: &Path, edits: &[Edit]) -> Result<Vec<Refusal>, Failure> {
    write_on(&mut Real, root, edits)
}

pub(crate) fn write_on<D: Disk>(
    disk: &mut D,
    root: &Path,
    edits: &[Edit],
) -> Result<Vec<Refusal>, Failure> {
    let mut refusals = Vec::new();
    let mut staged = Vec::new();
    for edit in edits {
        let Some(before) = edit.before.as_deref() else { continue };
        let path = root.join(&edit.path);
        let at = |reason| Refusal { path: edit.path.clone(), reason };
        if let Err(reason) = admits(root, &edit.path) {
            refusals.push(at(reason));
            continue;
        }
        let read = disk.open(&path).and_then(|()| disk.read(&path));
        match read {
            Err(error) => return Err(Failure::before(at(error.to_string()))),
            Ok(bytes) if bytes != before.as_bytes() => {
                refusals.push(at("somebody wrote to it since this run read it".to_owned()));
            }
            Ok(_) => staged.push((edit, path)),
        }
    }
    let mut ready = Vec::new();
    for (edit, path) in staged {
        match disk.stage(&path, edit.after.as_bytes()) {
            Ok(bytes) => ready.push((edit, path, bytes)),
            Err(error) => {
                let reason = format!("no file can be made beside it: {error}");
                return Err(Failure::before(Refusal { path: edit.path.clone(), reason }));
            }
        }
    }
    let mut begun: Vec<(&Edit, PathBuf)> = Vec::new();
    for (edit, path, bytes) in ready {
        let published = publish(disk, edit, &path, bytes);
        begun.push((edit, path));
        if let Err(reason) = published {
            let at = Refusal { path: edit.path.clone(), reason };
            return Err(Failure { at, damaged: brought_back(disk, begun) });
        }
    }
    for edit in edits.iter().filter(|edit| edit.before.is_none()) {
        if let Err(reason) = create(disk, root, edit) {
            refusals.push(Refusal { path: edit.path.clone(), reason });
        }
    }
    refusals.sort();
    Ok(refusals)
}

impl Failure {
    /// One before anything was written.
    fn before(at: Refusal) -> Self {
        Self { at, damaged: Vec::new() }
    }
}

/// Puts staged bytes under their name, unless somebody wrote there, and reads them back.
fn publish<D: Disk>(
    disk: &mut D,
    edit: &Edit,
    path: &Path,
    bytes: D::Staged,
) -> Result<(), String> {
    let said = |error: io::Error| error.to_string();
    let before = edit.before.as_deref().unwrap_or_default();
    if disk.read(path).map_err(said)? != before.as_bytes() {
        return Err("somebody wrote to it during this run; run it again".to_owned());
    }
    disk.publish(bytes, path).map_err(said)?;
    if disk.read(path).map_err(said)? != edit.after.as_bytes() {
        return Err("what was written did not read back".to_owned());
    }
    Ok(())
}

/// Brings back the files that were begun. Bytes that this run did not write are left alone.
fn brought_back<D: Disk>(disk: &mut D, begun: Vec<(&Edit, PathBuf)>) -> Vec<Refusal> {
    let mut damaged = Vec::new();
    for (edit, path) in begun.into_iter().rev() {
        let before = edit.before.as_deref().unwrap_or_default().as_bytes();
        let back = disk.read(&path).and_then(|held| {
            if held == before {
                return Ok(());
            }
            if held != edit.after.as_bytes() {
                return Err(io::Error::other("somebody else wrote to it and it was left alone"));
            }
            let staged = disk.stage(&path, before)?;
            disk.publish(staged, &path)
        });
        if let Err(error) = back
            && disk.read(&path).ok().as_deref() != Some(before)
        {
            damaged.push(Refusal { path: edit.path.clone(), reason: error.to_string() });
        }
    }
    damaged.reverse();
    damaged
}

/// Makes a new file and the directories above it; none of them stays when one cannot be made.
fn create<D: Disk>(disk: &mut D, root: &Path, edit: &Edit) -> Result<(), String> {
    let path = root.join(&edit.path);
    parents(root, &edit.path)?;
    if fs::symlink_metadata(&path).is_ok() {
        return Err("something is there already, and nothing is written over".to_owned());
    }
    let mut made: Vec<PathBuf> = Vec::new();
    let above: Vec<&Path> = path.ancestors().skip(1).take_while(|above| *above != root).collect();
    let done = above.into_iter().rev().try_for_each(|directory| {
        if fs::symlink_metadata(directory).is_ok() {
            return Ok(());
        }
        disk.make_directory(directory)?;
        made.push(directory.to_owned());
        Ok(())
    });
    let done = done.and_then(|()| disk.create(&path, edit.after.as_bytes())).and_then(|()| {
        let held = disk.read(&path);
        if held.as_deref().ok() == Some(edit.after.as_bytes()) {
            return Ok(());
        }
        disk.remove(&path)?;
        Err(held.err().unwrap_or_else(|| io::Error::other("what was written did not read back")))
    });
    done.map_err(|error| {
        for directory in made.iter().rev() {
            // What somebody else put into it meanwhile keeps it.
            let _ = disk.remove_directory(directory);
        }
        error.to_string()
    })
}

/// Whether a file is one that may be written: regular, reached without a link, of one name.
fn admits(root: &Path, path: &str) -> Result<(), String> {
    parents(root, path)?;
    let about = fs::symlink_metadata(root.join(path)).map_err(|error| error.to_string())?;
    if about.is_symlink() {
        return Err("it is a symbolic link; write to what it leads to".to_owned());
    }
    if !about.is_file() {
        return Err("it is no regular file".to_owned());
    }
    match names(&about) {
        1 => Ok(()),
        names => Err(format!("it has {names} names on this disk, and writing would part them")),
    }
}

/// Whether every directory on the way to a path is one, and no link to one.
fn parents(root: &Path, path: &str) -> Result<(), String> {
    let mut at = root.to_owned();
    let segments: Vec<&str> = path.split('/').collect();
    for segment in segments.iter().take(segments.len().saturating_sub(1)) {
        at.push(segment);
        match fs::symlink_metadata(&at) {
            Ok(about) if about.is_dir() => {}
            Ok(_) => {
                return Err(format!("`{}` on the way to it is no directory", escaped(segment)));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// How a step that fails goes wrong.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Fault {
        /// Nothing is done.
        Before,
        /// It is done and reported as failed.
        After,
        /// Nothing is done, and no step after it works either.
        Dead,
    }

    /// A disk whose step `at` fails.
    struct Faulty {
        at: usize,
        step: usize,
        fault: Fault,
    }

    impl Faulty {
        fn run<T>(&mut self, act: impl FnOnce(&mut Real) -> io::Result<T>) -> io::Result<T> {
            let step = self.step;
            self.step += 1;
            let fails = step == self.at || (self.fault == Fault::Dead && step > self.at);
            if !fails {
                return act(&mut Real);
            }
            if self.fault == Fault::After {
                let _ = act(&mut Real);
            }
            Err(io::Error::other("injected"))
        }
    }

    impl Disk for Faulty {
        type Staged = <Real as Disk>::Staged;

        fn read(&mut self, path: &Path) -> io::Result<Vec<u8>> {
            self.run(|disk| disk.read(path))
        }
        fn open(&mut self, path: &Path) -> io::Result<()> {
            self.run(|disk| disk.open(path))
        }
        fn stage(&mut self, path: &Path, bytes: &[u8]) -> io::Result<Self::Staged> {
            self.run(|disk| disk.stage(path, bytes))
        }
        fn publish(&mut self, staged: Self::Staged, path: &Path) -> io::Result<()> {
            self.run(|disk| disk.publish(staged, path))
        }
        fn create(&mut self, path: &Path, bytes: &[u8]) -> io::Result<()> {
            self.run(|disk| disk.create(path, bytes))
        }
        fn make_directory(&mut self, path: &Path) -> io::Result<()> {
            self.run(|disk| disk.make_directory(path))
        }
        fn remove(&mut self, path: &Path) -> io::Result<()> {
            self.run(|disk| disk.remove(path))
        }
        fn remove_directory(&mut self, path: &Path) -> io::Result<()> {
            self.run(|disk| disk.remove_directory(path))
        }
    }

    fn edit(path: &str, before: Option<&str>, after: &str) -> Edit {
        let before = before.map(str::to_owned);
        Edit { path: path.to_owned(), before, after: after.to_owned(), patches: 1 }
    }

    /// Two files that change and two that come to be.
    fn edits() -> Vec<Edit> {
        vec![
            edit("d/a.md", Some("a"), "A longer"),
            edit("d/b.md", Some("bbbb"), ""),
            edit("new/deep/c", None, "C\n"),
            edit("new/e", None, "E\n"),
        ]
    }

    fn tree() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("d")).unwrap();
        fs::write(root.path().join("d/a.md"), "a").unwrap();
        fs::write(root.path().join("d/b.md"), "bbbb").unwrap();
        root
    }

    /// Every file below a directory with its text, and every directory with none.
    fn held(root: &Path) -> BTreeMap<String, String> {
        let (mut all, mut open) = (BTreeMap::new(), vec![root.to_owned()]);
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(&directory).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
                if path.is_dir() {
                    all.insert(name + "/", String::new());
                    open.push(path);
                } else {
                    all.insert(name, fs::read_to_string(&path).unwrap());
                }
            }
        }
        all
    }

    #[test]
    fn whatever_step_fails_files_are_written_all_or_none() {
        let done = tree();
        let mut disk = Faulty { at: usize::MAX, step: 0, fault: Fault::Before };
        assert_eq!(write_on(&mut disk, done.path(), &edits()), Ok(vec![]));
        let (steps, after) = (disk.step, held(done.path()));
        assert_eq!(after.len(), 7, "{after:#?}");
        let (mut broken_off, mut refused) = (0, 0);
        for fault in [Fault::Before, Fault::After, Fault::Dead] {
            for at in 0..steps {
                let root = tree();
                let before = held(root.path());
                let mut disk = Faulty { at, step: 0, fault };
                let result = write_on(&mut disk, root.path(), &edits());
                let now = held(root.path());
                let said = format!("{fault:?} at {at}: {result:?}\n{now:#?}");
                match result {
                    Err(failure) => {
                        broken_off += 1;
                        let damaged: Vec<&str> =
                            failure.damaged.iter().map(|file| file.path.as_str()).collect();
                        assert!(damaged.is_empty() || fault == Fault::Dead, "{said}");
                        assert_eq!(
                            now.keys().collect::<Vec<_>>(),
                            before.keys().collect::<Vec<_>>(),
                            "{said}"
                        );
                        for (path, text) in now {
                            let was = damaged.contains(&path.as_str()) || before[&path] == text;
                            // A file that is named as damaged holds what was to be written, whole.
                            assert!(
                                was && [&before[&path], &after[&path]].contains(&&text),
                                "{said}"
                            );
                        }
                    }
                    Ok(refusals) => {
                        refused += refusals.len();
                        for edit in edits() {
                            let named = refusals.iter().any(|refusal| refusal.path == edit.path);
                            let expected = if named { edit.before } else { Some(edit.after) };
                            let lost = fault == Fault::Dead || fault == Fault::After;
                            let text = now.get(&edit.path).cloned();
                            // A step that was done and said to have failed may leave a new file.
                            assert!(
                                text == expected || (named && lost && edit.path.starts_with("new")),
                                "{said}"
                            );
                        }
                        assert!(!refusals.is_empty(), "{said}");
                    }
                }
            }
        }
        assert!(broken_off > 20 && refused > 5, "{broken_off} {refused}");
    }

    #[test]
    fn what_is_no_longer_what_the_run_read_is_refused_alone() {
        let root = tree();
        fs::write(root.path().join("d/a.md"), "theirs").unwrap();
        fs::create_dir_all(root.path().join("new")).unwrap();
        fs::write(root.path().join("new/e"), "theirs").unwrap();
        let refusals = write(root.path(), &edits()).unwrap();
        let paths: Vec<&str> = refusals.iter().map(|refusal| refusal.path.as_str()).collect();
        assert_eq!(paths, ["d/a.md", "new/e"]);
        let now = held(root.path());
        assert_eq!((&*now["d/a.md"], &*now["d/b.md"]), ("theirs", ""));
        assert_eq!((&*now["new/deep/c"], &*now["new/e"]), ("C\n", "theirs"));
    }

    /// A disk on which somebody else writes to a file just before it is published.
    struct Rival(bool);

    impl Disk for Rival {
        type Staged = <Real as Disk>::Staged;

        fn read(&mut self, path: &Path) -> io::Result<Vec<u8>> {
            Real.read(path)
        }
        fn open(&mut self, path: &Path) -> io::Result<()> {
            Real.open(path)
        }
        fn stage(&mut self, path: &Path, bytes: &[u8]) -> io::Result<Self::Staged> {
            if path.ends_with("b.md") && !std::mem::replace(&mut self.0, true) {
                fs::write(path, "theirs")?;
            }
            Real.stage(path, bytes)
        }
        fn publish(&mut self, staged: Self::Staged, path: &Path) -> io::Result<()> {
            Real.publish(staged, path)
        }
        fn create(&mut self, path: &Path, bytes: &[u8]) -> io::Result<()> {
            Real.create(path, bytes)
        }
        fn make_directory(&mut self, path: &Path) -> io::Result<()> {
            Real.make_directory(path)
        }
        fn remove(&mut self, path: &Path) -> io::Result<()> {
            Real.remove(path)
        }
        fn remove_directory(&mut self, path: &Path) -> io::Result<()> {
            Real.remove_directory(path)
        }
    }

    #[test]
    fn a_second_writer_loses_nothing() {
        let root = tree();
        let failure = write_on(&mut Rival(false), root.path(), &edits()).unwrap_err();
        assert_eq!(failure.at.path, "d/b.md");
        assert!(failure.to_string().contains("somebody wrote"), "{failure}");
        let now = held(root.path());
        assert_eq!((&*now["d/a.md"], &*now["d/b.md"], now.len()), ("a", "theirs", 3), "{now:#?}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_refused_and_modes_are_kept() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let root = tree();
        let at = |path: &str| root.path().join(path);
        fs::set_permissions(at("d/a.md"), fs::Permissions::from_mode(0o640)).unwrap();
        fs::hard_link(at("d/b.md"), at("d/other")).unwrap();
        symlink("a.md", at("d/link.md")).unwrap();
        symlink("d", at("e")).unwrap();
        symlink("d/none", at("new")).unwrap();
        let edits = [
            edit("d/a.md", Some("a"), "A"),
            edit("d/b.md", Some("bbbb"), "B"),
            edit("d/link.md", Some("a"), "L"),
            edit("e/a.md", Some("a"), "E"),
            edit("new", None, "N"),
            edit("new/x", None, "N"),
            edit("e/x", None, "N"),
        ];
        let refusals = write(root.path(), &edits).unwrap();
        let paths: Vec<&str> = refusals.iter().map(|refusal| refusal.path.as_str()).collect();
        assert_eq!(paths, ["d/b.md", "d/link.md", "e/a.md", "e/x", "new", "new/x"]);
        assert_eq!(fs::read_to_string(at("d/a.md")).unwrap(), "A");
        assert_eq!(fs::metadata(at("d/a.md")).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(at("d")).unwrap().count(), 4);
    }
}
