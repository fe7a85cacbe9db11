//! Runs `cargo test` and prints the important part of its output: the result of each test binary, what
//! was skipped, how many real traces were checked, and everything about failures.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

use anyhow::{Context, Result};

use super::outcome::{Counts, Outcome};
use super::retries::run_again;
use super::time_limits::SilenceLimit;
use crate::run::{cargo, check, shown};
use crate::soak::SEED;

/// Runs `cargo test` with `args`. Its whole output is written to the file `log` in `target/xtask`.
pub fn run_tests(args: &[&str], log: &str) -> Counts {
    match stream(args, log) {
        Ok(counts) => counts,
        Err(error) => Outcome::Failed(format!("{error:#}")).into(),
    }
}

fn stream(args: &[&str], log: &str) -> Result<Counts> {
    let (mut counts, failed) = run_once(args, &[], log)?;
    run_again(&mut counts, &failed, |names| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let exact = [&["--exact", "--test-threads=1"], &names[..]].concat();
        let again = run_once(args, &exact, &format!("again-{log}"));
        again.is_ok_and(|(again, _)| again.failed == 0 && again.passed >= names.len())
    });
    Ok(counts)
}

/// Returns the names of failed tests, too. `filter` goes to the test programs.
fn run_once(args: &[&str], filter: &[&str], log: &str) -> Result<(Counts, Vec<String>)> {
    // Before the time limit counts: a slow machine compiles for a long time without output. Cargo cannot do this for
    // the examples in docs.
    if !args.contains(&"--doc") {
        check(cargo(&[args, &["--no-run"]].concat()))?;
    }
    let mut command = cargo(args);
    // Use the same inputs in every run. `cargo xtask soak` tries new ones.
    if std::env::var_os(SEED).is_none() {
        command.env(SEED, "1");
    }
    // Passing tests print what they skipped.
    command.args(["--", "--show-output"]).args(filter);
    let line = shown(&command);
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {line}"))?;
    let mut reader = TestOutput::default();
    let limit = SilenceLimit::with(&child);
    copy(&mut child, &mut reader, log, &limit)?;
    let status = child.wait()?;
    drop(limit);
    let mut counts = reader.counts;
    if !status.success() && counts.failed == 0 {
        counts.add(Outcome::Failed(format!("{line}: {status}")).into());
    }
    Ok((counts, reader.failed))
}

fn copy(child: &mut Child, reader: &mut TestOutput, log: &str, limit: &SilenceLimit) -> Result<()> {
    let folder = testkit::workspace_root().join("target/xtask");
    std::fs::create_dir_all(&folder)?;
    let mut log = File::create(folder.join(log))?;
    let output = child.stdout.take().context("no output to read")?;
    for line in BufReader::new(output).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        limit.restart();
        writeln!(log, "{line}")?;
        if reader.is_worth_showing(&line) {
            println!("{line}");
        }
    }
    Ok(())
}

/// Follows the output of test binaries line by line.
#[derive(Default)]
struct TestOutput {
    counts: Counts,
    /// The names of failed tests.
    failed: Vec<String>,
    /// Inside the output of failing tests.
    in_failures: bool,
}

impl TestOutput {
    /// Counts the results in a line. Returns whether to print the line.
    fn is_worth_showing(&mut self, line: &str) -> bool {
        if let Some(result) = line.strip_prefix("test result: ") {
            self.in_failures = false;
            self.count(result);
            // Test binaries without tests have a line too.
            return !result.contains(" 0 passed; 0 failed; 0 ignored");
        }
        if line == "failures:" {
            self.in_failures = true;
        }
        let note = line.starts_with("skipped:") || line.contains(" real traces checked");
        if line.starts_with("skipped:") {
            self.counts.skipped += 1;
        }
        let failed = line
            .strip_prefix("test ")
            .and_then(|line| line.strip_suffix(" ... FAILED"));
        self.failed.extend(failed.map(str::to_owned));
        let ending = |end: &str| line.starts_with("test ") && line.ends_with(end);
        self.in_failures || note || ending(" FAILED") || ending(" over 60 seconds")
    }

    fn count(&mut self, result: &str) {
        let number = |what: &str| -> usize {
            let before = result.split(what).next().unwrap_or_default();
            let digits = before.trim_end().rsplit(' ').next().unwrap_or_default();
            digits.parse().unwrap_or(0)
        };
        self.counts.passed += number(" passed");
        self.counts.failed += number(" failed");
        self.counts.skipped += number(" ignored");
    }
}

#[cfg(test)]
mod tests {
    use super::TestOutput;

    #[test]
    fn results_are_summed_and_failures_shown() {
        let mut reader = TestOutput::default();
        let shown: Vec<_> = [
            "running 3 tests",
            "test a ... ok",
            "test b ... FAILED",
            "successes:",
            "---- a stdout ----",
            "skipped: no corpus at /x",
            "failures:",
            "---- b stdout ----",
            "thread 'b' panicked",
            "test result: FAILED. 12 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        ]
        .into_iter()
        .filter(|line| reader.is_worth_showing(line))
        .collect();
        assert_eq!(shown.len(), 6, "{shown:?}");
        let counts = reader.counts;
        assert_eq!((counts.passed, counts.failed, counts.skipped), (12, 1, 3));
        assert_eq!(reader.failed, ["b"]);
    }
}
