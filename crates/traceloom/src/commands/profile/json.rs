//! JSON for all outputs. The keys are stable; times are nanoseconds.

use std::cell::Cell;
use std::io::Write;

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use traceloom_analyze::{
    GroupBy, Measure, MethodReport, OverheadReport, ProfileRow, RepairNote, Times, TreeClocks,
    TreeDirection, TreeViewOptions,
};

use super::shown::Shown;

/// The common head of all outputs.
#[derive(Serialize)]
struct Head<'a> {
    file: String,
    /// The threads included.
    threads: Vec<String>,
    /// The number of calls or slices. `None` for samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
    /// The slices left out because they belong to no thread.
    other_slices: u64,
    clocks: TreeClocks,
    /// The clock that ranks the rows.
    clock: &'static str,
    by: GroupBy,
    total: Times,
    /// The time of the threads outside of all calls.
    outside: Times,
    /// The time of slices that never ended, which is not in the total.
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished: Option<Times>,
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
    tree: View<'a>,
}

/// The tree. Its rows are computed while they are written. It has the fields of a `TreeView`.
#[derive(Serialize)]
struct View<'a> {
    direction: TreeDirection,
    total: Times,
    rows: TreeRows<'a>,
    hidden: &'a Cell<usize>,
}

struct TreeRows<'a> {
    shown: &'a Shown<'a>,
    options: &'a TreeViewOptions,
    /// Set when the rows are written.
    hidden: &'a Cell<usize>,
}

impl Serialize for TreeRows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(None)?;
        let (profile, tree) = (self.shown.profile, self.shown.tree);
        let hidden =
            profile.each_tree_row(tree, self.options, |row| rows.serialize_element(&row))?;
        self.hidden.set(hidden);
        rows.end()
    }
}

#[derive(Serialize)]
struct Method<'a> {
    method: &'a MethodReport,
}

/// A measure, its name and its unit in headings.
pub(super) struct MeasureKey {
    pub measure: Measure,
    pub name: &'static str,
    unit: &'static str,
}

impl MeasureKey {
    /// A heading: `inclusive_cpu_ns`.
    pub fn key(&self, kind: &str) -> String {
        format!("{kind}_{}{}", self.name, self.unit)
    }
}

/// The measures of a trace.
pub(super) fn measures(shown: &Shown<'_>) -> Vec<MeasureKey> {
    let all = if shown.counts_samples() {
        vec![(Measure::Cpu, "samples", "")]
    } else {
        vec![
            (Measure::Cpu, "cpu", "_ns"),
            (Measure::Wall, "wall", "_ns"),
            (Measure::Runnable, "runnable", "_ns"),
            (Measure::Sleeping, "sleeping", "_ns"),
            (Measure::Uninterruptible, "uninterruptible", "_ns"),
        ]
    };
    let has = |(measure, ..): &(Measure, _, _)| shown.tree.clocks.has(*measure);
    let measures = all.into_iter().filter(has);
    measures
        .map(|(measure, name, unit)| MeasureKey {
            measure,
            name,
            unit,
        })
        .collect()
}

/// The CSV headings for unfinished times. Empty if every slice ended.
pub(super) fn unfinished_keys(shown: &Shown<'_>) -> Vec<String> {
    match shown.profile.unfinished {
        Some(_) => {
            let measures = measures(shown).into_iter();
            measures.map(|measure| measure.key("unfinished")).collect()
        }
        None => Vec::new(),
    }
}

/// The fields of a row in these columns.
pub(super) fn unfinished_cells(shown: &Shown<'_>, times: &Option<Times>) -> Vec<String> {
    let Some(times) = times else {
        return Vec::new();
    };
    let cell = |key: MeasureKey| times.get(key.measure).unwrap_or(0).to_string();
    measures(shown).into_iter().map(cell).collect()
}

pub(super) fn rows(
    out: &mut dyn Write,
    shown: &Shown<'_>,
    rows: &[&ProfileRow],
) -> anyhow::Result<()> {
    let more = shown.profile.rows.len() - rows.len();
    write(out, shown, Rows { rows, more })
}

pub(super) fn tree(
    out: &mut dyn Write,
    shown: &Shown<'_>,
    options: &TreeViewOptions,
) -> anyhow::Result<()> {
    let hidden = &Cell::new(0);
    let tree = View {
        direction: options.direction,
        total: shown.profile.total,
        rows: TreeRows {
            shown,
            options,
            hidden,
        },
        hidden,
    };
    write(out, shown, Tree { tree })
}

pub(super) fn method(
    out: &mut dyn Write,
    shown: &Shown<'_>,
    method: &MethodReport,
) -> anyhow::Result<()> {
    write(out, shown, Method { method })
}

fn write(out: &mut dyn Write, shown: &Shown<'_>, body: impl Serialize) -> anyhow::Result<()> {
    let head = Head {
        file: shown.args.file.display().to_string(),
        threads: shown
            .tree
            .threads
            .iter()
            .map(|thread| thread.label())
            .collect(),
        calls: (!shown.counts_samples()).then(|| shown.tree.calls_of_threads()),
        other_slices: shown.tree.other_slices,
        clocks: shown.tree.clocks,
        clock: match shown.profile.clock() {
            Measure::Cpu if shown.counts_samples() => "samples",
            Measure::Cpu => "cpu",
            _ => "wall",
        },
        by: shown.profile.by,
        total: shown.profile.total,
        outside: shown.profile.outside,
        unfinished: shown.profile.unfinished,
        corrected_overhead: shown.overhead,
        repairs: &shown.profile.repairs,
    };
    serde_json::to_writer_pretty(&mut *out, &Output { head, body })?;
    writeln!(out)?;
    Ok(())
}
