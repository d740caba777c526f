//! `headwater`: the check layer on the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    programs::headwater::main()
}
