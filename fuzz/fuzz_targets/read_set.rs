#![no_main]

#[path = "../entries.rs"]
#[allow(dead_code, reason = "each target runs one entry")]
mod entries;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| entries::read_set(bytes));
