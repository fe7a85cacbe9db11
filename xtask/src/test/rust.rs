//! The tests of the workspace, in two groups: tests that record the running kernel, and all others.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde_json::Value;

use super::outcome::{Counts, Outcome};
use super::{output, static_programs};
use crate::run::{cargo, printed};

/// The test programs that record the running kernel. They take turns, and mostly wait for it.
const KERNEL: &[&str] = &["capture", "device", "in_app", "marks"];

/// The lints have the same features, so that both share build scripts and dependencies.
const WORKSPACE: &[&str] = &["test", "--workspace", "--all-features", "--no-fail-fast"];

/// Compiles the tests of this module and of the static programs. Compile errors are reported by the
/// steps that run the tests.
pub fn compile() {
    _ = cargo(WORKSPACE).args(["--no-run", "--quiet"]).status();
    static_programs::compile();
}

/// Runs the tests that record the kernel: first in the workspace, then in the static programs.
pub fn kernel() -> Counts {
    let programs = KERNEL.iter().flat_map(|name| ["--test", name]);
    let mut counts = run_with(programs.collect(), "test-kernel.log");
    counts.add(static_programs::kernel());
    counts
}

/// Runs all other tests of the workspace.
pub fn others() -> Counts {
    match test_programs() {
        Ok(names) => {
            let others = names.iter().filter(|name| !KERNEL.contains(&name.as_str()));
            let others = others.flat_map(|name| ["--test", name]);
            let units = ["--lib", "--bins", "--examples"];
            let mut counts = run_with(units.into_iter().chain(others).collect(), "test.log");
            counts.add(run_with(vec!["--doc"], "test-docs.log"));
            counts
        }
        Err(error) => Outcome::Failed(format!("{error:#}")).into(),
    }
}

fn run_with(which: Vec<&str>, log: &str) -> Counts {
    output::run_tests(&[WORKSPACE, &which].concat(), log)
}

/// The names of the workspace's test programs.
fn test_programs() -> Result<BTreeSet<String>> {
    let metadata = printed(cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let targets = packages.iter().filter_map(|one| one["targets"].as_array());
    let tests = targets
        .flatten()
        .filter(|target| target["kind"][0] == "test");
    Ok(tests
        .filter_map(|target| Some(target["name"].as_str()?.to_owned()))
        .collect())
}
