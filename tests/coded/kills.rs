//! Writers that are killed at any moment.

use super::{Dice, born, edit, full, refused, sound};
use crate::support::invariants;
use crate::support::world::World;
use std::time::{Duration, Instant};

/// Kills a writer after a random time, again and again. After each kill the next command works,
/// the killed write is there whole or not at all, and nothing of it rides in a later commit.
pub fn killed_writers() {
    let world = World::new();
    let (p, _) = born(&world, "t1");
    let kills = if full() { 500 } else { 60 };
    let start = Instant::now();
    for _ in 0..3 {
        edit(&world, &["replace", "t1", &p, "--text", "x", "--why", "to know how long it takes"]);
    }
    // `edit` judges as well as writes, so this is more than one write takes; the range below covers
    // kills before, during and after.
    let long = (start.elapsed() / 3).min(Duration::from_millis(80));
    let mut dice = Dice::new(0x5eed);
    let mut ended = 0;
    for round in 0..kills {
        let before = invariants::commits(&world).unwrap();
        let text = format!("killed {round}");
        let why = format!("kill {round}");
        let arguments: Vec<&str> = match round % 4 {
            0 => vec!["insert", "t1", "--into", "root", "--text", &text, "--why", &why],
            1 => vec!["replace", "t1", &p, "--text", &text, "--why", &why],
            2 => vec!["move", "t1", &p, "--into", "root", "--why", &why],
            _ => vec!["freeze", "t1", "--why", &why],
        };
        let mut child = world.program("canvas").args(&arguments).spawn().unwrap();
        let micros = u64::try_from(long.as_micros()).unwrap();
        std::thread::sleep(Duration::from_micros(dice.below(micros)));
        child.kill().unwrap();
        ended += usize::from(!child.wait().unwrap().success());

        let read = world.canvas(&["read", "t1"]);
        assert_eq!(read.code, Some(0), "after kill {round} of {arguments:?}\n{}", read.report());
        let after = invariants::commits(&world).unwrap();
        assert!(after.len() <= before.len() + 1, "kill {round} left {} commits", after.len());
        let whole = after.len() > before.len();
        let next =
            world.canvas(&["replace", "t1", &p, "--text", "healed", "--why", "the next one"]);
        if next.code != Some(0) {
            refused(&next);
            panic!("after kill {round} of {arguments:?} the next write fails\n{}", next.report());
        }
        let commits = sound(&world, &["t1"]);
        let grown = commits.len() - before.len();
        // Healing may have finished the killed write; then it is a commit of its own.
        assert!(grown == 1 || grown == 2, "kill {round} and one write made {grown} commits");
        assert!(!whole || grown == 2);
        assert_eq!(commits[0].nodes, [p.as_str()]);
        let shown = world.git_text(&["show", "--format=", "HEAD", "--", "t1.xml"]).unwrap();
        assert!(
            !shown.lines().any(|l| l.starts_with('+') && l.contains(&format!(">{text}<"))),
            "kill {round} of {arguments:?}: the orphan rides in another commit\n{shown}"
        );
        if round % 4 == 0 {
            let document = std::fs::read_to_string(world.canvas_file("t1")).unwrap();
            assert_eq!(document.contains(&format!(">{text}<")), grown == 2, "kill {round}");
        }
    }
    assert!(ended > kills / 10, "hardly a writer was killed: {ended} of {kills}");
}
