//! `--thread` and `--process`: the threads and processes that a query selects.

use anyhow::{Result, bail};
use traceloom_trace::{NO_NUMBER, ProcessId, RowId, ThreadId, Trace};

use crate::print::plain;

/// Matches names and numbers. A query selects the exact name or number if it exists, otherwise
/// every name that contains it.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    queries: Vec<(&'a str, bool)>,
}

impl<'a> Wanted<'a> {
    /// Prepares queries for these names with their tids or pids. `absent` may explain further why a
    /// query selects nothing.
    ///
    /// # Errors
    /// If a query selects nothing. The message lists the available names.
    pub(crate) fn of(
        what: &str,
        queries: &'a [String],
        keys: &[(&str, i64)],
        absent: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        let any = |query: &str, exact| {
            let mut keys = keys.iter();
            keys.any(|(name, number)| matches(query, exact, name, *number))
        };
        let mut known = Vec::new();
        for query in queries {
            let exact = any(query, true);
            if !exact && !any(query, false) {
                match absent(query) {
                    Some(why) => bail!("--{what} {}: {why}", plain(query)),
                    None => bail!(
                        "--{what} {}: there is none; {}",
                        plain(query),
                        listed(what, keys)
                    ),
                }
            }
            known.push((query.as_str(), exact));
        }
        Ok(Self { queries: known })
    }

    /// Whether this name or number is selected. Without queries, everything is selected.
    pub(crate) fn accept(&self, name: &str, number: i64) -> bool {
        let mut queries = self.queries.iter();
        self.queries.is_empty()
            || queries.any(|(query, exact)| matches(query, *exact, name, number))
    }
}

/// For each thread, whether `--thread` and `--process` select it.
///
/// # Errors
/// Those of [`Wanted::of`].
pub(crate) fn selected_threads(
    trace: &Trace,
    threads: &[String],
    processes: &[String],
) -> Result<Vec<bool>> {
    let thread = |utid: ThreadId| {
        let row = trace.threads.row(utid.row());
        (trace.strings.get(row.name), row.tid)
    };
    let process = |upid: ProcessId| {
        let row = trace.processes.row(upid.row());
        (trace.strings.get(row.name), row.pid)
    };
    let nothing = |_: &str| None;
    let keys: Vec<_> = trace.real_processes().map(process).collect();
    let by_process = Wanted::of("process", processes, &keys, &nothing)?;
    let keys: Vec<_> = trace.real_threads().map(thread).collect();
    let by_thread = Wanted::of("thread", threads, &keys, &nothing)?;
    let mut selected = vec![false; trace.threads.len()];
    for utid in trace.real_threads() {
        let (name, tid) = thread(utid);
        let upid = trace.threads.upid.get(utid.row()).some();
        let (process, pid) = upid.map_or(("", NO_NUMBER), process);
        selected[utid.row()] = by_process.accept(process, pid) && by_thread.accept(name, tid);
    }
    Ok(selected)
}

/// The first of these names that a query matches, as `name (number)`.
pub(crate) fn first_match(query: &str, keys: &[(&str, i64)]) -> Option<String> {
    let found = |exact| {
        let mut keys = keys.iter();
        keys.find(|(name, number)| matches(query, exact, name, *number))
    };
    found(true).or_else(|| found(false)).map(shown)
}

fn matches(query: &str, exact: bool, name: &str, number: i64) -> bool {
    match exact {
        true => query == name || query.parse() == Ok(number),
        false if query.chars().any(char::is_uppercase) => name.contains(query),
        false => name.to_lowercase().contains(query),
    }
}

fn shown((name, number): &(&str, i64)) -> String {
    match *name {
        "" => number.to_string(),
        name => format!("{} ({number})", plain(name)),
    }
}

/// The first few names, for a message. Negative numbers are unknown.
fn listed(what: &str, keys: &[(&str, i64)]) -> String {
    const SHOWN: usize = 12;
    let known = keys
        .iter()
        .filter(|(name, number)| !name.is_empty() || *number >= 0);
    let mut names: Vec<String> = known.map(shown).collect();
    names.sort_unstable();
    names.dedup();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    match (names.is_empty(), more) {
        (true, _) => format!("the trace names no {what}"),
        (_, 0) if names.len() == 1 => format!("there is only {}", names.join(", ")),
        (_, 0) => format!("there are {}", names.join(", ")),
        (_, more) => format!("there are {} and {more} more", names.join(", ")),
    }
}
