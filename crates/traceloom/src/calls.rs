//! From a file to its calling-context tree, with the choices that commands on it share.

use std::path::Path;

use anyhow::{Result, bail};
use traceloom_analyze::{CallTree, CallTreeBuilder, Measure, TreeOptions, TreeThread};

use crate::input::{InputArgs, read_method_events, read_trace};
use crate::print::plain;

/// A clock to measure calls by.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockArg {
    /// Time on a CPU
    Cpu,
    /// Real time
    Wall,
}

impl ClockArg {
    fn measure(self) -> Measure {
        match self {
            Self::Cpu => Measure::Cpu,
            Self::Wall => Measure::Wall,
        }
    }

    /// The word on the command line and in JSON.
    pub fn word(measure: Measure) -> &'static str {
        match measure {
            Measure::Cpu => "cpu",
            _ => "wall",
        }
    }
}

/// Reads the tree of any trace: of a method trace straight from its records, else of the slices.
///
/// # Errors
/// As [`read_trace`]; and if nothing in the trace has a duration.
pub fn read_calls(path: &Path, args: &InputArgs) -> Result<CallTree> {
    let mut builder = CallTreeBuilder::new(None);
    // A mapping renames a trace's tables; without one, method traces need none.
    let tree = if args.mapping.is_none() && read_method_events(path, args, &mut builder)? {
        builder.build()
    } else {
        CallTree::from_trace(&read_trace(path, args)?, &TreeOptions::default())
    };
    if tree.nodes.len() <= tree.threads.len() {
        bail!("{}: no calls and no slices in it", path.display());
    }
    Ok(tree)
}

/// The clock to use: the one asked for, else wall time, else CPU time.
///
/// # Errors
/// If a tree lacks the clock.
pub fn choose_clock(asked: Option<ClockArg>, trees: &[&CallTree]) -> Result<Measure> {
    let all_have = |measure| trees.iter().all(|tree| tree.clocks.has(measure));
    if let Some(asked) = asked {
        if !all_have(asked.measure()) {
            let word = ClockArg::word(asked.measure());
            bail!("--clock {word}: not every trace here was recorded with that clock");
        }
        return Ok(asked.measure());
    }
    match [Measure::Wall, Measure::Cpu]
        .into_iter()
        .find(|&clock| all_have(clock))
    {
        Some(clock) => Ok(clock),
        None => bail!(
            "the traces have no clock in common: some have wall time only, some CPU time only"
        ),
    }
}

/// Keeps the threads that `wanted` names: by number, by name, or by part of a name.
///
/// # Errors
/// If there is no such thread; the message lists those there are.
pub fn keep_threads(tree: &mut CallTree, wanted: &[String]) -> Result<()> {
    if wanted.is_empty() {
        return Ok(());
    }
    for name in wanted {
        if !tree.threads.iter().any(|thread| names(thread, name)) {
            let all: Vec<String> = tree.threads.iter().map(TreeThread::label).collect();
            bail!("no thread {name:?}; there are: {}", plain(&all.join(", ")));
        }
    }
    tree.keep_threads(|thread| wanted.iter().any(|name| names(thread, name)));
    Ok(())
}

fn names(thread: &TreeThread, wanted: &str) -> bool {
    match wanted.parse::<i64>() {
        Ok(tid) if thread.tid == tid => true,
        _ => thread
            .label()
            .to_lowercase()
            .contains(&wanted.to_lowercase()),
    }
}
