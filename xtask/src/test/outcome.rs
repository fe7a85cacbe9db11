//! The result of a step, as counts of tests.

use std::fmt::{self, Display};

use crate::run::{cargo, check};

/// The numbers of passed, failed and skipped tests of a step.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
    /// The number of passed tests that failed at first.
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

impl Counts {
    /// Reads the last line of a run, as written below.
    pub fn parse(line: &str) -> Option<Self> {
        let mut parts = line.split(", ");
        let mut number = |what| parts.next()?.strip_suffix(what)?.parse().ok();
        Some(Self {
            passed: number(" passed")?,
            failed: number(" failed")?,
            skipped: number(" skipped")?,
            unstable: 0,
        })
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

#[cfg(test)]
mod tests {
    use super::Counts;

    #[test]
    fn the_last_line_is_read_as_it_is_written() {
        let counts = Counts {
            passed: 12,
            failed: 3,
            skipped: 4,
            unstable: 0,
        };
        let read = Counts::parse(&counts.to_string()).unwrap();
        assert_eq!((read.passed, read.failed, read.skipped), (12, 3, 4));
        assert!(Counts::parse("12 passed").is_none());
    }
}
