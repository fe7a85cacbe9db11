//! The part of the trace a question is about.

use traceloom_analyze::TimeRange;
use traceloom_trace::SmallSort;
use traceloom_trace::{ProcessId, RowId, SourceId, ThreadId, Trace};

use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::Answered;

/// A stretch of time, some threads, a process, an input: whatever a question narrows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Scope {
    /// On the trace's own clock; `None` for all time.
    pub range: Option<TimeRange>,
    /// Rows of the thread table, in order; `None` for all.
    pub threads: Option<Vec<u32>>,
    /// A row of the process table.
    pub process: Option<u32>,
    /// A row of the source table.
    pub source: Option<u32>,
}

impl Scope {
    /// The scope that a question names.
    pub fn of(engine: &Engine, ask: &Ask) -> Answered<Self> {
        let mut threads = ask.maybe("threads", Ask::u32s)?;
        if let Some(threads) = &mut threads {
            threads.small_sort_unstable();
            threads.dedup();
        }
        Ok(Self {
            range: range(engine, ask)?,
            threads,
            process: ask.maybe("process", Ask::u32)?,
            source: ask.maybe("source", Ask::u32)?,
        })
    }

    /// The same, of one input.
    pub fn in_source(&self, source: u32) -> Self {
        Self {
            source: Some(source),
            ..self.clone()
        }
    }

    /// For each track whether it belongs to the scope; `None` where all do.
    pub fn tracks(&self, trace: &Trace) -> Option<Vec<bool>> {
        if self.threads.is_none() && self.process.is_none() && self.source.is_none() {
            return None;
        }
        let in_scope = |track: traceloom_trace::TrackRow| {
            let upid = match track.utid.some() {
                Some(utid) => process_of(trace, utid),
                None => track.upid,
            };
            self.has(track.utid, upid, track.source)
        };
        Some(trace.tracks.rows().map(in_scope).collect())
    }

    /// Whether what a thread did belongs to the scope, or a process where it is of no thread.
    pub fn has(&self, utid: ThreadId, upid: ProcessId, source: SourceId) -> bool {
        let threads = self.threads.as_ref();
        threads.is_none_or(|threads| threads.binary_search(&utid.0).is_ok())
            && self.process.is_none_or(|wanted| wanted == upid.0)
            && self.source.is_none_or(|wanted| wanted == source.0)
    }
}

fn process_of(trace: &Trace, utid: ThreadId) -> ProcessId {
    if utid.row() < trace.threads.len() {
        trace.threads.upid.get(utid.row())
    } else {
        ProcessId::NONE
    }
}

/// `None` where the range holds everything.
fn range(engine: &Engine, ask: &Ask) -> Answered<Option<TimeRange>> {
    let duration = engine.relative(engine.trace.bounds.1);
    let from = ask.maybe("from", Ask::f64)?.filter(|from| *from > 0.0);
    let to = ask.maybe("to", Ask::f64)?.filter(|to| *to < duration);
    let at = |ns: f64| engine.absolute(ns.round());
    Ok((from.is_some() || to.is_some()).then(|| TimeRange {
        from_ns: from.map_or(i64::MIN, at),
        to_ns: to.map_or(i64::MAX, at),
    }))
}
