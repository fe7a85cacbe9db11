//! Everything about one slice: the details panel.

use traceloom_analyze::timeline::{NameId, SliceDetails, StateTimes};
use traceloom_trace::{
    MethodId, NO_DURATION, NO_NUMBER, ProcessId, RowId, SliceId, ThreadId, TrackId,
};

use super::locate::slice_of;
use super::range::put_times;
use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;
use crate::json::Json;
use crate::text::{DETAIL_CHARS, LIST_CHARS, cut};

/// Callers that are listed: the innermost ones.
const MOST_PARENTS: usize = 256;
/// Names of slices within, and things waited for.
const MOST_PARTS: usize = 20;

pub(crate) fn slice(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let id = slice_of(engine, ask, "id")?;
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let (slices, tracks, row) = (&trace.slices, &trace.tracks, id.row());
    let (details, name) = (timeline.slice(trace, id), timeline.names.of_slice(row));
    let track = slices.track_id.get(row);
    let utid = tracks.utid.get(track.row());
    let json = &mut answer.json;
    json.put("id", id.0)
        .put("row", timeline.place_of(trace, id).0)
        .put("utid", utid.0)
        .put("name", name.0)
        .put_cut("label", &timeline.names.label(trace, name), DETAIL_CHARS);
    engine.put_string(json, "category", slices.category.get(row), DETAIL_CHARS);
    let dur = slices.dur.get(row);
    json.put("ts", engine.relative(details.ts))
        .put("dur", engine.duration(dur))
        .put("end", engine.relative(details.end))
        .put("never_ended", dur == NO_DURATION)
        .put("self_ns", details.self_ns)
        .put("cpu_ns", details.cpu_ns)
        .put("cpu_self_ns", details.cpu_self_ns)
        .put("share_of_parent", details.share_of_parent)
        .put("share_of_thread", details.share_of_thread);
    engine.put_args(json, slices.arg_set_id.get(row));
    engine.put_states(json, details.states.as_ref());
    engine.put_parents(json, id);
    engine.put_children(json, &details);
    engine.put_repairs(json, id, &details, track);
    engine.put_occurrences(json, name);
    engine.put_thread_of(json, utid);
    engine.put_process_of(json, timeline.process_of(trace, track));
    json.put("source", tracks.source.get(track.row()).0);
    engine.put_method(json, slices.method_id.get(row));
    Ok(())
}

/// The parts of the answer.
impl Engine {
    fn put_method(&self, json: &mut Json, method: MethodId) {
        let Some(method) = method.some() else {
            return;
        };
        let row = self.trace.methods.row(method.row());
        let class = cut(self.trace.strings.get(row.class), DETAIL_CHARS);
        json.put("class", class.replace('/', "."));
        self.put_string(json, "method", row.name, DETAIL_CHARS);
        self.put_string(json, "signature", row.signature, DETAIL_CHARS);
        self.put_string(json, "file", row.file, DETAIL_CHARS);
        json.put("line", row.line);
    }

    /// The innermost callers, outermost first, and how many more are around them.
    fn put_parents(&self, json: &mut Json, id: SliceId) {
        let slices = &self.trace.slices;
        let mut parents = Vec::new();
        let mut above = slices.parent_id.get(id.row());
        while above != SliceId::NONE && parents.len() < MOST_PARENTS {
            parents.push(above);
            above = slices.parent_id.get(above.row());
        }
        json.objects("parents", parents.iter().rev(), |json, parent| {
            let name = self.timeline().names.of_slice(parent.row());
            json.put("id", parent.0);
            self.put_label(json, "label", name);
            json.put("name", name.0)
                .put("ts", self.relative(slices.ts.get(parent.row())))
                .put("dur", self.duration(slices.dur.get(parent.row())));
        });
        let depth = slices.depth.get(id.row()) as usize;
        json.put("parents_hidden", depth.saturating_sub(parents.len()));
    }

    fn put_children(&self, json: &mut Json, details: &SliceDetails) {
        json.object("children", |json| {
            json.put("count", details.children);
            let top = details.child_names.iter().take(MOST_PARTS);
            json.objects("top", top, |json, child| {
                self.put_label(json, "label", child.name);
                json.put("name", child.name.0)
                    .put("count", child.count)
                    .put("total_ns", child.total_ns);
            });
        });
    }

    /// What was mended of this slice, then what the input's repairs say of its thread.
    fn put_repairs(&self, json: &mut Json, id: SliceId, details: &SliceDetails, track: TrackId) {
        let trace = &self.trace;
        let (utid, source) = (
            trace.tracks.utid.get(track.row()),
            trace.tracks.source.get(track.row()),
        );
        let thread = utid.some().map(|utid| trace.thread_name(utid));
        let (thread, name) = (thread.unwrap_or_default(), trace.slice_name(id));
        let names_it = |detail: &str| {
            let has = |text: &str| {
                let mut parts = detail.as_bytes().windows(text.len().max(1));
                text.len() > 2 && parts.any(|part| part == text.as_bytes())
            };
            !detail.is_empty() && (has(&thread) || detail == name)
        };
        json.list("repairs", |json| {
            for repair in &details.repairs {
                json.put("", repair.explanation());
            }
            for row in trace.repairs.rows() {
                if row.source == source && names_it(&row.detail) {
                    let detail = cut(&row.detail, LIST_CHARS);
                    let (what, count) = (row.kind.explanation(), row.count);
                    json.put("", format!("{what} ({count} in all, first: {detail})"));
                }
            }
        });
    }

    fn put_thread_of(&self, json: &mut Json, utid: ThreadId) {
        let Some(row) = utid.some().map(RowId::row) else {
            json.put("thread", None::<u32>);
            return;
        };
        let tid = self.trace.threads.tid.get(row);
        json.object("thread", |json| {
            self.put_thread_label(json, "label", utid);
            json.put("tid", (tid != NO_NUMBER).then_some(tid))
                .put("utid", utid.0);
        });
    }

    fn put_process_of(&self, json: &mut Json, upid: ProcessId) {
        let Some(row) = upid.some().map(RowId::row) else {
            json.put("process", None::<u32>);
            return;
        };
        let processes = &self.trace.processes;
        let pid = processes.pid.get(row);
        json.object("process", |json| {
            self.put_string(json, "label", processes.name.get(row), LIST_CHARS);
            json.put("pid", (pid != NO_NUMBER).then_some(pid))
                .put("upid", upid.0);
        });
    }

    /// Times in states as the page reads them.
    fn put_states(&self, json: &mut Json, times: Option<&StateTimes>) {
        let Some(times) = times else {
            json.put("states", None::<u32>);
            return;
        };
        json.object("states", |json| {
            put_times(json, &times.by_kind);
            let blocked = times.blocked.iter().take(MOST_PARTS);
            json.objects("blocked", blocked, |json, wait| {
                self.put_string(json, "function", wait.function, LIST_CHARS);
                self.put_thread_label(json, "waker", wait.waker);
                json.put("waker_utid", wait.waker.0).put("ns", wait.ns);
            });
        });
    }

    /// How often a name occurs in the whole trace, and for how long.
    fn put_occurrences(&self, json: &mut Json, name: NameId) {
        let Some(stats) = self.timeline().totals(&self.trace).of(name) else {
            json.put("occurrences", None::<u32>);
            return;
        };
        json.object("occurrences", |json| {
            json.put("count", stats.count)
                .put("total_ns", stats.total_ns);
        });
    }
}
