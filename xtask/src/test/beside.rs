//! Steps that run beside the others.
//!
//! The tests that record this machine wait for its kernel most of the time. Meanwhile, a second process with the lowest
//! priority compiles what has a build folder of its own.

use std::env::current_exe;
use std::fs::File;
use std::path::PathBuf;
use std::process::Child;

use anyhow::{Context, Result, bail};

use super::outcome::{Counts, Outcome};
use crate::run::{command, target_folder};

/// The names of the steps. None of them uses cargo's usual build folder, whose lock would make the other steps wait.
pub const STEPS: &[&str] = &["platforms", "wheel", "fuzz-targets"];

/// The second process.
pub struct Beside {
    child: Child,
    output: PathBuf,
}

impl Beside {
    /// Starts `cargo xtask test` for [`STEPS`].
    ///
    /// # Errors
    /// If `nice` is missing or the file of the output cannot be created.
    pub fn start() -> Result<Self> {
        let program = current_exe()?.display().to_string();
        let folder = target_folder().join("xtask");
        std::fs::create_dir_all(&folder)?;
        let output = folder.join("beside.log");
        let file = File::create(&output)?;
        let nice = ["-n", "19", &program, "test", "--no-install"];
        let mut nice = command("nice", &[&nice, STEPS].concat());
        let child = nice.stderr(file.try_clone()?).stdout(file).spawn()?;
        Ok(Self { child, output })
    }

    /// Waits until the steps are done, and prints their output.
    pub fn finish(started: Result<Self>) -> Counts {
        match started.and_then(Self::output_and_counts) {
            Ok(counts) => counts,
            Err(error) => Outcome::Failed(format!("{error:#}")).into(),
        }
    }

    fn output_and_counts(mut self) -> Result<Counts> {
        let status = self.child.wait()?;
        let text = std::fs::read_to_string(&self.output)?;
        let (steps, sum) = text.trim_end().rsplit_once('\n').unwrap_or_default();
        println!("{steps}");
        let counts = Counts::parse(sum).with_context(|| format!("{sum:?} is no sum"))?;
        if !status.success() && counts.failed == 0 {
            bail!("{status}");
        }
        Ok(counts)
    }
}
