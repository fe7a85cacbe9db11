//! `cargo xtask test`: everything that must hold before a change is taken.

mod emulated;
mod one_piece;
mod output;
pub mod page;
mod patience;
pub mod platforms;
mod setup;

use std::fmt::{self, Display};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::run::{cargo, shown};

/// What a step found.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
}

impl Counts {
    /// Takes in what another step found.
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// The line that closes the run, which programs read as well.
impl Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            passed,
            failed,
            skipped,
        } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

/// What became of a step that has no tests of its own to count.
pub enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
}

impl From<Outcome> for Counts {
    fn from(outcome: Outcome) -> Self {
        let (passed, failed, skipped) = match outcome {
            Outcome::Passed => (1, 0, 0),
            Outcome::Failed(why) => {
                println!("failed: {why}");
                (0, 1, 0)
            }
            Outcome::Skipped(why) => {
                println!("skipped: {why}");
                (0, 0, 1)
            }
        };
        Self {
            passed,
            failed,
            skipped,
        }
    }
}

/// Runs every step, whether or not an earlier one failed, and closes with the sum. True where
/// nothing failed.
pub fn run() -> bool {
    let sum = Arc::new(Mutex::new(Counts::default()));
    patience::end_after_all(&sum);
    let step = |name: &str, work: &dyn Fn() -> Counts| {
        println!("\n── {name}");
        let begun = Instant::now();
        let counts = work();
        let Counts {
            passed,
            failed,
            skipped,
        } = counts;
        let seconds = begun.elapsed().as_secs_f64();
        println!("── {name}: {passed} ok, {failed} failed, {skipped} skipped, {seconds:.0} s");
        sum.lock().expect("no thread panics with it").add(counts);
    };
    step("set-up", &setup::run);
    step("format", &|| cargo_step(&["fmt", "--all", "--", "--check"]));
    step("lints", &|| cargo_step(LINTS));
    step("tests", &|| output::run_tests(TESTS, "test.log"));
    step("the page in a browser", &page::run);
    step("other platforms", &platforms::run);
    step("aarch64", &emulated::run);
    step("programs of one piece", &one_piece::run);
    step("fuzz targets", &platforms::fuzz_targets);
    let sum = *sum.lock().expect("no thread panics with it");
    println!("\n{sum}");
    sum.failed == 0
}

// All features in both, so that what one builds serves the other and nothing is left out.
const LINTS: &[&str] = &[
    "clippy",
    "--workspace",
    "--all-targets",
    "--all-features",
    "--quiet",
    "--",
    "-D",
    "warnings",
];
const TESTS: &[&str] = &["test", "--workspace", "--all-features", "--no-fail-fast"];

fn cargo_step(args: &[&str]) -> Counts {
    let mut command = cargo(args);
    match command.status() {
        Ok(status) if status.success() => Outcome::Passed.into(),
        Ok(status) => Outcome::Failed(format!("{}: {status}", shown(&command))).into(),
        Err(error) => Outcome::Failed(format!("{}: {error}", shown(&command))).into(),
    }
}
