//! A canvas with two nodes and the program that checks it, with what every run is judged by.

use std::path::Path;

use crate::support::refusal::{self, Refusal};
use crate::support::world::{Run, Snapshot, World, display, finish};

/// A response without a finding.
pub const NONE: &str = r#"printf '{"schema": 1, "findings": []}'"#;

/// The world of one case.
pub struct Desk {
    pub world: World,
    /// The two nodes of canvas `t1`.
    pub a: String,
    pub b: String,
}

impl Desk {
    pub fn new() -> Desk {
        let world = World::new();
        let built = Path::new(env!("CARGO_BIN_EXE_canvas-coherence"));
        let place = world.root().join("bin/canvas-coherence");
        // A copy that is being written cannot be run by the child of another test; a link can.
        if std::fs::hard_link(built, &place).is_err() {
            std::fs::copy(built, &place).unwrap();
        }
        let made = world.canvas(&["create", "t1", "--problem", "P", "--expected-value", "V"]);
        let label = |name| made.label(name).unwrap();
        let (a, b) = (label("Canvas-Problem"), label("Canvas-Expected-Value"));
        Desk { world, a, b }
    }

    /// The finding of a contradiction between the two nodes, as JSON.
    pub fn finding(&self) -> String {
        let (a, b) = (&self.a, &self.b);
        format!(
            r#"{{"question": "{a} or {b}?", "reason": "they disagree", "node_ids": ["{a}", "{b}"]}}"#
        )
    }

    /// A script that answers with these findings. It says that it ran, by a file.
    pub fn answers(&self, findings: &[String]) -> String {
        self.says(&format!(r#"{{"schema": 1, "findings": [{}]}}"#, findings.join(", ")))
    }

    /// A script that answers with this text, which holds no apostrophe.
    pub fn says(&self, text: &str) -> String {
        format!("cat >files/request; printf '%s' '{text}'")
    }

    /// The request that the last adapter of [`Desk::answers`] was given; none when it did not run.
    pub fn asked(&self) -> Option<String> {
        let path = self.world.root().join("files/request");
        let text = std::fs::read_to_string(&path).ok()?;
        std::fs::remove_file(path).unwrap();
        Some(text)
    }

    /// Writes a canvas with `bin/canvas`; the new head.
    pub fn canvas(&self, arguments: &[&str]) -> String {
        let run = self.world.canvas(arguments);
        assert_eq!(run.code, Some(0), "{}", run.report());
        self.world.head()
    }

    /// Runs the program as it is called, and judges a refusal as every refusal is judged.
    pub fn run(&self, arguments: &[&str]) -> Run {
        let mut command = self.world.program("canvas-coherence");
        command.args(arguments);
        let run = finish(command, display("bin/canvas-coherence", arguments));
        if run.code != Some(0) {
            let refusal = self.refusal(&run);
            refusal::check_truth(&refusal, &self.world, None)
                .unwrap_or_else(|error| panic!("{error}\n{}", run.report()));
        } else {
            assert!(run.stderr.is_empty(), "{}", run.report());
        }
        run
    }

    /// Checks `t1` at its head with a shell script.
    pub fn check(&self, script: &str) -> Run {
        self.check_at(&self.world.head(), script)
    }

    /// Checks `t1` at a trigger with a shell script.
    pub fn check_at(&self, trigger: &str, script: &str) -> Run {
        self.run(&["t1", "--trigger", trigger, "--model-command", "sh", "-c", script])
    }

    pub fn refusal(&self, run: &Run) -> Refusal {
        refusal::parse(run, "canvas-coherence")
            .unwrap_or_else(|error| panic!("{error}\n{}", run.report()))
    }

    /// A run that must be refused, printing nothing and changing nothing.
    pub fn refused(&self, code: i32, run: impl FnOnce(&Desk) -> Run) -> (Run, Refusal) {
        let before = Snapshot::take(&self.world);
        let run = run(self);
        assert_eq!(run.code, Some(code), "{}", run.report());
        assert!(run.stdout.is_empty(), "{}", run.report());
        let refusal = self.refusal(&run);
        if let Some(difference) = before.difference(&Snapshot::take(&self.world)) {
            panic!("{difference}\n{}", run.report());
        }
        (run, refusal)
    }

    /// A run that must be refused after the adapter was given its request.
    pub fn refused_with_request(
        &self,
        code: i32,
        run: impl FnOnce(&Desk) -> Run,
    ) -> (Run, Refusal) {
        let refused = self.refused(code, run);
        assert!(self.asked().is_some(), "the adapter was not started\n{}", refused.0.report());
        refused
    }

    /// A run that must be refused before the adapter is started.
    pub fn refused_early(&self, code: i32, run: impl FnOnce(&Desk) -> Run) -> (Run, Refusal) {
        let _ = self.asked();
        let refused = self.refused(code, run);
        assert_eq!(self.asked(), None, "the adapter was started\n{}", refused.0.report());
        refused
    }
}

/// The text of a file below the root of a world.
pub fn text(desk: &Desk, path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(desk.world.root().join(path)).unwrap()
}
