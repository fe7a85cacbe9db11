//! Runs failed tests a second time, by themselves.
//!
//! Many tests share one kernel, one browser or one JVM with everything else on the machine. A test that fails in the
//! whole run and passes alone is unstable: its name and its first failure are printed, but it does not fail the run. If
//! more than [`MOST`] tests fail, none is repeated, and the run fails.

use super::outcome::Counts;

/// Maximum number of tests of a step that are run again.
const MOST: usize = 3;

/// Runs the `failed` tests again with `run`, which returns whether all passed. If so, they are counted as passed and
/// unstable.
pub fn run_again<T: AsRef<str>>(counts: &mut Counts, failed: &[T], run: impl FnOnce(&[T]) -> bool) {
    if failed.is_empty() || counts.failed > MOST {
        return;
    }
    let names: Vec<&str> = failed.iter().map(AsRef::as_ref).collect();
    println!("runs again: {}", names.join(", "));
    if run(failed) {
        println!("unstable: {}", names.join(", "));
        counts.unstable += counts.failed;
        counts.passed += counts.failed;
        counts.failed = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::{Counts, run_again};

    fn after(failed: usize, passes: bool) -> (Counts, bool) {
        let mut counts = Counts {
            passed: 10,
            failed,
            ..Counts::default()
        };
        let names = vec!["a test"; failed];
        let mut has_run = false;
        run_again(&mut counts, &names, |_| {
            has_run = true;
            passes
        });
        (counts, has_run)
    }

    #[test]
    fn few_failures_are_repeated_and_count_if_they_stay() {
        let (counts, has_run) = after(2, true);
        assert!(has_run);
        assert_eq!((counts.passed, counts.failed, counts.unstable), (12, 0, 2));
        let (counts, has_run) = after(2, false);
        assert!(has_run);
        assert_eq!((counts.passed, counts.failed, counts.unstable), (10, 2, 0));
    }

    #[test]
    fn many_failures_are_not_repeated() {
        let (counts, has_run) = after(4, true);
        assert!(!has_run);
        assert_eq!((counts.failed, counts.unstable), (4, 0));
        assert!(!after(0, true).1);
    }
}
