//! The Python package: builds its wheel, installs it into a separate environment, and runs its
//! tests, with Spark, DuckDB, pandas, Polars, and a notebook of the documentation.

use anyhow::{Result, bail};

use super::outcome::{Counts, Outcome};
use super::retries::run_again;
use crate::run::{cargo, check};
use crate::wheel::{Wheels, package};

/// Builds the wheel and runs its tests. They are skipped if Python or the packages from PyPI are missing.
pub fn run() -> Counts {
    let mut counts = formatted();
    counts.add(with_wheels(|wheels| {
        build(wheels)?;
        tests(wheels)
    }));
    counts
}

/// Builds the wheel and runs clippy on it. [`run`] runs its tests.
pub fn wheel() -> Counts {
    with_wheels(|wheels| {
        build(wheels)?;
        let mut clippy = wheels.cargo(&["clippy", "--quiet"]);
        clippy.args(["--", "-D", "warnings"]);
        Ok(Outcome::from(check(clippy)).into())
    })
}

fn with_wheels(work: impl FnOnce(&Wheels) -> Result<Counts>) -> Counts {
    let result = match Wheels::new() {
        Ok(wheels) => work(&wheels),
        Err(why) => {
            let why = format!("{why}: no tests of the Python package");
            Ok(Outcome::Skipped(why).into())
        }
    };
    result.unwrap_or_else(|error| Outcome::Failed(format!("{error:#}")).into())
}

fn formatted() -> Counts {
    let manifest = package().join("Cargo.toml").display().to_string();
    let format = ["fmt", "--manifest-path", &manifest, "--", "--check"];
    Outcome::from(check(cargo(&format))).into()
}

/// A profile that builds quickly. This wheel is not published.
fn build(wheels: &Wheels) -> Result<()> {
    wheels.build("dev").map(drop)
}

/// Runs pytest.
fn tests(wheels: &Wheels) -> Result<Counts> {
    let (mut counts, failed) = run_pytest(wheels, &[package().display().to_string()])?;
    run_again(&mut counts, &failed, |names| {
        let ids: Vec<String> = names.iter().map(|name| id(name)).collect();
        run_pytest(wheels, &ids).is_ok_and(|(again, _)| again.failed == 0)
    });
    Ok(counts)
}

/// Runs these tests. pytest prints what it skips, and why. Returns the names of failed tests, too.
fn run_pytest(wheels: &Wheels, which: &[String]) -> Result<(Counts, Vec<String>)> {
    let args = ["-m", "pytest", "-q", "-rsfE", "--durations=5"];
    let mut pytest = wheels.program("python3", &args);
    pytest.args(["-p", "no:cacheprovider"]).args(which);
    pytest.env("PYTHONDONTWRITEBYTECODE", "1");
    let report = wheels.file("pytest.txt");
    let shell = pytest.stdout(std::fs::File::create(&report)?).status()?;
    let text = std::fs::read_to_string(&report)?;
    let last = text.lines().last().unwrap_or_default();
    let counts = counts(last);
    let shown = if shell.success() { 20 } else { 200 };
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(shown)..]
        .iter()
        .for_each(|line| println!("{line}"));
    if !shell.success() && counts.failed == 0 {
        bail!("pytest: {shell}");
    }
    Ok((counts, failed(&text)))
}

/// The failed tests in pytest's summary: `FAILED tests/test_a.py::test_b - AssertionError`.
fn failed(report: &str) -> Vec<String> {
    let names = report.lines().filter_map(|line| {
        let rest = line
            .strip_prefix("FAILED ")
            .or(line.strip_prefix("ERROR "))?;
        Some(rest.split(" - ").next()?.to_owned())
    });
    names.collect()
}

/// A test's name as an argument, with its path below the package's folder.
fn id(name: &str) -> String {
    package().join(name).display().to_string()
}

/// Reads the last line of pytest: `2 failed, 50 passed, 1 skipped in 20.5s`.
fn counts(line: &str) -> Counts {
    let number = |word: &str| {
        let before = line.split(word).next().filter(|_| line.contains(word));
        let number = before.and_then(|text| text.split_whitespace().last());
        number.and_then(|text| text.parse().ok()).unwrap_or(0)
    };
    Counts {
        passed: number(" passed"),
        failed: number(" failed") + number(" error"),
        skipped: number(" skipped"),
        unstable: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{counts, failed};

    #[test]
    fn the_last_line_of_pytest_is_read() {
        let all = counts("2 failed, 50 passed, 1 skipped, 3 errors in 20.5s");
        assert_eq!((all.passed, all.failed, all.skipped), (50, 5, 1));
        let some = counts("7 passed in 0.12s");
        assert_eq!((some.passed, some.failed, some.skipped), (7, 0, 0));
        assert_eq!(counts("no tests ran in 0.01s").passed, 0);
    }

    #[test]
    fn failed_tests_of_pytest_are_found() {
        let report = "..F\nSKIPPED [1] tests/a.py:3: no x\nFAILED tests/b.py::test_c[1] - assert 1 == 2\n\
                      ERROR tests/b.py::test_d\n1 failed, 1 error in 2s\n";
        assert_eq!(
            failed(report),
            ["tests/b.py::test_c[1]", "tests/b.py::test_d"]
        );
    }
}
