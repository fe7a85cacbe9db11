//! The query's answer for one file.

use std::io;
use std::path::Path;

use anyhow::{Context, Result};
use traceloom_query::{Output, Value, ValueRef};
use traceloom_trace::{ProcessId, RowId, Trace};

use super::super::modules::open_session;
use super::{APP, Job, PATH};
use crate::input::InputArgs;

/// The result of a query in memory.
#[derive(Default)]
pub(super) struct Rows {
    /// The names of the query's columns.
    pub names: Vec<String>,
    /// The values of the file's own columns, the same in each row.
    pub own: Vec<Value>,
    /// The query's values.
    pub rows: Vec<Vec<Value>>,
}

impl Output for Rows {
    fn columns(&mut self, names: &[String]) -> io::Result<()> {
        self.names = names.to_vec();
        Ok(())
    }

    fn row(&mut self, values: &[ValueRef<'_>]) -> io::Result<()> {
        self.rows.push(values.iter().map(owned).collect());
        Ok(())
    }
}

fn owned(value: &ValueRef<'_>) -> Value {
    match *value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(value) => Value::Integer(value),
        ValueRef::Real(value) => Value::Real(value),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    }
}

/// Reads a file and runs the query on it.
///
/// # Errors
/// If the file cannot be read, its path does not have the pattern's form, or the query fails. The message names the file.
pub(super) fn answer(job: &Job<'_>, path: &Path) -> Result<Rows> {
    let named = || path.display().to_string();
    let pattern = job
        .args
        .pattern
        .as_ref()
        .map(|pattern| pattern.values(path))
        .transpose();
    let from_path = pattern.with_context(named)?.unwrap_or_default();
    // The files are read at the same time, so each is read by one thread.
    let open = InputArgs {
        threads: Some(1),
        ..job.args.open.clone()
    };
    let trace = super::super::read_files(&[path.to_path_buf()], job.args, &open)?;
    let mut rows = Rows {
        own: own_values(job, from_path, path, &trace),
        ..Rows::default()
    };
    let session = open_session(trace, job.limits, &job.args.sql_modules);
    let mut session = session.with_context(named)?;
    let (name, sql) = (&job.question.name, &job.question.sql);
    session
        .run(name, sql, &job.args.param, &mut rows)
        .with_context(named)?;
    Ok(rows)
}

/// The values of the file's own columns. Parts of the path replace what the trace says.
fn own_values(job: &Job<'_>, from_path: Vec<String>, path: &Path, trace: &Trace) -> Vec<Value> {
    let value = |name: &String| match name.as_str() {
        PATH => Some(path.display().to_string()),
        APP => app(trace),
        _ => device(trace),
    };
    let told = job.own.len() - from_path.len();
    let told = job.own.iter().take(told).map(value);
    let values = told.chain(from_path.into_iter().map(Some));
    values
        .map(|value| value.map_or(Value::Null, Value::Text))
        .collect()
}

/// The app that the trace is of: the process with the most slices, and a package's name if there is one.
fn app(trace: &Trace) -> Option<String> {
    let mut slices = vec![0u64; trace.processes.len()];
    let upids: Vec<ProcessId> = (0..trace.tracks.len())
        .map(|track| process_of(trace, track))
        .collect();
    for track in trace.slices.track_id.iter() {
        if let Some(upid) = upids.get(track.row()).and_then(|upid| upid.some()) {
            slices[upid.row()] += 1;
        }
    }
    let name = |row: usize| trace.strings.get(trace.processes.name.get(row));
    let named = (0..slices.len()).filter(|&row| slices[row] > 0 && !name(row).is_empty());
    let app = named.max_by_key(|&row| (name(row).contains('.'), slices[row]));
    app.map(|row| name(row).to_owned())
}

/// The process of a track, or that of its thread.
fn process_of(trace: &Trace, track: usize) -> ProcessId {
    match trace.tracks.utid.get(track).some() {
        Some(utid) => trace.threads.upid.get(utid.row()),
        None => trace.tracks.upid.get(track),
    }
}

/// The device on which the trace was recorded, if the trace names it.
fn device(trace: &Trace) -> Option<String> {
    const NAMES: [&str; 2] = ["device", "android_device_model"];
    let mut facts = trace.metadata.rows();
    let fact = facts.find(|fact| NAMES.contains(&trace.strings.get(fact.key)))?;
    Some(trace.strings.get(fact.value).to_owned())
}
