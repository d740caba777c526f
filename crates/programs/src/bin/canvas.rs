//! `canvas`: the store on the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    programs::process::main(&programs::canvas::TOOL)
}
