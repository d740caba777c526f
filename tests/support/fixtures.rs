//! How a suite lists its fixture files: once, for the tests and for the coverage.

/// A test for each fixture file, each by `run_fixture` of the suite, and the list of the files.
macro_rules! fixtures {
    ($($name:ident => $file:literal;)*) => {
        $(#[test] fn $name() { run_fixture($file) })*
        /// The fixture files that a test runs.
        const FIXTURES: &[&str] = &[$($file),*];
    };
}
