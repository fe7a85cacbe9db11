//! Filters for events.

use std::ops::Range;

use traceloom_trace::{RowId, StringId, ThreadId, Trace};

use crate::partition::first_index_not;
use crate::tree::TimeRange;

/// A filter for the event table. A field that is `None` accepts all rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EventFilter {
    /// A range of the trace clock.
    pub range: Option<TimeRange>,
    /// Names, sorted.
    pub names: Option<Vec<StringId>>,
    /// For each thread of the trace, whether its events are accepted. Events without a thread are
    /// not accepted if this is set.
    pub threads: Option<Vec<bool>>,
    /// CPUs, sorted.
    pub cpus: Option<Vec<u32>>,
}

impl EventFilter {
    /// The rows of the event table that pass, in order of time.
    pub fn rows<'a>(&'a self, trace: &'a Trace) -> impl Iterator<Item = usize> + 'a {
        self.span(trace).filter(|&row| self.accepts(trace, row))
    }

    /// The rows of the event table in the range of time.
    pub fn span(&self, trace: &Trace) -> Range<usize> {
        let events = &trace.ftrace_events;
        match self.range {
            None => 0..events.len(),
            Some(TimeRange { from_ns, to_ns }) => {
                let before =
                    |ts: i64| first_index_not(events.len(), |&row| events.ts.get(row) < ts);
                before(from_ns)..before(to_ns)
            }
        }
    }

    /// Whether it filters only by time.
    pub fn takes_all(&self) -> bool {
        self.names.is_none() && self.threads.is_none() && self.cpus.is_none()
    }

    /// Whether the names, threads and CPUs accept a row.
    #[inline]
    pub fn accepts(&self, trace: &Trace, row: usize) -> bool {
        let events = &trace.ftrace_events;
        let has_name = |names: &Vec<StringId>| names.binary_search(&events.name.get(row)).is_ok();
        let of_thread = |threads: &Vec<bool>| {
            let utid: ThreadId = events.utid.get(row);
            let known = utid.some().and_then(|utid| threads.get(utid.row()));
            known.copied().unwrap_or(false)
        };
        let on_cpu = |cpus: &Vec<u32>| cpus.binary_search(&events.cpu.get(row)).is_ok();
        self.names.as_ref().is_none_or(has_name)
            && self.threads.as_ref().is_none_or(of_thread)
            && self.cpus.as_ref().is_none_or(on_cpu)
    }
}
