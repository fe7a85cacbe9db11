//! JSON for all outputs. The keys are stable; times are nanoseconds.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;
use traceloom_analyze::{
    GroupBy, Measure, MethodReport, OverheadReport, ProfileRow, RepairNote, Times, TreeClocks,
    TreeView,
};

use super::shown::Shown;

/// The common head of all outputs.
#[derive(Serialize)]
struct Head<'a> {
    file: String,
    /// The threads included.
    threads: Vec<String>,
    calls: u64,
    /// The slices left out because they belong to no thread.
    other_slices: u64,
    clocks: TreeClocks,
    /// The clock by which rows are ranked.
    clock: &'static str,
    by: GroupBy,
    total: Times,
    /// The time of the threads outside of all calls.
    outside: Times,
    #[serde(skip_serializing_if = "Option::is_none")]
    corrected_overhead: Option<OverheadReport>,
    repairs: &'a [RepairNote],
}

#[derive(Serialize)]
struct Output<'a, T> {
    #[serde(flatten)]
    head: Head<'a>,
    #[serde(flatten)]
    body: T,
}

#[derive(Serialize)]
struct Rows<'a> {
    rows: &'a [&'a ProfileRow],
    /// Rows left out by the limit.
    more: usize,
}

#[derive(Serialize)]
struct Tree<'a> {
    tree: &'a TreeView,
}

#[derive(Serialize)]
struct Method<'a> {
    method: &'a MethodReport,
}

/// The measures, with their names in keys and headings.
pub(super) fn measures(shown: &Shown<'_>) -> Vec<(Measure, &'static str)> {
    let all = [
        (Measure::Cpu, "cpu"),
        (Measure::Wall, "wall"),
        (Measure::Runnable, "runnable"),
        (Measure::Sleeping, "sleeping"),
        (Measure::Uninterruptible, "uninterruptible"),
    ];
    let mut measures = all.to_vec();
    measures.retain(|(measure, _)| shown.tree.clocks.has(*measure));
    measures
}

pub(super) fn rows(out: &mut dyn Write, shown: &Shown<'_>, rows: &[&ProfileRow]) -> Result<()> {
    let more = shown.profile.rows.len() - rows.len();
    write(out, shown, Rows { rows, more })
}

pub(super) fn tree(out: &mut dyn Write, shown: &Shown<'_>, tree: &TreeView) -> Result<()> {
    write(out, shown, Tree { tree })
}

pub(super) fn method(out: &mut dyn Write, shown: &Shown<'_>, method: &MethodReport) -> Result<()> {
    write(out, shown, Method { method })
}

fn write(out: &mut dyn Write, shown: &Shown<'_>, body: impl Serialize) -> Result<()> {
    let head = Head {
        file: shown.args.file.display().to_string(),
        threads: shown
            .tree
            .threads
            .iter()
            .map(|thread| thread.label())
            .collect(),
        calls: shown.tree.calls_of_threads(),
        other_slices: shown.tree.other_slices,
        clocks: shown.tree.clocks,
        clock: match shown.profile.clock() {
            Measure::Cpu => "cpu",
            _ => "wall",
        },
        by: shown.profile.by,
        total: shown.profile.total,
        outside: shown.profile.outside,
        corrected_overhead: shown.overhead,
        repairs: &shown.profile.repairs,
    };
    serde_json::to_writer_pretty(&mut *out, &Output { head, body })?;
    writeln!(out)?;
    Ok(())
}
