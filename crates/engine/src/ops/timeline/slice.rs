//! Everything about one slice: the details panel.

use crate::json::{Value, json};
use traceloom_analyze::timeline::{SliceDetails, StateKind, StateTimes};
use traceloom_trace::{NO_DURATION, NO_NUMBER, ProcessId, RowId, SliceId, SourceId, ThreadId};

use super::locate::slice_of;
use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::frame::Frame;
use crate::text::{DETAIL_CHARS, LIST_CHARS, cut};

/// Callers that are listed: the innermost ones.
const MOST_PARENTS: usize = 256;
/// Names of slices within, and things waited for.
const MOST_PARTS: usize = 20;

pub(crate) fn slice(engine: &Engine, ask: &Ask, _: &Cancel) -> Result<Frame, EngineError> {
    let id = slice_of(engine, ask, "id")?;
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let (details, row) = (timeline.slice(trace, id), trace.slices.row(id.row()));
    let (place, _) = timeline.place_of(trace, id);
    let track = trace.tracks.row(row.track_id.row());
    let name = timeline.names.of_slice(id.row());
    let text = |id| cut(trace.strings.get(id), DETAIL_CHARS);
    let label = engine.label(name, DETAIL_CHARS);
    let (parents, hidden) = parents(engine, id);
    let frame = Frame::new()
        .with("id", id.0)
        .with("row", place)
        .with("utid", track.utid.0)
        .with("name", name.0)
        .with("label", &label)
        .with("category", text(row.category))
        .with("ts", engine.relative(details.ts))
        .with("dur", engine.duration(row.dur))
        .with("end", engine.relative(details.end))
        .with("never_ended", row.dur == NO_DURATION)
        .with("self_ns", details.self_ns)
        .with("cpu_ns", details.cpu_ns)
        .with("cpu_self_ns", details.cpu_self_ns)
        .with("share_of_parent", details.share_of_parent)
        .with("share_of_thread", details.share_of_thread)
        .with("args", args(engine, id))
        .with(
            "states",
            details.states.as_ref().map(|states| engine.states(states)),
        )
        .with("parents", parents)
        .with("parents_hidden", hidden)
        .with("children", children(engine, &details))
        .with(
            "repairs",
            repairs(engine, id, &details, track.source, track.utid),
        )
        .with("occurrences", engine.occurrences(name))
        .with("thread", thread(engine, track.utid))
        .with(
            "process",
            process(engine, timeline.process_of(trace, row.track_id)),
        )
        .with("source", track.source.0);
    Ok(method(engine, id, frame))
}

fn method(engine: &Engine, id: SliceId, frame: Frame) -> Frame {
    let trace = &engine.trace;
    let Some(method) = trace.slices.method_id.get(id.row()).some() else {
        return frame;
    };
    let row = trace.methods.row(method.row());
    let text = |id| cut(trace.strings.get(id), DETAIL_CHARS);
    frame
        .with("class", text(row.class).replace('/', "."))
        .with("method", text(row.name))
        .with("signature", text(row.signature))
        .with("file", text(row.file))
        .with("line", row.line)
}

fn args(engine: &Engine, id: SliceId) -> Vec<Value> {
    let trace = &engine.trace;
    let set = trace.args.set(trace.slices.arg_set_id.get(id.row()));
    set.map(|(key, value)| {
        let (key, value) = (trace.strings.get(key), value.display(&trace.strings));
        json!([cut(key, LIST_CHARS), cut(&value, DETAIL_CHARS)])
    })
    .collect()
}

/// The innermost callers, outermost first, and how many more are around them.
fn parents(engine: &Engine, id: SliceId) -> (Vec<Value>, usize) {
    let trace = &engine.trace;
    let above = |id: &SliceId| trace.slices.parent_id.get(id.row()).some();
    let depth = trace.slices.depth.get(id.row()) as usize;
    let chain = std::iter::successors(above(&id), above);
    let mut parents: Vec<Value> = chain
        .take(MOST_PARENTS)
        .map(|parent| {
            let name = engine.timeline().names.of_slice(parent.row());
            json!({
                "id": parent.0,
                "label": engine.label(name, LIST_CHARS),
                "name": name.0,
                "ts": engine.relative(trace.slices.ts.get(parent.row())),
                "dur": engine.duration(trace.slices.dur.get(parent.row())),
            })
        })
        .collect();
    parents.reverse();
    let hidden = depth.saturating_sub(parents.len());
    (parents, hidden)
}

fn children(engine: &Engine, details: &SliceDetails) -> Value {
    let top = details.child_names.iter().take(MOST_PARTS).map(|child| {
        json!({
            "label": engine.label(child.name, LIST_CHARS),
            "name": child.name.0,
            "count": child.count,
            "total_ns": child.total_ns,
        })
    });
    json!({"count": details.children, "top": top.collect::<Vec<_>>()})
}

/// What was mended of this slice, then what the input's repairs say of its thread.
fn repairs(
    engine: &Engine,
    id: SliceId,
    details: &SliceDetails,
    source: SourceId,
    utid: ThreadId,
) -> Vec<String> {
    let trace = &engine.trace;
    let own = details
        .repairs
        .iter()
        .map(|repair| repair.explanation().to_owned());
    let mut texts: Vec<String> = own.collect();
    let thread = utid
        .some()
        .map(|utid| trace.thread_name(utid))
        .unwrap_or_default();
    let name = trace.slice_name(id);
    let names_it = |detail: &str| {
        let has = |text: &str| {
            let mut parts = detail.as_bytes().windows(text.len().max(1));
            text.len() > 2 && parts.any(|part| part == text.as_bytes())
        };
        !detail.is_empty() && (has(&thread) || detail == name)
    };
    for row in trace.repairs.rows() {
        if row.source == source && names_it(&row.detail) {
            let detail = cut(&row.detail, LIST_CHARS);
            texts.push(format!(
                "{} ({} in all, first: {detail})",
                row.kind.explanation(),
                row.count
            ));
        }
    }
    texts
}

fn thread(engine: &Engine, utid: ThreadId) -> Option<Value> {
    let row = engine.trace.threads.row(utid.some()?.row());
    let number = (row.tid != NO_NUMBER).then_some(row.tid);
    Some(json!({"label": engine.thread_label(utid), "tid": number, "utid": utid.0}))
}

fn process(engine: &Engine, upid: ProcessId) -> Option<Value> {
    let row = engine.trace.processes.row(upid.some()?.row());
    let number = (row.pid != NO_NUMBER).then_some(row.pid);
    let label = cut(engine.trace.strings.get(row.name), LIST_CHARS);
    Some(json!({"label": label, "pid": number, "upid": upid.0}))
}

impl Engine {
    /// The text of a name, cut.
    pub(crate) fn label(&self, name: traceloom_analyze::timeline::NameId, most: usize) -> String {
        cut(&self.timeline().names.label(&self.trace, name), most).into_owned()
    }

    /// A thread's name, cut; empty for no thread.
    pub(crate) fn thread_label(&self, utid: ThreadId) -> String {
        let name = utid.some().map(|utid| self.trace.thread_name(utid));
        cut(&name.unwrap_or_default(), LIST_CHARS).into_owned()
    }

    /// Times in states as the page reads them.
    pub(crate) fn states(&self, times: &StateTimes) -> Value {
        let [running, sleeping] =
            [StateKind::Running, StateKind::Sleeping].map(|kind| times.of(kind));
        let runnable = times
            .of(StateKind::Runnable)
            .saturating_add(times.of(StateKind::Preempted));
        let blocked = times.blocked.iter().take(MOST_PARTS).map(|wait| {
            json!({
                "function": cut(self.trace.strings.get(wait.function), LIST_CHARS),
                "waker": self.thread_label(wait.waker),
                "waker_utid": wait.waker.0,
                "ns": wait.ns,
            })
        });
        json!({
            "running_ns": running,
            "runnable_ns": runnable,
            "sleeping_ns": sleeping,
            "uninterruptible_ns": times.of(StateKind::Uninterruptible),
            "io_ns": times.of(StateKind::UninterruptibleIo),
            "other_ns": times.of(StateKind::Stopped).saturating_add(times.of(StateKind::Unknown)).saturating_add(times.of(StateKind::Dead)),
            "blocked": blocked.collect::<Vec<_>>(),
        })
    }

    /// How often a name occurs in the whole trace, and for how long.
    fn occurrences(&self, name: traceloom_analyze::timeline::NameId) -> Option<Value> {
        let stats = self.timeline().totals(&self.trace).of(name)?;
        Some(json!({"count": stats.count, "total_ns": stats.total_ns}))
    }
}
