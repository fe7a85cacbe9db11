//! The engine: a trace, and what was worked out about it so far.

use std::sync::OnceLock;

use traceloom_analyze::timeline::Timeline;
use traceloom_trace::Trace;

use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::error::EngineError;
use crate::frame::Frame;
use crate::ops;
use crate::scope::Scope;
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
        let answer = Ask::parse(question).and_then(|ask| self.dispatch(&ask, cancel));
        answer.unwrap_or_else(|error| Frame::error(&error)).finish()
    }

    fn dispatch(&self, ask: &Ask, cancel: &Cancel) -> Result<Frame, EngineError> {
        let op = ask.op()?;
        match ops::OPS.iter().find(|(name, _)| *name == op) {
            Some((_, answer)) => answer(self, ask, cancel),
            None => Err(EngineError::UnknownOp(op.to_owned())),
        }
    }

    /// The moment that the page calls `ns`, rounded down; ends of the range of times where it lies beyond.
    pub(crate) fn absolute(&self, ns: f64) -> i64 {
        let ns = i128::from(self.origin_ns).saturating_add(ns.floor() as i128);
        ns.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// `ts` relative to the origin, as the page counts: exact to the nanosecond for 104 days.
    pub(crate) fn relative(&self, ts: i64) -> f64 {
        (i128::from(ts) - i128::from(self.origin_ns)) as f64
    }
}
