//! Profile, frames and diff.

use std::sync::atomic::Ordering;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;
use serde_json::{Value as Json, json};
use traceloom_analyze::frames::{FrameSelection, Frames};
use traceloom_analyze::{
    CallTree, Diff, DiffMetric, Function, GroupBy, Measure, Profile, ProfileOptions, RecordTables,
    TimeRange, TreeOptions,
};

use crate::arrow::Rows;
use crate::flatten::table;
use crate::trace::Trace;

/// The selection to profile.
#[derive(Clone, FromPyObject)]
pub(crate) struct Selection {
    by: String,
    clock: Option<String>,
    /// Names or tids; empty for all.
    threads: Vec<String>,
    /// Names or pids; empty for all.
    processes: Vec<String>,
    start_ns: Option<i64>,
    end_ns: Option<i64>,
    /// Whether samples are counted even if there are calls or slices.
    samples: bool,
    /// The event whose samples are counted; `None` for all.
    event: Option<String>,
}

impl Selection {
    /// The tree of the slices, or of the samples if they are wanted or there are no slices.
    fn tree(&self, trace: &traceloom_trace::Trace) -> PyResult<CallTree> {
        let (range, all_tracks) = (self.range(), false);
        let options = TreeOptions { range, all_tracks };
        let tree = if self.samples || self.event.is_some() {
            self.samples(trace)?
        } else {
            let tree = CallTree::from_trace(trace, &options);
            if tree.nodes.is_empty() {
                self.samples(trace)?
            } else {
                tree
            }
        };
        Ok(self.wanted(tree))
    }

    /// Builds the call tree of the samples, with demangled names of C++ and Rust.
    fn samples(&self, trace: &traceloom_trace::Trace) -> PyResult<CallTree> {
        let tables = RecordTables::new(trace);
        let event = self.event.as_deref();
        let event = event.map(|event| tables.sample_event(trace, event));
        let event = event
            .transpose()
            .map_err(|error| PyValueError::new_err(format!("event: {error}")))?;
        let mut tree = CallTree::from_samples(trace, self.range(), event);
        tree.rename(|function| traceloom_query::demangled(&function.name).map(Function::named));
        Ok(tree)
    }

    fn range(&self) -> Option<TimeRange> {
        (self.start_ns.is_some() || self.end_ns.is_some()).then(|| TimeRange {
            from_ns: self.start_ns.unwrap_or(i64::MIN),
            to_ns: self.end_ns.unwrap_or(i64::MAX),
        })
    }

    /// The tree of the selected threads.
    fn wanted(&self, mut tree: CallTree) -> CallTree {
        let is_wanted = |wanted: &[String], name: &str, number: i64| {
            let number = number.to_string();
            wanted.is_empty() || wanted.iter().any(|it| it == name || *it == number)
        };
        tree.keep_threads(|thread| {
            is_wanted(&self.threads, &thread.name, thread.tid)
                && is_wanted(&self.processes, &thread.process, thread.pid)
        });
        tree
    }

    fn options(&self, trees: &[&CallTree]) -> PyResult<ProfileOptions> {
        let by: GroupBy = named("by", &self.by)?;
        let of_samples = trees.iter().filter(|tree| tree.counts_samples()).count();
        if of_samples > 0 && of_samples < trees.len() {
            return Err(PyValueError::new_err(
                "some traces have samples of a profiler, others have times: they cannot be compared \
                 (samples=True compares the samples of all)",
            ));
        }
        if of_samples > 0 && self.clock.is_some() {
            return Err(PyValueError::new_err(
                "clock: samples of a profiler are counted, not timed",
            ));
        }
        let has = |measure| trees.iter().all(|tree| tree.clocks.has(measure));
        let clock = match self.clock.as_deref() {
            Some("cpu") => Measure::Cpu,
            Some("wall") => Measure::Wall,
            Some(other) => {
                return Err(PyValueError::new_err(format!(
                    "clock is {other}; expected cpu or wall"
                )));
            }
            None => {
                let usual = trees
                    .first()
                    .map_or(Measure::Wall, |tree| tree.clocks.usual());
                if has(usual) { usual } else { Measure::Wall }
            }
        };
        if !has(clock) {
            return Err(PyValueError::new_err("a trace does not have this clock"));
        }
        Ok(ProfileOptions { by, clock })
    }
}

/// A choice by its name.
fn named<T: serde::de::DeserializeOwned>(what: &str, name: &str) -> PyResult<T> {
    let parsed = serde_json::from_value(json!(name));
    parsed.map_err(|error| PyValueError::new_err(format!("{what} is {name}: {error}")))
}

#[pymethods]
impl Trace {
    /// A row for each method or slice name, and facts about all of them as JSON. A trace without methods and slices has
    /// a row for each function in its samples.
    fn profile(&self, py: Python<'_>, selection: Selection) -> PyResult<(Rows, String)> {
        self.on_session(py, move |session| {
            let tree = selection.tree(session.trace())?;
            let profile = Profile::new(&tree, &selection.options(&[&tree])?);
            let facts = json!({
                "by": profile.by,
                "clocks": profile.clocks,
                "total": profile.total,
                "outside": profile.outside,
                "unfinished": profile.unfinished,
                "calls": profile.total.samples.is_none().then(|| tree.calls_of_threads()),
                "other_slices": tree.other_slices,
                "sample_events": tree.sample_events,
                "repairs": profile.repairs,
            });
            Ok((table(&profile.rows)?, facts.to_string()))
        })?
    }

    /// The apps, the frames worst first, and facts about all of them as JSON.
    fn frames(&self, py: Python<'_>, limit: usize) -> PyResult<(Rows, Rows, String)> {
        self.on_session(py, move |session| {
            let trace = session.trace();
            let selection = FrameSelection {
                range: TimeRange::ALL,
                wanted: &|_| true,
                limit,
            };
            let report = Frames::find(trace).report(trace, &selection);
            let facts = json!({
                "vsync_ns": report.vsync_ns,
                "vsync_source": report.vsync_source,
                "deadline_ns": report.deadline_ns,
                "judged": report.judged,
            });
            let start = trace.bounds.0;
            let apps = on_trace_clock(&report.apps, start)?;
            let frames = on_trace_clock(&report.worst, start)?;
            Ok((table(&apps)?, table(&frames)?, facts.to_string()))
        })?
    }
}

/// Makes rows of a report comparable with tables: times are on the trace's clock instead of counting from its start, and
/// ids of rows that do not exist are null instead of `u32::MAX`.
fn on_trace_clock<T: Serialize>(rows: &[T], start: i64) -> PyResult<Vec<Json>> {
    let rows = rows.iter().map(|row| {
        let mut row = serde_json::to_value(row)?;
        with_clock(&mut row, start);
        Ok(row)
    });
    let rows: Result<_, serde_json::Error> = rows.collect();
    rows.map_err(|error| PyValueError::new_err(error.to_string()))
}

fn with_clock(row: &mut Json, start: i64) {
    for (name, value) in row.as_object_mut().into_iter().flatten() {
        match (name.as_str(), value.as_i64()) {
            ("ts" | "end" | "expected_ts" | "expected_end", Some(time)) => {
                *value = time.saturating_add(start).into();
            }
            ("upid" | "utid" | "slice" | "render_slice", Some(row))
                if row == i64::from(u32::MAX) =>
            {
                *value = Json::Null;
            }
            ("verdict", _) => with_clock(value, start),
            _ => {}
        }
    }
}

/// Compares runs of two versions.
#[pyfunction]
pub(crate) fn diff(
    py: Python<'_>,
    base: Vec<PyRef<'_, Trace>>,
    new: Vec<PyRef<'_, Trace>>,
    selection: Selection,
    metric: &str,
) -> PyResult<(Rows, String)> {
    let metric: DiffMetric = named("metric", metric)?;
    let trees = |side: &[PyRef<'_, Trace>]| -> PyResult<Vec<CallTree>> {
        let tree = |trace: &PyRef<'_, Trace>| {
            let selection = selection.clone();
            trace.on_session(py, move |session| selection.tree(session.trace()))?
        };
        side.iter().map(tree).collect()
    };
    let (base, new) = (trees(&base)?, trees(&new)?);
    let all: Vec<&CallTree> = base.iter().chain(&new).collect();
    let options = selection.options(&all)?;
    if metric == DiffMetric::Calls && all.iter().any(|tree| tree.counts_samples()) {
        return Err(PyValueError::new_err("metric is calls: samples have none"));
    }
    let profiles = |side: &[CallTree]| -> Vec<Profile> {
        side.iter()
            .map(|tree| Profile::new(tree, &options))
            .collect()
    };
    let diff = Diff::new(&profiles(&base), &profiles(&new), options.clock, metric);
    let facts = json!({
        "by": diff.by,
        "metric": diff.metric,
        "unit": diff.unit,
        "total": diff.total,
        "unfinished": diff.unfinished,
        "noise_known": diff.has_noise(),
    });
    Ok((table(&diff.rows)?, facts.to_string()))
}

impl Trace {
    /// Allows reading again after Ctrl-C has stopped a reader.
    pub(crate) fn allow_reading(&self) {
        self.options.is_stopped.store(false, Ordering::Relaxed);
    }
}
