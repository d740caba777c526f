//! From a directory to sources: the declaration, the one package it names, its bundles and the
//! overlay. Nothing here judges a taxonomy; it only finds the bytes to judge.

use std::fs;
use std::path::{Path, PathBuf};

use crate::declaration::{DECLARATION_PATH, Declaration, Manifest};
use crate::files::{Links, ReadError, SOURCE_LIMIT, read_regular};
use crate::refusal::{Class, Next, Refusal};
use crate::resolve::Resolution;
use crate::source::{Role, Source};
use crate::yaml::shown;

/// Where the vendored packages are, relative to the repository root.
pub const PACKAGES_PATH: &str = ".headwater/packages";

/// Why a repository gives no resolution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A file that is needed cannot be used.
    Unusable(Vec<Refusal>),
    /// The taxonomy is refused.
    Refused(Vec<Refusal>),
}

/// The package that a repository names, found.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its directory, relative to the repository root.
    pub directory: String,
    /// Its manifest.
    pub manifest: Manifest,
}

/// Everything that resolving needs from the disk.
#[derive(Clone, Debug)]
pub struct Repository {
    /// The declaration.
    pub declaration: Declaration,
    /// The package.
    pub package: Package,
    /// The base, the selected bundles in listed order, the overlay.
    pub sources: Vec<Source>,
    /// The bundles that the package ships and the repository does not select, by name.
    pub unselected: Vec<Source>,
}

fn unusable(file: &str, what: impl Into<String>, next: &str) -> Failure {
    let next = Next::Do(next.to_owned());
    Failure::Unusable(vec![Refusal::of_file(Class::Input, file, what, next)])
}

/// Reads the declaration of the repository at `root`.
///
/// # Errors
/// It cannot be read, or says something that cannot be used.
pub fn declaration(root: &Path) -> Result<Declaration, Failure> {
    let bytes = read(root, DECLARATION_PATH, "write it; it names the package and the corpus root")?;
    Declaration::parse(&bytes).map_err(Failure::Unusable)
}

fn read(root: &Path, path: &str, next: &str) -> Result<Vec<u8>, Failure> {
    read_regular(&root.join(path), SOURCE_LIMIT, Links::Follow)
        .map_err(|error| unusable(path, error.to_string(), next))
}

impl Repository {
    /// Reads the repository at `root`.
    ///
    /// # Errors
    /// The first file that cannot be used.
    pub fn open(root: &Path) -> Result<Self, Failure> {
        let declaration = declaration(root)?;
        let package = find_package(root, &declaration)?;
        let directory = &package.directory;
        let mut sources = Vec::new();
        let path = format!("{directory}/{}", package.manifest.taxonomy);
        let bytes = read(root, &path, "restore the package, or correct `contents.taxonomy`")?;
        sources.push(Source { path, role: Role::Base, bytes });
        for name in &declaration.bundles {
            let Some(bundles) = &package.manifest.bundles else {
                let what = format!("`{name}` is selected and the package ships no bundles");
                return Err(unusable(DECLARATION_PATH, what, "remove it from `taxonomy.bundles`"));
            };
            let path = format!("{directory}/{bundles}/{name}/bundle.yml");
            let next = "correct the name under `taxonomy.bundles`, or restore the package";
            let bytes = read(root, &path, next)?;
            sources.push(Source { path, role: Role::Bundle(name.clone()), bytes });
        }
        if let Some(path) = &declaration.overlay {
            let bytes = read(root, path, "write the overlay, or remove `taxonomy.overlay`")?;
            sources.push(Source { path: path.clone(), role: Role::Overlay, bytes });
        }
        let unselected = unselected(root, &declaration, &package);
        Ok(Self { declaration, package, sources, unselected })
    }

    /// The refusals where the three places that name the package disagree.
    pub fn disagreements(&self, resolution: &Resolution) -> Vec<Refusal> {
        let (d, m, t) = (&self.declaration, &self.package.manifest, &resolution.taxonomy);
        let mut found = Vec::new();
        for (word, declared, manifest, source) in [
            ("package", &d.package, &m.package, &t.name),
            ("version", &d.version, &m.version, &t.version),
        ] {
            if declared != manifest || manifest != source {
                let what = format!(
                    "the {word} is `{}` here, `{}` in {}/package.yml and `{}` in {}",
                    shown(declared),
                    shown(manifest),
                    self.package.directory,
                    shown(source),
                    self.sources.first().map_or("", |source| &source.path)
                );
                let next = Next::Do("make the three agree".to_owned());
                found.push(Refusal::of_file(Class::Identity, DECLARATION_PATH, what, next));
            }
        }
        found
    }

    /// The directory of the package on disk.
    pub fn package_directory(&self, root: &Path) -> PathBuf {
        root.join(&self.package.directory)
    }
}

/// Takes the one package directory whose manifest carries the declared name.
///
/// # Errors
/// There is none, or more than one, or the packages cannot be listed.
pub fn find_package(root: &Path, declaration: &Declaration) -> Result<Package, Failure> {
    let mut found: Vec<Package> = Vec::new();
    let mut unread: Vec<Refusal> = Vec::new();
    let entries = match fs::read_dir(root.join(PACKAGES_PATH)) {
        Ok(entries) => entries,
        Err(error) => {
            let what = format!("the vendored packages cannot be listed: {error}");
            return Err(unusable(PACKAGES_PATH, what, "vendor the package that is declared"));
        }
    };
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        // `~` marks what a vendoring that was interrupted left behind.
        .filter(|name| !name.contains('~'))
        .collect();
    names.sort_unstable();
    for name in names {
        let directory = format!("{PACKAGES_PATH}/{name}");
        let file = format!("{directory}/package.yml");
        let bytes = match read_regular(&root.join(&file), SOURCE_LIMIT, Links::Follow) {
            Ok(bytes) => bytes,
            Err(ReadError::Absent) => continue,
            Err(error) => {
                let next = Next::Do("restore the package".to_owned());
                unread.push(Refusal::of_file(Class::Input, &file, error.to_string(), next));
                continue;
            }
        };
        match Manifest::parse(&file, &bytes) {
            Ok(manifest) if manifest.package == declaration.package => {
                found.push(Package { directory, manifest });
            }
            Ok(_) => {}
            Err(refusals) => unread.extend(refusals),
        }
    }
    let package = found.pop();
    match (package, found.as_slice()) {
        (Some(package), []) => Ok(package),
        (None, _) => {
            let what = format!("no vendored package is named `{}`", shown(&declaration.package));
            let next = "vendor it under .headwater/packages, or correct `taxonomy.package`";
            let Failure::Unusable(mut refusals) = unusable(DECLARATION_PATH, what, next) else {
                return Err(Failure::Unusable(unread));
            };
            refusals.extend(unread);
            Err(Failure::Unusable(refusals))
        }
        (Some(last), others) => {
            let mut directories: Vec<&str> =
                others.iter().map(|package| package.directory.as_str()).collect();
            directories.push(&last.directory);
            let what = format!(
                "{} packages are named `{}`: {}",
                directories.len(),
                shown(&declaration.package),
                directories.join(", ")
            );
            Err(unusable(DECLARATION_PATH, what, "keep one of them"))
        }
    }
}

/// The bundles that are shipped and not selected. They only serve advice, so one that cannot be
/// read is passed over.
fn unselected(root: &Path, declaration: &Declaration, package: &Package) -> Vec<Source> {
    let Some(bundles) = &package.manifest.bundles else { return Vec::new() };
    let directory = format!("{}/{bundles}", package.directory);
    let mut names: Vec<String> = fs::read_dir(root.join(&directory))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !declaration.bundles.contains(name))
        .collect();
    names.sort_unstable();
    names
        .into_iter()
        .filter_map(|name| {
            let path = format!("{directory}/{name}/bundle.yml");
            let bytes = read_regular(&root.join(&path), SOURCE_LIMIT, Links::Follow).ok()?;
            Some(Source { path, role: Role::Bundle(name), bytes })
        })
        .collect()
}
