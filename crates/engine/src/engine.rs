//! The engine: a trace, and the results that are cached for it.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use traceloom_analyze::timeline::{NameId, Timeline};
use traceloom_analyze::{WaitReason, WaitText, waker_label};
use traceloom_trace::{ArgSetId, RowId, StringId, ThreadId, Trace};

use crate::ask::Ask;
use crate::error::Answered;
use crate::events::EventLists;
use crate::scope::{Scope, ScopeFields};
use crate::text::{DETAIL_CHARS, LIST_CHARS, cut, shortened};
use crate::times::{self, Origin};
use crate::trees::{ScopeTree, Trees};

/// A trace, and the answers to the page's questions about it. Threads can share it; expensive
/// results are cached.
#[derive(Debug)]
pub struct Engine {
    pub(crate) trace: Arc<Trace>,
    pub(crate) origin: Origin,
    pub(crate) trees: Trees,
    pub(crate) events: EventLists,
    timeline: OnceLock<Timeline>,
}

impl Engine {
    /// Creates an engine whose times count from the trace's first event.
    pub fn new(trace: impl Into<Arc<Trace>>) -> Self {
        let trace = trace.into();
        let origin_ns = trace.bounds.0;
        Self::with_origin(trace, origin_ns)
    }

    /// Creates an engine whose times count from `origin_ns`. If the trace is the newest part of a
    /// recording, this is the start of the recording, so that a point in time has the same value in
    /// every part.
    pub fn with_origin(trace: impl Into<Arc<Trace>>, origin_ns: i64) -> Self {
        Self {
            trace: trace.into(),
            origin: Origin(origin_ns),
            trees: Trees::default(),
            events: EventLists::default(),
            timeline: OnceLock::new(),
        }
    }

    /// Computes the results that questions need most, in the order in which users reach them: the
    /// timeline, the totals next to a slice, the profile of everything, ranges. A question that
    /// arrives in the meantime waits only for the results it needs.
    pub fn prepare(&self) {
        self.timeline().totals(&self.trace);
        drop(self.tree_for_scope(&Scope::default()));
        self.timeline().cache_durations(&self.trace);
    }

    /// Computes only the timeline, for a trace that will soon be replaced by another one.
    pub fn prepare_timeline(&self) {
        self.timeline();
    }

    /// Frees memory: drops the cached results of the least recently used scope. Returns false if
    /// only the most recent one is left.
    pub fn forget_oldest_scope(&self) -> bool {
        self.events.forget() || self.trees.forget_oldest()
    }

    /// The trace.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The trace, for others that keep it.
    pub fn shared_trace(&self) -> Arc<Trace> {
        Arc::clone(&self.trace)
    }

    /// The origin of the page's time, ns on the trace's clock.
    pub fn origin_ns(&self) -> i64 {
        self.origin.0
    }

    pub(crate) fn timeline(&self) -> &Timeline {
        self.timeline.get_or_init(|| Timeline::new(&self.trace))
    }

    /// The call tree of a scope.
    pub(crate) fn tree_for_scope(&self, scope: &Scope) -> Arc<OnceLock<ScopeTree>> {
        let timeline = self.timeline();
        self.trees.tree_for_scope(&self.trace, timeline, scope)
    }

    /// The scope of a question.
    pub(crate) fn scope(&self, ask: &Ask) -> Answered<Scope> {
        let fields: ScopeFields = ask.read()?;
        fields.scope(self.origin, self.trace.bounds.1)
    }

    /// Converts `ns`, as the page counts time, to the trace's clock.
    pub(crate) fn absolute(&self, ns: f64) -> i64 {
        self.origin.absolute(ns)
    }

    /// Converts `ts` to the page's time.
    pub(crate) fn relative(&self, ts: i64) -> f64 {
        self.origin.relative(ts)
    }

    /// Converts a duration for the page; -1 stays -1.
    pub(crate) fn duration(&self, dur_ns: i64) -> f64 {
        times::duration(dur_ns)
    }
}

/// Texts in the form shown in lists and details.
impl Engine {
    /// The text of a name, for a list.
    pub(crate) fn label(&self, name: NameId) -> String {
        shortened(self.timeline().names.label(&self.trace, name), LIST_CHARS)
    }

    /// A thread's name; empty if there is no thread.
    pub(crate) fn thread_label(&self, utid: ThreadId) -> String {
        let name = utid.some().map(|utid| self.trace.thread_name(utid));
        shortened(name.unwrap_or_default(), LIST_CHARS)
    }

    /// The label of a waker: an interrupt, or a thread with its process; empty if unknown.
    pub(crate) fn waker_label(&self, utid: ThreadId) -> String {
        shortened(waker_label(&self.trace, utid), LIST_CHARS)
    }

    /// The reason why a thread waited.
    pub(crate) fn wait_text(&self, why: WaitReason) -> WaitText {
        let wait = why.text(&self.trace);
        WaitText {
            function: shortened(wait.function, LIST_CHARS),
            waker: shortened(wait.waker, LIST_CHARS),
            text: shortened(wait.text, DETAIL_CHARS),
            ..wait
        }
    }

    /// A string of the trace, shortened to `most` characters.
    pub(crate) fn string(&self, id: StringId, most: usize) -> Cow<'_, str> {
        cut(self.trace.strings.get(id), most)
    }

    /// Arguments as pairs of key and value.
    pub(crate) fn args(&self, set: ArgSetId) -> Vec<(Cow<'_, str>, String)> {
        let strings = &self.trace.strings;
        let args = self.trace.args.set(set).map(|(key, value)| {
            let value = shortened(value.display(strings), DETAIL_CHARS);
            (self.string(key, LIST_CHARS), value)
        });
        args.collect()
    }
}
