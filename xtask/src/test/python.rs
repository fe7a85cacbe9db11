//! The Python package: builds its wheel, installs it into an environment of its own, and runs its tests, with Spark,
//! DuckDB, pandas, Polars, and a notebook of the documentation.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::outcome::{Counts, Outcome};
use crate::run::{cargo, check, command, have, succeeds, target_folder};

/// What the tests need. The versions are fixed, so that a new one does not break them.
const PACKAGES: &[&str] = &[
    "maturin==1.16.0",
    "pytest==9.2.0",
    "pyarrow==26.0.1",
    "pandas==3.1.1",
    "polars==2.1.0",
    "duckdb==2.0.1",
    "perfetto==0.59.1",
    "pyspark==4.3.0",
    "nbclient==0.11.0",
    "nbformat==5.11.1",
    "ipykernel==7.4.0",
];

/// Fails if a package is missing.
const IMPORTS: &str = "import maturin, pytest, pyarrow, pandas, polars, duckdb, perfetto, pyspark, nbclient, nbformat, ipykernel";

/// Builds the wheel and runs its tests. They are skipped if Python or the packages from PyPI are missing.
pub fn run() -> Counts {
    if !have("python3") {
        let why = "python3 is missing (Debian package: python3 python3-venv): no tests of the Python package";
        return Outcome::Skipped(why.to_owned()).into();
    }
    let folder = target_folder().join("pytraceloom");
    let environment = folder.join("venv");
    if !is_ready(&environment) {
        let why = format!(
            "packages of PyPI are missing (pip install {}): no tests of the Python package",
            PACKAGES.join(" ")
        );
        return Outcome::Skipped(why).into();
    }
    match build_and_test(&folder, &environment) {
        Ok(counts) => counts,
        Err(error) => Outcome::Failed(format!("{error:#}")).into(),
    }
}

/// Installs the packages into the environment, unless they are there or nothing is to be installed.
fn is_ready(environment: &Path) -> bool {
    let is_there = || succeeds(program(environment, "python3", &["-c", IMPORTS]));
    let may_install = !std::env::args().any(|arg| arg == "--no-install");
    if !is_there() && may_install {
        let folder = environment.display().to_string();
        succeeds(command("python3", &["-m", "venv", &folder]));
        let install = [&["-m", "pip", "install", "--quiet"], PACKAGES].concat();
        succeeds(program(environment, "python3", &install));
    }
    is_there()
}

fn build_and_test(folder: &Path, environment: &Path) -> Result<Counts> {
    let package = testkit::workspace_root().join("crates/python");
    let manifest = package.join("Cargo.toml").display().to_string();
    let format = ["fmt", "--manifest-path", &manifest, "--", "--check"];
    let mut counts = Counts::from(Outcome::from(check(cargo(&format))));
    let wheel = build(folder, environment, &manifest)?;
    let install = ["-m", "pip", "install", "--quiet", "--no-deps"];
    let wheel = wheel.display().to_string();
    let install = [&install[..], &["--force-reinstall", &wheel]].concat();
    check(program(environment, "python3", &install))?;
    counts.add(tests(environment, &package)?);
    Ok(counts)
}

/// Builds the wheel as quickly as possible: it is not the one that is published.
fn build(folder: &Path, environment: &Path, manifest: &str) -> Result<PathBuf> {
    let wheels = folder.join("wheels");
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels)?;
    }
    let out = wheels.display().to_string();
    let args = ["build", "--profile", "dev", "--manifest-path", manifest];
    let mut maturin = program(
        environment,
        "maturin",
        &[&args[..], &["--out", &out]].concat(),
    );
    maturin.env("CARGO_TARGET_DIR", folder.join("cargo"));
    maturin.env(
        "TRACELOOM_ENGINE_TARGET_DIR",
        target_folder().join("engine"),
    );
    check(maturin)?;
    let wheel = std::fs::read_dir(&wheels)?.next();
    Ok(wheel.context("maturin built no wheel")??.path())
}

/// Runs pytest. It prints what it skips, and why.
fn tests(environment: &Path, package: &Path) -> Result<Counts> {
    let folder = package.display().to_string();
    let args = [
        "-m",
        "pytest",
        "-q",
        "-rs",
        "-p",
        "no:cacheprovider",
        &folder,
    ];
    let mut pytest = program(environment, "python3", &args);
    pytest.env("PYTHONDONTWRITEBYTECODE", "1");
    let report = environment.with_file_name("pytest.txt");
    let shell = pytest.stdout(std::fs::File::create(&report)?).status()?;
    let text = std::fs::read_to_string(&report)?;
    let last = text.lines().last().unwrap_or_default();
    let counts = counts(last);
    let shown = if shell.success() { 15 } else { 200 };
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(shown)..]
        .iter()
        .for_each(|line| println!("{line}"));
    if !shell.success() && counts.failed == 0 {
        bail!("pytest: {shell}");
    }
    Ok(counts)
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
    }
}

/// A program of the environment.
fn program(environment: &Path, name: &str, args: &[&str]) -> Command {
    let path = environment.join("bin").join(name).display().to_string();
    let mut command = command(&path, args);
    command.env("VIRTUAL_ENV", environment);
    command
}

#[cfg(test)]
mod tests {
    use super::counts;

    #[test]
    fn the_last_line_of_pytest_is_read() {
        let all = counts("2 failed, 50 passed, 1 skipped, 3 errors in 20.5s");
        assert_eq!((all.passed, all.failed, all.skipped), (50, 5, 1));
        let some = counts("7 passed in 0.12s");
        assert_eq!((some.passed, some.failed, some.skipped), (7, 0, 0));
        assert_eq!(counts("no tests ran in 0.01s").passed, 0);
    }
}
