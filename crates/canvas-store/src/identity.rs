//! The few things a commit takes from git's configuration: who commits, and where hooks live.
//!
//! Nothing else of a user's configuration is looked at, so nothing else can change an answer
//! (decision 23). The places are git's own: system, user, repository, with includes.

use std::error::Error;
use std::ffi::OsString;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use gix::config::file::{Metadata, includes, init};
use gix::config::{File, Source};

use crate::repository::GitError;
use crate::request::Environment;

/// What was configured, with the store's own defaults where nothing was.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Identity {
    /// The committer's name as configured.
    pub configured_name: Option<String>,
    /// The committer's e-mail address.
    pub email: String,
    /// The directory that holds hooks.
    pub hooks: PathBuf,
    /// Whether moves of the head are noted in git's reflog.
    pub reflog: bool,
}

/// The committer's name when none is configured (canvas-store §2.4).
const NAME: &str = "canvas";
/// The committer's address when none is configured.
const EMAIL: &str = "canvas@localhost";

impl Identity {
    /// Reads the configuration that git would read for the repository in `dir`, whose
    /// head is the ref `head`.
    pub fn load(
        environment: &Environment,
        dir: &Path,
        git_dir: &Path,
        head: &str,
    ) -> Result<Identity, GitError> {
        let home = environment.home.as_ref().map(PathBuf::from);
        let files = sources(environment, git_dir);
        if let Some((_, path)) = files.iter().find(|(_, path)| is_pipe(path)) {
            let words = format!("git's configuration cannot be read: {}: a pipe", path.display());
            return Err(GitError { path: Some(path.clone()), error: None, words });
        }
        let interpolate = gix::config::path::interpolate::Context {
            home_dir: home.as_deref(),
            ..Default::default()
        };
        let branch_name: Option<&gix::refs::FullNameRef> = head.try_into().ok();
        let conditional = includes::conditional::Context { git_dir: Some(git_dir), branch_name };
        let options = init::Options {
            includes: includes::Options::follow(interpolate, conditional),
            lossy: true,
            ignore_io_errors: true,
        };
        let read = |files: &[(Source, PathBuf)]| {
            let mut metas =
                files.iter().map(|(source, path)| Metadata::from(*source).at(path.clone()));
            File::from_paths_metadata_buf(&mut metas, &mut Vec::new(), false, options)
        };
        let config = read(&files)
            .map_err(|error| {
                let alone = |file: &&(Source, PathBuf)| read(std::slice::from_ref(*file)).is_err();
                unreadable(&error, files.iter().find(alone).map(|(_, path)| path.clone()))
            })?
            .unwrap_or_default();
        let text = |key: &str| {
            config
                .string(key)
                .map(|value| clean(&value.to_string()))
                .filter(|value| !value.is_empty())
        };
        let hooks = config
            .path("core.hooksPath")
            .filter(|path| !path.is_empty())
            .and_then(|path| path.interpolate(interpolate).ok())
            .map_or_else(|| git_dir.join("hooks"), |path| dir.join(path));
        let reflog = config.string("core.logAllRefUpdates").is_none_or(|value| {
            !matches!(value.to_string().to_ascii_lowercase().as_str(), "false" | "no" | "off" | "0")
        });
        Ok(Identity {
            configured_name: text("user.name"),
            email: text("user.email").unwrap_or_else(|| EMAIL.to_owned()),
            hooks: std::path::absolute(&hooks).unwrap_or(hooks),
            reflog,
        })
    }

    /// The committer's name.
    pub fn name(&self) -> &str {
        self.configured_name.as_deref().unwrap_or(NAME)
    }

    /// The `Canvas-Author` value when the caller gave none (canvas-store §2.7).
    pub fn default_author(&self, environment: &Environment) -> String {
        let user = environment
            .user
            .as_deref()
            .and_then(std::ffi::OsStr::to_str)
            .map(|user| user.replace(char::is_control, " ").trim().to_owned())
            .filter(|user| !user.is_empty())
            .or_else(|| self.configured_name.clone())
            .unwrap_or_else(|| String::from("unknown"));
        format!("{user} | by-hand")
    }
}

/// The configuration files, lowest precedence first.
fn sources(environment: &Environment, git_dir: &Path) -> Vec<(Source, PathBuf)> {
    let path =
        |value: &Option<OsString>| value.as_ref().filter(|v| !v.is_empty()).map(PathBuf::from);
    let mut files = Vec::new();
    if !environment.git_config_nosystem {
        let system = path(&environment.git_config_system);
        files.push((Source::System, system.unwrap_or_else(|| PathBuf::from("/etc/gitconfig"))));
    }
    if let Some(global) = &environment.git_config_global {
        files.push((Source::User, PathBuf::from(global)));
    } else {
        let home = path(&environment.home);
        let xdg =
            path(&environment.xdg_config_home).or_else(|| home.as_ref().map(|h| h.join(".config")));
        files.extend(xdg.map(|xdg| (Source::Git, xdg.join("git").join("config"))));
        files.extend(home.map(|home| (Source::User, home.join(".gitconfig"))));
    }
    files.push((Source::Local, git_dir.join("config")));
    files
}

/// Whether a path leads to a pipe, which would be waited for under the lock of the store.
fn is_pipe(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| about.file_type().is_fifo())
}

/// The error for a configuration that git could not read either: which file, and why.
fn unreadable(error: &(dyn Error + 'static), path: Option<PathBuf>) -> GitError {
    let mut words = String::from("git's configuration cannot be read");
    if let Some(path) = &path {
        words.push_str(&format!(": {}", path.display()));
    }
    // The error itself says only that it failed, its two causes what failed and why.
    for cause in std::iter::successors(error.source(), |&cause| cause.source()).take(2) {
        words.push_str(&format!(": {cause}"));
    }
    GitError { path, error: None, words }
}

/// A name or address without what would break the header line of a commit.
fn clean(value: &str) -> String {
    let kept: String =
        value.chars().filter(|c| !c.is_control() && !matches!(c, '<' | '>')).collect();
    kept.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_that_cannot_be_read_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let environment = Environment {
            home: Some(dir.path().into()),
            git_config_nosystem: true,
            ..Environment::default()
        };
        let broken = dir.path().join(".gitconfig");
        for (content, why) in
            [("[user]\n[core\n", "line 2"), ("[include]\n\tpath = .gitconfig\n", "include")]
        {
            std::fs::write(&broken, content).unwrap();
            let error = Identity::load(&environment, dir.path(), dir.path(), "HEAD").unwrap_err();
            assert!(error.words.contains(&*broken.to_string_lossy()), "{}", error.words);
            assert!(error.words.contains(why), "{}", error.words);
            assert_eq!(error.path.as_deref(), Some(broken.as_path()));
        }
        std::fs::remove_file(&broken).unwrap();
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, &broken, mode).unwrap();
        let error = Identity::load(&environment, dir.path(), dir.path(), "HEAD").unwrap_err();
        assert!(error.words.ends_with(".gitconfig: a pipe"), "{}", error.words);
    }

    #[test]
    fn configuration_is_read_where_git_reads_it_and_its_absence_has_defaults() {
        let dir = tempfile::tempdir().unwrap();
        let git_dir = dir.path().join(".git");
        std::fs::create_dir(&git_dir).unwrap();
        let home = dir.path().join("home");
        std::fs::create_dir(&home).unwrap();
        let environment = Environment {
            home: Some(home.clone().into()),
            git_config_nosystem: true,
            ..Environment::default()
        };
        let none = Identity::load(&environment, dir.path(), &git_dir, "refs/heads/main").unwrap();
        assert_eq!((none.name(), none.email.as_str()), ("canvas", "canvas@localhost"));
        assert_eq!(none.hooks, git_dir.join("hooks"));
        assert_eq!(none.default_author(&environment), "unknown | by-hand");

        std::fs::write(home.join("more"), "[user]\n\temail = ann@example.org\n").unwrap();
        std::fs::write(
            home.join(".gitconfig"),
            "[user]\n\tname = Ann <x>\n[include]\n\tpath = more\n[includeIf \"gitdir:/no/\"]\n\tpath = no\n[includeIf \"onbranch:x\"]\n\tpath = no\n[core]\n\thooksPath = ~/hooks\n",
        )
        .unwrap();
        let some = Identity::load(&environment, dir.path(), &git_dir, "refs/heads/main").unwrap();
        assert_eq!((some.name(), some.email.as_str()), ("Ann x", "ann@example.org"));
        assert_eq!(some.hooks, home.join("hooks"));
        assert_eq!(some.default_author(&environment), "Ann x | by-hand");
        let user = Environment { user: Some("bob".into()), ..environment };
        assert_eq!(some.default_author(&user), "bob | by-hand");
    }
}
