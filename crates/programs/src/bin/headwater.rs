//! `headwater`: the check layer on the command line.

use std::process::ExitCode;

// A run holds a few dozen small texts for each document, on every thread: this allocator takes a fifth
// off its time (docs: benches/README.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    programs::headwater::main()
}
