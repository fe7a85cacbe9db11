//! The engine: a trace, and what was worked out about it so far.

use std::sync::OnceLock;

use traceloom_analyze::timeline::{NameId, Timeline};
use traceloom_trace::{ArgSetId, NO_DURATION, RowId, StringId, ThreadId, Trace};

use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::error::{Answered, EngineError};
use crate::frame::Frame;
use crate::json::Json;
use crate::ops;
use crate::scope::Scope;
use crate::text::{DETAIL_CHARS, LIST_CHARS};
use crate::trees::Trees;

/// A trace with everything the page may ask about it. Shared between threads; results that are
/// dear are kept.
#[derive(Debug)]
pub struct Engine {
    pub(crate) trace: Trace,
    /// What the page counts times from.
    pub(crate) origin_ns: i64,
    pub(crate) trees: Trees,
    timeline: OnceLock<Timeline>,
}

impl Engine {
    /// An engine for this trace, whose times count from its first event.
    pub fn new(trace: Trace) -> Self {
        let origin_ns = trace.bounds.0;
        Self::with_origin(trace, origin_ns)
    }

    /// An engine whose times count from `origin_ns`: that of the recording of which this trace is
    /// the end, so that a moment has the same time in each such piece.
    pub fn with_origin(trace: Trace, origin_ns: i64) -> Self {
        Self {
            trace,
            origin_ns,
            trees: Trees::default(),
            timeline: OnceLock::new(),
        }
    }

    /// Makes what questions need most, in the order in which a person gets there: the time line,
    /// the totals beside a slice, the profile of everything, ranges. Whoever asks meanwhile waits for no
    /// more than what it needs.
    pub fn prepare(&self) {
        self.timeline().totals(&self.trace);
        drop(self.trees.of(self, &Scope::default()));
        #[cfg(not(target_family = "wasm"))]
        self.timeline().keep_lengths(&self.trace);
    }

    /// Makes the time line alone, for a trace that another will soon replace.
    pub fn prepare_timeline(&self) {
        self.timeline();
    }

    /// Makes room: forgets what was worked out for the scope that was asked for longest ago. It is
    /// worked out again when somebody asks. False if there is nothing to forget but the newest.
    pub fn forget_oldest_scope(&self) -> bool {
        self.trees.forget_oldest()
    }

    pub(crate) fn timeline(&self) -> &Timeline {
        self.timeline.get_or_init(|| Timeline::new(&self.trace))
    }

    /// The trace.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Answers one question, in the form of a [`Frame`]. A question that has no answer gets a
    /// frame with `error`.
    pub fn answer(&self, question: &[u8], cancel: &Cancel) -> Vec<u8> {
        let mut frame = Frame::new();
        match self.dispatch(question, cancel, &mut frame) {
            Ok(()) => frame.finish(),
            Err(error) => Frame::error(&error).finish(),
        }
    }

    fn dispatch(&self, question: &[u8], cancel: &Cancel, frame: &mut Frame) -> Answered {
        let ask = Ask::parse(question, cancel)?;
        let op = ask.text("op")?;
        match ops::OPS.iter().find(|(name, _)| *name == op) {
            Some((_, answer)) => answer(self, &ask, frame),
            None => Err(EngineError::UnknownOp(op.to_owned()).into()),
        }
    }

    /// The moment that the page calls `ns`, rounded down; ends of the range of times where it lies beyond.
    pub(crate) fn absolute(&self, ns: f64) -> i64 {
        let (whole, size) = (ns.floor(), ns.floor().abs() as u64);
        if whole < 0.0 {
            self.origin_ns.saturating_sub_unsigned(size)
        } else {
            self.origin_ns.saturating_add_unsigned(size)
        }
    }

    /// `ts` relative to the origin, as the page counts: exact to the nanosecond for 104 days.
    pub(crate) fn relative(&self, ts: i64) -> f64 {
        let size = ts.abs_diff(self.origin_ns) as f64;
        if ts < self.origin_ns { -size } else { size }
    }

    /// A length for the page: -1 stays.
    pub(crate) fn duration(&self, dur_ns: i64) -> f64 {
        match dur_ns {
            NO_DURATION => -1.0,
            dur => dur as f64,
        }
    }
}

/// What a row of a table is called, as the page shows it in a list.
impl Engine {
    /// Adds the text of a name.
    pub(crate) fn put_label(&self, json: &mut Json, key: &str, name: NameId) {
        json.put_cut(
            key,
            &self.timeline().names.label(&self.trace, name),
            LIST_CHARS,
        );
    }

    /// Adds a thread's name; empty for no thread.
    pub(crate) fn put_thread_label(&self, json: &mut Json, key: &str, utid: ThreadId) {
        let name = utid.some().map(|utid| self.trace.thread_name(utid));
        json.put_cut(key, &name.unwrap_or_default(), LIST_CHARS);
    }

    /// Adds a string of the trace.
    pub(crate) fn put_string(&self, json: &mut Json, key: &str, id: StringId, most: usize) {
        json.put_cut(key, self.trace.strings.get(id), most);
    }

    /// Adds a list of arguments: pairs of key and value.
    pub(crate) fn put_args(&self, json: &mut Json, set: ArgSetId) {
        json.list("args", |json| {
            for (key, value) in self.trace.args.set(set) {
                json.list("", |json| {
                    self.put_string(json, "", key, LIST_CHARS);
                    json.put_cut("", &value.display(&self.trace.strings), DETAIL_CHARS);
                });
            }
        });
    }
}
