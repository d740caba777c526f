//! The worked corpus of the fixtures, to be changed at will.

use std::fs;
use std::path::Path;

/// Copies the worked corpus, its taxonomy and its documents, into a directory. There is no lock yet.
pub fn lantern(to: &Path) {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for part in ["headwater-taxonomy/fixtures/lantern", "headwater-corpus/fixtures/lantern"] {
        copy(&crates.join(part), to);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}
