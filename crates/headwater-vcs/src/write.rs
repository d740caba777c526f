//! The output directory.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Refusal;
use crate::git::write_new;

/// Makes the output directory, and takes away a manifest that an earlier run left there, so that none
/// names what is written over. Gives back whether the directory lies below `root`.
pub(crate) fn prepare(out: &Path, root: &Path) -> Result<bool, Refusal> {
    let prior = out.join("prior");
    for directory in [out, &prior] {
        // A repository may hold a link where its user writes, and what it leads to is not ours.
        if directory.is_symlink() {
            return Err(Refusal::new(format!(
                "`{}` is a symbolic link; name a directory itself",
                directory.display()
            )));
        }
    }
    let manifest = out.join("manifest");
    let cleared = fs::create_dir_all(&prior).and_then(|()| match fs::remove_file(&manifest) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    });
    cleared.map_err(|error| failed(out, &error))?;
    let real = fs::canonicalize(out).and_then(|out| Ok((out, fs::canonicalize(root)?)));
    let (out, root) = real.map_err(|error| failed(out, &error))?;
    Ok(out.starts_with(root))
}

/// Writes the manifest and gives back its path.
pub(crate) fn manifest(out: &Path, text: &str) -> Result<PathBuf, Refusal> {
    let path = out.join("manifest");
    write_new(&path, &mut text.as_bytes()).map_err(|error| failed(&path, &error))?;
    Ok(path)
}

fn failed(path: &Path, error: &std::io::Error) -> Refusal {
    Refusal::new(format!(
        "`{}` cannot be written: {error}; name an output directory that can",
        path.display()
    ))
}
