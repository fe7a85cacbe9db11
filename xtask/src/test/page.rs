//! The page in a real browser: Node drives Chromium. Only these tests need both.

use std::collections::BTreeSet;
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use super::retries::run_again;
use super::{Counts, Outcome};
use crate::run::{cargo, check, command, have, shown};

/// The folder of the page's tests, relative to the workspace.
pub const FOLDER: &str = "crates/view/tests/page";

/// Checks the modules' types and runs the page's tests.
pub fn run() -> Counts {
    let needed = [("node", "nodejs"), ("npm", "npm"), ("chromium", "chromium")];
    for (program, package) in needed {
        if !have(program) {
            let why = format!("{program} is missing (Debian's package {package}): no page tests");
            return Outcome::Skipped(why).into();
        }
    }
    match run_all() {
        Ok(counts) => counts,
        Err(error) => Outcome::Failed(format!("{error:#}")).into(),
    }
}

fn run_all() -> Result<Counts> {
    prepare()?;
    check(npm(&["run", "--silent", "types"]))?;
    let mut counts = Counts::from(Outcome::Passed);
    counts.add(tests()?);
    Ok(counts)
}

/// Installs the libraries of the tests, builds the program, and writes the synthetic traces.
pub fn prepare() -> Result<()> {
    // Packages that npm has downloaded before are not requested again.
    let patient = ["--prefer-offline", "--fetch-retries=5"];
    let quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
    check(npm(&[&["ci"], &patient[..], &quiet].concat()))?;
    // Use the same features as the step before, so that nothing is compiled again.
    let build = ["test", "--no-run", "--quiet", "--test", "info"];
    check(cargo(
        &[&build[..], &["--workspace", "--all-features"]].concat(),
    ))?;
    crate::page_data::run()
}

/// npm in the folder of the page's tests.
fn npm(args: &[&str]) -> std::process::Command {
    let mut npm = command("npm", args);
    npm.current_dir(testkit::workspace_root().join(FOLDER));
    npm
}

fn tests() -> Result<Counts> {
    let (mut counts, failed) = run_files(&[])?;
    run_again(&mut counts, &failed, |files| {
        run_files(files).is_ok_and(|(again, _)| again.failed == 0)
    });
    Ok(counts)
}

/// Runs these files of tests, or all. Returns the files with failures, too.
fn run_files(files: &[String]) -> Result<(Counts, Vec<String>)> {
    let mut node = command(
        "node",
        &["--test", "--test-concurrency=2", "--test-reporter=tap"],
    );
    node.args(files);
    node.current_dir(testkit::workspace_root().join(FOLDER));
    let line = shown(&node);
    let output = node
        .stdout(Stdio::piped())
        .spawn()
        .and_then(|child| child.wait_with_output())
        .with_context(|| format!("cannot start {line}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let counts = count(&text);
    if counts.failed > 0 || !output.status.success() {
        println!("{text}");
    }
    if counts.passed + counts.failed == 0 {
        bail!("{line} ran no test: {}", output.status);
    }
    Ok((counts, failed_files(&text)))
}

/// The files with failures: `location: '/path/file.test.js:12:1'` in the lines after each failed test.
fn failed_files(tap: &str) -> Vec<String> {
    let mut files = BTreeSet::new();
    let mut is_failed = false;
    for line in tap.lines().map(str::trim) {
        if line.starts_with("ok ") || line.starts_with("not ok ") {
            is_failed = line.starts_with("not ok ");
        }
        let location = line.strip_prefix("location: '").filter(|_| is_failed);
        let file = location.and_then(|location| location.split(':').next());
        files.extend(file.map(str::to_owned));
    }
    files.into_iter().collect()
}

/// Reads the sums at the end of the output of Node's test runner.
fn count(tap: &str) -> Counts {
    let sum = |what: &str| -> usize {
        let found = tap.lines().rev().find_map(|line| line.strip_prefix(what));
        found
            .and_then(|digits| digits.trim().parse().ok())
            .unwrap_or(0)
    };
    Counts {
        passed: sum("# pass "),
        failed: sum("# fail ") + sum("# cancelled "),
        skipped: sum("# skipped "),
        unstable: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{count, failed_files};

    #[test]
    fn sums_of_nodes_runner_are_read() {
        let counts =
            count("ok 1 - a\n1..1\n# tests 5\n# pass 3\n# fail 1\n# cancelled 0\n# skipped 1\n");
        assert_eq!((counts.passed, counts.failed, counts.skipped), (3, 1, 1));
    }

    #[test]
    fn the_files_of_failed_tests_are_found() {
        let tap = "# Subtest: a\nok 1 - a\n  ---\n  location: '/t/a.test.js:1:1'\n  ...\n\
                   not ok 2 - b\n  ---\n  location: '/t/b.test.js:7:1'\n  stack: |-\n    x\n  ...\n\
                   not ok 3 - c\n  ---\n  location: '/t/b.test.js:9:1'\n";
        assert_eq!(failed_files(tap), ["/t/b.test.js"]);
    }
}
