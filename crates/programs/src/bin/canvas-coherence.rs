//! `canvas-coherence`: what a write made contradictory, asked of a model.

use std::process::ExitCode;

fn main() -> ExitCode {
    programs::process::main(&programs::coherence::TOOL)
}
