//! The part of the trace a question is about.

use traceloom_analyze::TimeRange;
use traceloom_trace::SmallSort;
use traceloom_trace::{RowId, ThreadId, Trace};

use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::EngineError;

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
    pub fn of(engine: &Engine, ask: &Ask) -> Result<Self, EngineError> {
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
        let tracks = trace.tracks.rows();
        Some(
            tracks
                .map(|track| {
                    let upid = match track.utid.some() {
                        Some(utid) => process_of(trace, utid),
                        None => track.upid.0,
                    };
                    let of_thread = |threads: &Vec<u32>| threads.binary_search(&track.utid.0);
                    self.threads.as_ref().is_none_or(|t| of_thread(t).is_ok())
                        && self.process.is_none_or(|wanted| wanted == upid)
                        && self.source.is_none_or(|wanted| wanted == track.source.0)
                })
                .collect(),
        )
    }
}

fn process_of(trace: &Trace, utid: ThreadId) -> u32 {
    match utid.row() < trace.threads.len() {
        true => trace.threads.upid.get(utid.row()).0,
        false => u32::MAX,
    }
}

/// `None` where the range holds everything.
fn range(engine: &Engine, ask: &Ask) -> Result<Option<TimeRange>, EngineError> {
    let origin = engine.origin_ns;
    let at = |ns: f64| (origin as i128).saturating_add(ns.round() as i128);
    let at = |ns: f64| at(ns).clamp(i64::MIN.into(), i64::MAX.into()) as i64;
    let duration = engine.relative(engine.trace.bounds.1);
    let from = ask.maybe("from", Ask::f64)?.filter(|from| *from > 0.0);
    let to = ask.maybe("to", Ask::f64)?.filter(|to| *to < duration);
    Ok((from.is_some() || to.is_some()).then(|| TimeRange {
        from_ns: from.map_or(i64::MIN, at),
        to_ns: to.map_or(i64::MAX, at),
    }))
}
