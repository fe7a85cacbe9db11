//! Everything about one slice: the details panel.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use traceloom_analyze::WaitText;
use traceloom_analyze::timeline::{NameId, SliceDetails, StateTimes};
use traceloom_trace::{
    MethodId, NO_DURATION, NO_NUMBER, ProcessId, RepairKind, RowId, SliceId, ThreadId, TrackId,
};

use super::locate::existing_slice;
use super::statistics::StateAnswer;
use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;
use crate::text::{DETAIL_CHARS, LIST_CHARS, cut, shortened};

/// The maximum number of callers in the answer. The innermost ones are kept.
const MOST_PARENTS: usize = 256;
/// The maximum number of names of child slices, and of wait reasons.
const MOST_PARTS: usize = 20;

#[derive(Deserialize)]
struct Question {
    id: u32,
}

pub(crate) fn slice(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let Question { id } = ask.read()?;
    let id = existing_slice(engine, "id", id)?;
    let details = engine.timeline().slice(&engine.trace, id);
    put_name(engine, id, answer);
    put_place(engine, id, answer);
    put_times(engine, id, &details, answer);
    put_relatives(engine, id, &details, answer);
    let slices = &engine.trace.slices;
    answer.put("args", engine.args(slices.arg_set_id.get(id.row())));
    if let Some(method) = slices.method_id.get(id.row()).some() {
        answer.put_fields(engine.method(method));
    }
    Ok(())
}

fn put_name(engine: &Engine, id: SliceId, answer: &mut Frame) {
    let (trace, names) = (&engine.trace, &engine.timeline().names);
    let name = names.of_slice(id.row());
    let category = trace.slices.category.get(id.row());
    answer
        .put("id", id.0)
        .put("name", name.0)
        .put("label", shortened(names.label(trace, name), DETAIL_CHARS))
        .put("category", engine.string(category, DETAIL_CHARS))
        .put("occurrences", engine.occurrences(name));
}

fn put_place(engine: &Engine, id: SliceId, answer: &mut Frame) {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let track = trace.slices.track_id.get(id.row());
    let utid = trace.tracks.utid.get(track.row());
    let process = timeline.process_of(trace, track);
    answer
        .put("row", timeline.place_of(trace, id).0)
        .put("utid", utid.0)
        .put("thread", engine.thread_of(utid))
        .put("process", engine.process_of(process))
        .put("source", trace.tracks.source.get(track.row()).0);
}

fn put_times(engine: &Engine, id: SliceId, details: &SliceDetails, answer: &mut Frame) {
    let dur = engine.trace.slices.dur.get(id.row());
    let states = details.states.as_ref().map(|times| engine.states(times));
    answer
        .put("ts", engine.relative(details.ts))
        .put("dur", engine.duration(dur))
        .put("end", engine.relative(details.end))
        .put("never_ended", dur == NO_DURATION)
        .put("shown_ns", details.end.saturating_sub(details.ts))
        .put("self_ns", details.self_ns)
        .put("cpu_ns", details.cpu_ns)
        .put("cpu_self_ns", details.cpu_self_ns)
        .put("share_of_parent", details.share_of_parent)
        .put("share_of_thread", details.share_of_thread)
        .put("states", states);
}

fn put_relatives(engine: &Engine, id: SliceId, details: &SliceDetails, answer: &mut Frame) {
    let track = engine.trace.slices.track_id.get(id.row());
    answer
        .put("frame", engine.frame_of(id))
        .put_fields(engine.parents(id))
        .put("children", engine.children(details))
        .put("repairs", engine.repairs(id, details, track));
}

#[derive(Serialize)]
struct Method<'a> {
    class: String,
    method: Cow<'a, str>,
    signature: Cow<'a, str>,
    file: Cow<'a, str>,
    line: i32,
}

/// The frame that a slice is a part of.
#[derive(Serialize)]
struct InFrame {
    dur: i64,
    ui_ns: i64,
    missed: u32,
    slice: u32,
    render_slice: u32,
}

#[derive(Serialize)]
struct Parents {
    /// Outermost first.
    parents: Vec<Parent>,
    /// The number of further parents around them.
    parents_hidden: usize,
}

#[derive(Serialize)]
struct Parent {
    id: u32,
    label: String,
    name: u32,
    ts: f64,
    dur: f64,
}

#[derive(Serialize)]
struct Children {
    count: u64,
    top: Vec<Child>,
}

#[derive(Serialize)]
struct Child {
    label: String,
    name: u32,
    count: u64,
    total_ns: i64,
}

#[derive(Serialize)]
struct Thread {
    label: String,
    tid: Option<i64>,
    utid: u32,
}

#[derive(Serialize)]
struct Process<'a> {
    label: Cow<'a, str>,
    pid: Option<i64>,
    upid: u32,
}

#[derive(Serialize)]
struct States {
    #[serde(flatten)]
    times: StateAnswer,
    blocked: Vec<Wait>,
}

#[derive(Serialize)]
struct Wait {
    #[serde(flatten)]
    why: WaitText,
    ns: i64,
}

#[derive(Serialize)]
struct Occurrences {
    count: u64,
    total_ns: i64,
}

/// The parts of the answer.
impl Engine {
    fn method(&self, method: MethodId) -> Method<'_> {
        let row = self.trace.methods.row(method.row());
        let text = |id| self.string(id, DETAIL_CHARS);
        Method {
            class: text(row.class).replace('/', "."),
            method: text(row.name),
            signature: text(row.signature),
            file: text(row.file),
            line: row.line,
        }
    }

    fn frame_of(&self, id: SliceId) -> Option<InFrame> {
        let frame = self.timeline().frames.of_slice(id)?;
        Some(InFrame {
            dur: frame.dur_ns(),
            ui_ns: frame.ui_end.saturating_sub(frame.ts),
            missed: frame.missed,
            slice: frame.slice.0,
            render_slice: frame.render.0,
        })
    }

    fn parents(&self, id: SliceId) -> Parents {
        let slices = &self.trace.slices;
        let mut parents = Vec::new();
        let mut above = slices.parent_id.get(id.row());
        while above != SliceId::NONE && parents.len() < MOST_PARENTS {
            let name = self.timeline().names.of_slice(above.row());
            parents.push(Parent {
                id: above.0,
                label: self.label(name),
                name: name.0,
                ts: self.relative(slices.ts.get(above.row())),
                dur: self.duration(slices.dur.get(above.row())),
            });
            above = slices.parent_id.get(above.row());
        }
        parents.reverse();
        let depth = slices.depth.get(id.row()) as usize;
        Parents {
            parents_hidden: depth.saturating_sub(parents.len()),
            parents,
        }
    }

    fn children(&self, details: &SliceDetails) -> Children {
        let top = details.child_names.iter().take(MOST_PARTS);
        let top = top.map(|child| Child {
            label: self.label(child.name),
            name: child.name.0,
            count: child.count,
            total_ns: child.total_ns,
        });
        Children {
            count: details.children,
            top: top.collect(),
        }
    }

    /// The repairs of this slice, then the repairs of its source that mention it or its thread.
    fn repairs(&self, id: SliceId, details: &SliceDetails, track: TrackId) -> Vec<Cow<'_, str>> {
        let trace = &self.trace;
        let utid = trace.tracks.utid.get(track.row());
        let source = trace.tracks.source.get(track.row());
        let thread = utid.some().map(|utid| trace.thread_name(utid));
        let (thread, name) = (thread.unwrap_or_default(), trace.slice_name(id));
        let names_it = |detail: &str| {
            let names_thread = thread.len() > 2 && detail.contains(&thread);
            !detail.is_empty() && (names_thread || detail == name)
        };
        let own = details.repairs.iter();
        let mut repairs: Vec<_> = own.map(|repair| repair.explanation().into()).collect();
        for row in trace.repairs.rows() {
            if row.source == source && !is_of_one_slice(row.kind) && names_it(&row.detail) {
                let detail = cut(&row.detail, LIST_CHARS);
                let (what, count) = (row.kind.explanation(), row.count);
                repairs.push(format!("{what} ({count} in all, first: {detail})").into());
            }
        }
        repairs
    }

    fn thread_of(&self, utid: ThreadId) -> Option<Thread> {
        let tid = self.trace.threads.tid.get(utid.some()?.row());
        Some(Thread {
            label: self.thread_label(utid),
            tid: (tid != NO_NUMBER).then_some(tid),
            utid: utid.0,
        })
    }

    fn process_of(&self, upid: ProcessId) -> Option<Process<'_>> {
        let processes = &self.trace.processes;
        let row = upid.some()?.row();
        let pid = processes.pid.get(row);
        Some(Process {
            label: self.string(processes.name.get(row), LIST_CHARS),
            pid: (pid != NO_NUMBER).then_some(pid),
            upid: upid.0,
        })
    }

    fn states(&self, times: &StateTimes) -> States {
        let blocked = times.blocked.iter().take(MOST_PARTS);
        let blocked = blocked.map(|wait| Wait {
            why: self.wait_text(wait.why),
            ns: wait.ns,
        });
        States {
            times: StateAnswer::new(&times.by_kind),
            blocked: blocked.collect(),
        }
    }

    /// The number of occurrences of a name in the whole trace, and their times.
    fn occurrences(&self, name: NameId) -> Option<Occurrences> {
        let stats = self.timeline().totals(&self.trace).stats(name)?;
        Some(Occurrences {
            count: stats.count,
            total_ns: stats.total_ns,
        })
    }
}

/// Whether each repair of a kind is about one slice. The detail describes only the first of these slices. It does not
/// apply to the other slices of the thread.
fn is_of_one_slice(kind: RepairKind) -> bool {
    use RepairKind::{MissingExit, NameCut, NeverClosed};
    matches!(kind, MissingExit | NameCut | NeverClosed)
}
