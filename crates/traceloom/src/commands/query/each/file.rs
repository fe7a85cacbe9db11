//! The query's answer for one file.

use std::path::Path;

use anyhow::{Context, Result};
use traceloom_analyze::{app_name, device_name};
use traceloom_query::{ResultSet, Value};
use traceloom_trace::Trace;

use super::super::modules::open_session;
use super::job::{APP, Job, PATH};
use crate::input::InputArgs;
use crate::read::read_files;

/// The result of the query for one file.
pub(super) struct Answer {
    /// The values of the file's own columns, the same in each row.
    pub own: Vec<Value>,
    pub result: ResultSet,
}

/// Reads a file and runs the query on it.
///
/// # Errors
/// If the file cannot be read, its path does not have the pattern's form, or the query fails. The message names the file.
pub(super) fn answer(job: &Job<'_>, path: &Path) -> Result<Answer> {
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
    let trace = read_files(&[path.to_path_buf()], &job.args.align, &open)?;
    let own = own_values(job, from_path, path, &trace);
    let mut result = ResultSet::default();
    let session = open_session(trace, job.limits, &job.args.sql_modules);
    let mut session = session.with_context(named)?;
    let (name, sql) = (&job.question.name, &job.question.sql);
    session
        .run(name, sql, &job.args.param, &mut result)
        .with_context(named)?;
    Ok(Answer { own, result })
}

/// The values of the file's own columns: those from the trace, then those from the path. A column of the pattern is not
/// read from the trace.
fn own_values(job: &Job<'_>, from_path: Vec<String>, path: &Path, trace: &Trace) -> Vec<Value> {
    let value = |name: &String| match name.as_str() {
        PATH => Some(path.display().to_string()),
        APP => app_name(trace),
        _ => device_name(trace),
    };
    let from_trace = job.own.len() - from_path.len();
    let from_trace = job.own.iter().take(from_trace).map(value);
    let values = from_trace.chain(from_path.into_iter().map(Some));
    values
        .map(|value| value.map_or(Value::Null, Value::Text))
        .collect()
}
