//! tmp
/// Name.
pub fn class_name(_n: u8) -> &'static str {
    "x"
}
