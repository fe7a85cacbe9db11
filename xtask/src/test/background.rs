//! Steps that run at the same time as the others. Each group runs in its own process.
//!
//! Many tests mostly wait: for the kernel, for a browser, for Spark. Tests that record have the highest priority, because a
//! recorder that does not run loses events. The page's tests come next, because a browser that does not run answers late.
//! Steps that only compile have the lowest priority.

use std::env::current_exe;
use std::fs::File;
use std::path::PathBuf;
use std::process::Child;

use anyhow::{Context, Result, bail};

use super::outcome::{Counts, Outcome};
use crate::run::{command, succeeds, target_folder};

/// A title, the steps, and how much lower their priority is.
type Group = (&'static str, &'static [&'static str], u8);

/// The steps of the last two groups use the [second build folder](crate::run::second_build_folder), where Cargo runs one
/// compilation at a time.
const GROUPS: &[Group] = &[
    ("kernel", &["kernel"], 0),
    // Some tests of the page record the kernel, too. They wait until no other test does.
    ("page and aarch64", &["page", "aarch64"], 5),
    ("python", &["wheel", "python"], OTHERS),
    ("compilations", &["platforms", "fuzz-targets"], 19),
];

/// The priority of all other steps.
const OTHERS: u8 = 10;

/// Whether the step belongs to a group.
pub fn contains(step: &str) -> bool {
    GROUPS.iter().any(|(_, steps, _)| steps.contains(&step))
}

/// Starts all groups, and lowers the priority of this process and of those that it starts later.
pub fn start() -> Vec<Beside> {
    let all = GROUPS.iter().map(Beside::start).collect();
    let (nice, pid) = (OTHERS.to_string(), std::process::id().to_string());
    if !succeeds(command("renice", &["-n", &nice, "-p", &pid])) {
        println!("renice is missing: all steps have the same priority");
    }
    all
}

/// A group of steps that runs.
pub struct Beside {
    pub title: &'static str,
    child: Result<(Child, PathBuf)>,
}

impl Beside {
    fn start(group: &Group) -> Self {
        Self {
            title: group.0,
            child: spawn(group),
        }
    }

    /// Waits until the steps are done, and prints their output.
    pub fn finish(self) -> Counts {
        match self.child.and_then(output_and_counts) {
            Ok(counts) => counts,
            Err(error) => Outcome::Failed(format!("{error:#}")).into(),
        }
    }
}

/// Starts `cargo xtask test` for the steps. Returns the process and the file of its output.
fn spawn(&(title, steps, nice): &Group) -> Result<(Child, PathBuf)> {
    let program = current_exe()?.display().to_string();
    let folder = target_folder().join("xtask");
    std::fs::create_dir_all(&folder)?;
    let output = folder.join(format!("{title}.log"));
    let file = File::create(&output)?;
    let nice = nice.to_string();
    let test = ["-n", &nice, &program, "test", "--no-install"];
    let mut child = command("nice", &[&test, steps].concat());
    let child = child.stderr(file.try_clone()?).stdout(file).spawn()?;
    Ok((child, output))
}

fn output_and_counts((mut child, output): (Child, PathBuf)) -> Result<Counts> {
    let status = child.wait()?;
    let text = std::fs::read_to_string(&output)?;
    let (steps, sum) = text.trim_end().rsplit_once('\n').unwrap_or_default();
    println!("{steps}");
    let counts = Counts::parse(sum).with_context(|| format!("{sum:?} is no sum"))?;
    if !status.success() && counts.failed == 0 {
        bail!("{status}");
    }
    Ok(counts)
}
