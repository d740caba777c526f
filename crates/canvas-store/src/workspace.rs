//! From the workspace variable and a canvas identifier to a path, and what stands at that path.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use crate::os::{self, Act};
use crate::refusal::{CANVAS, Exit, Next, Refusal, Subject};
use crate::request::Environment;

/// The name of the variable that says where the workspace is.
pub const VARIABLE: &str = "OPENCLAW_WORKSPACE";

/// The workspace: it exists and is a directory.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// `W/state/canvas`, spelled from the variable's value by plain joining.
    pub canvases: PathBuf,
}

/// One canvas's place: a usable identifier and the path that follows from it.
#[derive(Clone, Debug)]
pub struct Place {
    /// The canvas identifier.
    pub id: String,
    /// `<id>.xml`
    pub file: String,
    /// The path, spelled from the variable's value.
    pub path: PathBuf,
}

/// The label of a canvas identifier.
pub fn identifier(id: &str) -> Subject {
    Subject::about("Canvas identifier", id)
}

/// The label of a canvas's path.
pub fn canvas_at(path: &Path) -> Subject {
    Subject::about("canvas", path.display().to_string())
}

impl Workspace {
    /// The workspace that the environment names (canvas-store §2.1 and the first rows of §3.12).
    pub fn find(environment: &Environment) -> Result<Workspace, Refusal> {
        let about = || Subject::about("environment variable", VARIABLE);
        let value = environment.workspace.as_deref().unwrap_or_default();
        let Some(text) = value.to_str() else {
            return Err(Refusal::new(
                Exit::Tool,
                format!("{VARIABLE} is not valid UTF-8: {}", value.to_string_lossy()),
                about(),
                Next::new(format!("set {VARIABLE} to a path that is valid UTF-8 and re-run")),
            ));
        };
        if text.is_empty() {
            return Err(Refusal::new(
                Exit::Tool,
                format!("{VARIABLE} is not set, and there is no default workspace"),
                about(),
                Next::new(format!(
                    "`export {VARIABLE}=<directory>` with the workspace's directory and re-run"
                )),
            ));
        }
        let root = Path::new(text);
        let value = || Subject::about("value", text);
        match fs::metadata(root) {
            Ok(meta) if meta.is_dir() => {
                Ok(Workspace { canvases: root.join("state").join("canvas") })
            }
            Ok(_) => Err(Refusal::new(
                Exit::Tool,
                format!("{VARIABLE} names {text}, which is not a directory"),
                about(),
                Next::new(format!(
                    "look {}, then set {VARIABLE} to a directory and re-run",
                    os::with("ls -ld", root)
                )),
            )
            .and(value())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Refusal::new(
                Exit::Tool,
                format!("{VARIABLE} names {text}, and nothing is there"),
                about(),
                Next::new(format!(
                    "set {VARIABLE} to a directory that exists and re-run; none is created for you"
                )),
            )
            .and(value())),
            Err(error) => Err(os::refusal(
                format!("cannot tell whether {VARIABLE} names a directory"),
                &error,
                Act::Look,
                root,
                about(),
            )
            .and(value())),
        }
    }

    /// The place of canvas `id`.
    pub fn place(&self, id: &str) -> Result<Place, Refusal> {
        let usable = !id.is_empty()
            && !id.starts_with('.')
            && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
        if !usable {
            return Err(Refusal::new(
                Exit::Tool,
                format!("'{id}' is not a usable Canvas identifier"),
                Subject::about("Canvas identifier", format!("'{id}'")),
                Next::new(
                    "use letters, digits, dots, dashes and underscores, with no dot in front: the \
                     identifier is also the file's name",
                ),
            ));
        }
        let file = format!("{id}.xml");
        Ok(Place { id: id.to_owned(), path: self.canvases.join(&file), file })
    }
}

impl Place {
    /// The label of the identifier.
    pub fn identifier(&self) -> Subject {
        identifier(&self.id)
    }

    /// The label of the path.
    pub fn canvas(&self) -> Subject {
        canvas_at(&self.path)
    }

    /// The refusal for a canvas that is not there.
    pub fn no_canvas(&self) -> Refusal {
        self.absent(&format!("nothing at {}", self.path.display()))
    }

    /// The refusal for a canvas whose birth is under way, or was interrupted.
    pub fn no_canvas_yet(&self) -> Refusal {
        self.absent("it is being created, or its creation was interrupted")
    }

    fn absent(&self, why: &str) -> Refusal {
        Refusal::new(
            Exit::Conflict,
            format!("no canvas for Canvas identifier {}: {why}", self.id),
            self.identifier(),
            Next::new(format!(
                "`{CANVAS} create {} --problem TEXT --expected-value TEXT` makes it; or correct the \
                 identifier",
                self.id
            )),
        )
        .and(self.canvas())
    }

    /// Makes sure a canvas file is at the path (canvas-store §3.12).
    pub fn require(&self) -> Result<(), Refusal> {
        match self.look()? {
            Some(_) => Ok(()),
            None => Err(self.no_canvas()),
        }
    }

    /// What is at the path: a regular file, nothing, or a refusal. Links are followed; a link that
    /// leads nowhere is something, and no canvas.
    pub fn look(&self) -> Result<Option<Metadata>, Refusal> {
        let meta = match fs::metadata(&self.path) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return match fs::symlink_metadata(&self.path) {
                    Ok(meta) if meta.is_symlink() => {
                        Err(self.not_a_canvas("not a regular file: a link that leads nowhere"))
                    }
                    Ok(_) => Err(self.unsteady()),
                    Err(_) => Ok(None),
                };
            }
            Err(error) => {
                return Err(os::refusal(
                    format!(
                        "cannot tell whether there is a canvas for Canvas identifier {}",
                        self.id
                    ),
                    &error,
                    Act::Look,
                    &self.path,
                    self.identifier(),
                )
                .and(self.canvas()));
            }
        };
        if meta.is_file() { Ok(Some(meta)) } else { Err(self.not_a_canvas(kind_of(&meta))) }
    }

    /// The refusal for a path that was there in one moment and not in the next.
    fn unsteady(&self) -> Refusal {
        Refusal::new(
            Exit::Tool,
            format!("{} came or went while it was looked at", self.path.display()),
            self.identifier(),
            Next::new("re-run the same command"),
        )
        .and(self.canvas())
    }

    fn not_a_canvas(&self, kind: &str) -> Refusal {
        Refusal::new(
            Exit::Tool,
            format!(
                "what is at {} is {kind}, where the canvas for Canvas identifier {} belongs",
                self.path.display(),
                self.id
            ),
            self.identifier(),
            Next::new(format!(
                "look {} and move it away, then re-run",
                os::with("ls -ld", &self.path)
            )),
        )
        .and(self.canvas())
    }

    /// Reads the file at the path; it has just been looked at, so its absence now is a race that was
    /// lost, and means what absence means. One byte more than `limit` is read at most.
    pub fn bytes(&self, limit: usize) -> Result<Vec<u8>, Refusal> {
        use std::io::Read as _;
        let read = || -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            fs::File::open(&self.path)?.take(limit as u64 + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        match read() {
            Ok(bytes) => Ok(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => match self.look()? {
                Some(_) => Err(self.unsteady()),
                None => Err(self.no_canvas()),
            },
            Err(error) => Err(os::refusal(
                format!("cannot read the canvas for Canvas identifier {}", self.id),
                &error,
                Act::Read,
                &self.path,
                self.identifier(),
            )
            .and(self.canvas())),
        }
    }

    /// Refuses to write through a link that leads out of the canvas directory (canvas-store §2.6).
    pub fn require_inside(&self) -> Result<(), Refusal> {
        let inside = || -> io::Result<bool> {
            let real = match fs::canonicalize(&self.path) {
                Ok(real) => real,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
                Err(error) => return Err(error),
            };
            let home = self.path.parent().map(fs::canonicalize).transpose()?;
            Ok(real.parent() == home.as_deref()
                && real.extension().is_some_and(|extension| extension == "xml"))
        };
        match inside() {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.not_a_canvas("a link to a file outside the canvas directory")),
            Err(error) => Err(os::refusal(
                format!("cannot tell where {} leads", self.path.display()),
                &error,
                Act::Look,
                &self.path,
                self.identifier(),
            )
            .and(self.canvas())),
        }
    }
}

/// What kind of thing is at a path, in the words of canvas-store §3.12.
fn kind_of(meta: &Metadata) -> &'static str {
    let kind = meta.file_type();
    if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_block_device() {
        "a block device"
    } else if kind.is_char_device() {
        "a character device"
    } else {
        "not a regular file"
    }
}

/// The labels and words of a failed write of a canvas: about the canvas and its directory.
pub fn cannot_write(place: &Place, error: &io::Error, path: &Path) -> Refusal {
    let directory = place.path.parent().unwrap_or(Path::new("."));
    os::refusal(
        format!("cannot write the canvas for Canvas identifier {}", place.id),
        error,
        Act::Write,
        path,
        place.canvas(),
    )
    .and(Subject::about("directory", directory.display().to_string()))
}
