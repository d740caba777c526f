//! Identifiers nobody has had before (canvas-store §§1.3, 2.2).

use crate::refusal::{Exit, Next, Refusal, Subject};

/// How many draws are made before giving up.
pub const ATTEMPTS: u32 = 100;
/// The first character of a node id.
const FIRST: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";
/// The other three: nothing that is easily taken for something else.
const OTHER: &[u8; 31] = b"abcdefghjkmnpqrstuvwxyz23456789";
/// How many node ids there are.
const SPACE: u32 = 26 * 31 * 31 * 31;

/// A node id that `free` accepts, or none after [`ATTEMPTS`] draws.
///
/// # Errors
/// What `free` failed with.
pub fn node_id<E>(free: impl Fn(&str) -> Result<bool, E>) -> Result<Option<String>, E> {
    for _ in 0..ATTEMPTS {
        if let Some(id) = draw().map(spell)
            && free(&id)?
        {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// A number below [`SPACE`], every one as likely as the others.
fn draw() -> Option<u32> {
    // Numbers past the last whole multiple of the space would favour the small ones.
    let fair = u32::MAX - u32::MAX % SPACE;
    (0..64)
        .find_map(|_| getrandom::u32().ok().filter(|number| *number < fair))
        .map(|number| number % SPACE)
}

fn spell(number: u32) -> String {
    let mut rest = number;
    let mut id = String::with_capacity(4);
    id.push(char::from(FIRST[(rest % 26) as usize]));
    rest /= 26;
    for _ in 0..3 {
        id.push(char::from(OTHER[(rest % 31) as usize]));
        rest /= 31;
    }
    id
}

/// `canvas-` and sixteen random bytes in hex.
pub fn canvas_id() -> Result<String, Refusal> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Refusal::new(
            Exit::Tool,
            format!("this machine gives no random numbers: {error}"),
            Subject::about("command", "canvas create"),
            Next::new(
                "name the canvas: `canvas create <canvas-id> --problem TEXT --expected-value TEXT`",
            ),
        )
    })?;
    Ok(bytes.iter().fold(String::from("canvas-"), |id, byte| format!("{id}{byte:02x}")))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_number_spells_another_id_of_the_right_shape() {
        let ids: HashSet<String> = (0..SPACE).map(spell).collect();
        assert_eq!(ids.len(), 774_566);
        assert!(ids.iter().all(|id| canvas_document::is_node_id(id) && id != "root"));
        assert!(ids.contains("head"));
    }

    #[test]
    fn a_taken_id_is_drawn_again_and_a_full_space_gives_none() {
        let draw = |free: fn(&str) -> bool| node_id(|id| Ok::<_, ()>(free(id))).unwrap();
        assert!(draw(|_| true).is_some());
        assert_eq!(draw(|_| false), None);
        assert!(canvas_document::is_node_id(&draw(|id| id > "m").unwrap()));
        assert_eq!(node_id(|_| Err("broken")), Err("broken"));
    }
}
