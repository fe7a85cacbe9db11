//! The part of the trace that a question is about.

use serde::Deserialize;
use traceloom_analyze::{TimeRange, Transform};
use traceloom_trace::{ProcessId, RowId, SourceId, ThreadId, Trace};

use crate::error::{Answered, EngineError};
use crate::times::Origin;

/// The maximum number of transforms. Each of them makes another tree.
const MOST_TRANSFORMS: usize = 64;

/// The fields of a question that narrow its scope. Missing fields do not narrow it.
#[derive(Deserialize)]
pub(crate) struct ScopeFields {
    /// Ns relative to the page's origin.
    from: Option<f64>,
    to: Option<f64>,
    threads: Option<Vec<u32>>,
    process: Option<u32>,
    source: Option<u32>,
    transforms: Option<Vec<Transform>>,
}

impl ScopeFields {
    /// The scope of the question. `end_ns` is the end of the trace, on its clock.
    ///
    /// # Errors
    /// If there are too many transforms.
    pub fn scope(self, origin: Origin, end_ns: i64) -> Answered<Scope> {
        let transforms = self.transforms.unwrap_or_default();
        if transforms.len() > MOST_TRANSFORMS {
            let (count, most) = (transforms.len(), MOST_TRANSFORMS);
            return Err(EngineError::TooManyTransforms { count, most }.into());
        }
        let mut threads = self.threads;
        if let Some(threads) = &mut threads {
            threads.sort_unstable();
            threads.dedup();
        }
        // A range that contains everything is no restriction.
        let duration = origin.relative(end_ns);
        let from = self.from.filter(|from| *from > 0.0);
        let to = self.to.filter(|to| *to < duration);
        let at = |ns: f64| origin.absolute(ns.round());
        let range = (from.is_some() || to.is_some()).then(|| TimeRange {
            from_ns: from.map_or(i64::MIN, at),
            to_ns: to.map_or(i64::MAX, at),
        });
        Ok(Scope {
            range,
            threads,
            process: self.process,
            source: self.source,
            transforms,
        })
    }
}

/// A time range, some threads, a process, a source. Each of them narrows a question.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Scope {
    /// On the trace's own clock; `None` means all time.
    pub range: Option<TimeRange>,
    /// Rows of the thread table, sorted; `None` means all threads.
    pub threads: Option<Vec<u32>>,
    /// A row of the process table.
    pub process: Option<u32>,
    /// A row of the source table.
    pub source: Option<u32>,
    /// Changes of the call tree, one after the other. Only the profile has them.
    pub transforms: Vec<Transform>,
}

impl Scope {
    /// The same scope, limited to one source.
    pub fn in_source(&self, source: u32) -> Self {
        Self {
            source: Some(source),
            ..self.clone()
        }
    }

    /// Whether each track belongs to the scope; `None` if all tracks do.
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

    /// Whether a thread belongs to the scope. Without a `utid`, whether the process belongs to it.
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
