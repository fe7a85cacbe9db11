//! The result of a step, as counts of tests.

use std::fmt::{self, Display};

use crate::run::{cargo, check};

/// How many tests of a step passed, failed and were skipped.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
    /// Those of `passed` that failed first.
    pub unstable: usize,
}

impl Counts {
    /// Adds the counts of another step.
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.unstable += other.unstable;
    }
}

/// The last line of a run. Programs parse it too.
impl Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            passed,
            failed,
            skipped,
            ..
        } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

/// The result of a step that counts as one test.
pub enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
}

/// Prints the reason of a failure or a skip.
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
            unstable: 0,
        }
    }
}

impl<E: Display> From<Result<(), E>> for Outcome {
    fn from(result: Result<(), E>) -> Self {
        match result {
            Ok(()) => Self::Passed,
            Err(error) => Self::Failed(format!("{error:#}")),
        }
    }
}

/// Runs cargo as a step that counts as one test.
pub fn cargo_step(args: &[&str]) -> Counts {
    Outcome::from(check(cargo(args))).into()
}
