//! `canvas-validate`: whether files are canvases.

use std::process::ExitCode;

fn main() -> ExitCode {
    programs::process::main(&programs::validate::TOOL)
}
