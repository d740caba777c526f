//! The floors: what reading a corpus costs at the very least, as processes of this program itself, with
//! as many threads as the measured one uses.

use std::hint::black_box;
use std::path::Path;

use pulldown_cmark::{Options, Parser};
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};
use walkdir::WalkDir;

/// The argument under which this program is a floor and nothing else.
pub const FLOOR: &str = "--floor";

/// What a floor does to every Markdown file below a directory.
#[derive(Clone, Copy)]
pub enum Floor {
    /// Read every byte and take its SHA-256 digest.
    Hash,
    /// And parse it once with the Markdown library alone.
    Parse,
}

impl Floor {
    /// Its word on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Hash => "hash",
            Self::Parse => "parse",
        }
    }

    /// Does it, where this process was started as a floor.
    pub fn asked() -> bool {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let [flag, word, root] = arguments.as_slice() else { return false };
        let floor = [Self::Hash, Self::Parse].into_iter().find(|floor| floor.word() == word);
        let Some(floor) = floor.filter(|_| flag == FLOOR) else { return false };
        floor.run(Path::new(root));
        true
    }

    fn run(self, root: &Path) {
        let files: Vec<_> = WalkDir::new(root)
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_file())
            .map(walkdir::DirEntry::into_path)
            .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
            .collect();
        files.par_iter().for_each(|path| {
            let bytes = std::fs::read(path).expect("the file is read");
            black_box(Sha256::digest(&bytes));
            if let Self::Parse = self
                && let Ok(text) = std::str::from_utf8(&bytes)
            {
                let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
                black_box(Parser::new_ext(text, options).into_offset_iter().count());
            }
        });
    }
}
