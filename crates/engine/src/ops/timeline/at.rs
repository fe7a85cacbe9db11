//! The contents of a row at a point in time.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use traceloom_analyze::WaitReason;
use traceloom_analyze::timeline::{StateKind, Timeline, TimelineRow, run_extent, state_extent};
use traceloom_trace::{RowId, ThreadId, ThreadStateRow};

use crate::ask::{Ask, no_such_row};
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;
use crate::text::{DETAIL_CHARS, LIST_CHARS, cut};

#[derive(Deserialize)]
struct Question {
    row: u32,
    ts: f64,
    what: What,
    id: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum What {
    State,
    Sched,
    Counter,
    Instant,
    Event,
}

pub(crate) fn at(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let question: Question = ask.read()?;
    let (row, ts) = (question.row, engine.absolute(question.ts));
    let rows = &engine.timeline().rows.all;
    let Some(about) = rows.get(row as usize) else {
        return Err(no_such_row("row", row, rows.len()));
    };
    let found = match question.what {
        What::State => put(answer, engine.state_at(about.utid, ts)),
        What::Sched => put(answer, engine.run_at(about.cpu, ts)),
        What::Counter => put(answer, engine.value_at(about, ts)),
        What::Instant => put(answer, engine.instant_at(row, ts)),
        What::Event => put(answer, engine.event_at(about, ts, question.id)),
    };
    if found.is_none() {
        answer.put("none", true);
    }
    Ok(())
}

fn put(answer: &mut Frame, found: Option<impl Serialize>) -> Option<()> {
    answer.put_fields(found?);
    Some(())
}

#[derive(Serialize)]
struct ThreadAnswer {
    utid: u32,
    label: String,
    row: u32,
}

#[derive(Serialize)]
struct Extent {
    ts: f64,
    end: f64,
    dur: f64,
}

#[derive(Serialize)]
struct StateAnswer<'a> {
    state: u8,
    label: &'static str,
    letters: String,
    #[serde(flatten)]
    extent: Extent,
    cpu: Option<u32>,
    blocked_function: Cow<'a, str>,
    io_wait: Option<bool>,
    waker: Option<ThreadAnswer>,
    ended_by: Option<ThreadAnswer>,
    why: Option<String>,
    thread: ThreadAnswer,
    priority: Option<i32>,
    inferred: bool,
}

#[derive(Serialize)]
struct RunAnswer<'a> {
    thread: ThreadAnswer,
    process: Option<Cow<'a, str>>,
    #[serde(flatten)]
    extent: Extent,
    cpu: u32,
    priority: i32,
    inferred: bool,
    end_state: &'static str,
    end_letters: String,
}

#[derive(Serialize)]
struct Value {
    ts: f64,
    value: f64,
}

#[derive(Serialize)]
struct CounterAnswer<'a> {
    #[serde(flatten)]
    value: Value,
    previous: Option<Value>,
    next: Option<Value>,
    label: Cow<'a, str>,
    unit: &'a str,
}

#[derive(Serialize)]
struct InstantAnswer<'a> {
    id: usize,
    ts: f64,
    name: u32,
    label: Cow<'a, str>,
    args: Vec<(Cow<'a, str>, String)>,
}

#[derive(Serialize)]
struct EventAnswer<'a> {
    id: u32,
    ts: f64,
    name: u32,
    label: Cow<'a, str>,
    thread: Option<ThreadAnswer>,
    process: Option<Cow<'a, str>>,
    cpu: Option<u32>,
    args: Vec<(Cow<'a, str>, String)>,
}

impl Engine {
    fn thread_answer(&self, utid: ThreadId) -> ThreadAnswer {
        ThreadAnswer {
            utid: utid.0,
            label: self.thread_label(utid),
            row: self.timeline().rows.of_thread(utid),
        }
    }

    /// The thread that woke another thread.
    fn waker(&self, utid: ThreadId) -> Option<ThreadAnswer> {
        utid.some().map(|utid| ThreadAnswer {
            label: self.waker_label(utid),
            ..self.thread_answer(utid)
        })
    }

    fn extent(&self, (start, end): (i64, i64), dur: i64) -> Extent {
        Extent {
            ts: self.relative(start),
            end: self.relative(end),
            dur: self.duration(dur),
        }
    }

    fn state_at(&self, utid: ThreadId, ts: i64) -> Option<StateAnswer<'_>> {
        let (trace, timeline) = (&self.trace, self.timeline());
        let found = timeline.state_at(trace, utid, ts)? as usize;
        let row = trace.thread_states.row(found);
        let kind = StateKind::from_row(trace, found);
        let rows = timeline.states_of(utid);
        let at = rows.binary_search(&(found as u32)).unwrap_or(0);
        let why = WaitReason::of(trace, found as u32, rows.get(at + 1).copied());
        Some(StateAnswer {
            state: kind as u8,
            label: kind.name(),
            letters: row.state.to_string(),
            extent: self.extent(state_extent(trace, found), row.dur),
            cpu: (row.cpu != u32::MAX).then_some(row.cpu),
            blocked_function: self.string(row.blocked_function, LIST_CHARS),
            io_wait: matches!(row.io_wait, 0 | 1).then_some(row.io_wait == 1),
            waker: self.waker(row.waker_utid),
            ended_by: self.waker(timeline.waker_behind(trace, utid, at)),
            why: why.map(|why| self.wait_text(why).text),
            thread: self.thread_answer(utid),
            priority: self
                .run_of(&row)
                .map(|run| trace.sched_slices.priority.get(run)),
            inferred: self
                .run_of(&row)
                .is_some_and(|run| trace.sched_slices.inferred.get(run)),
        })
    }

    /// The run on a CPU of a running thread: a row of the sched_slice table.
    fn run_of(&self, row: &ThreadStateRow) -> Option<usize> {
        if row.cpu == u32::MAX {
            return None;
        }
        let trace = &self.trace;
        let run = self.timeline().run_at(trace, row.cpu, row.ts)? as usize;
        let is_same_thread = trace.sched_slices.utid.get(run) == row.utid;
        is_same_thread.then_some(run)
    }

    fn run_at(&self, cpu: u32, ts: i64) -> Option<RunAnswer<'_>> {
        let trace = &self.trace;
        let found = self.timeline().run_at(trace, cpu, ts)? as usize;
        let row = trace.sched_slices.row(found);
        let process = self.process_row(row.utid);
        Some(RunAnswer {
            thread: self.thread_answer(row.utid),
            process: process.map(|process| cut(&process.name, LIST_CHARS)),
            extent: self.extent(run_extent(trace, found), row.dur),
            cpu,
            priority: row.priority,
            inferred: row.inferred,
            end_state: StateKind::from_task_state(row.end_state, -1).name(),
            end_letters: row.end_state.to_string(),
        })
    }

    /// The timeline's row of a thread's process.
    fn process_row(&self, utid: ThreadId) -> Option<&TimelineRow> {
        let (upids, rows) = (&self.trace.threads.upid, &self.timeline().rows);
        let upid = (utid.row() < upids.len()).then(|| upids.get(utid.row()))?;
        rows.all.get(rows.of_process(upid) as usize)
    }

    fn value_at<'e>(&'e self, about: &'e TimelineRow, ts: i64) -> Option<CounterAnswer<'e>> {
        let (trace, timeline) = (&self.trace, self.timeline());
        let rows = match about.track.0 {
            u32::MAX => &[],
            _ => timeline.values_of(about.track),
        };
        let at = Timeline::last_before(rows, ts, &|row| trace.counters.ts.get(row))?;
        let value = |at: usize| {
            let row = *rows.get(at)? as usize;
            Some(Value {
                ts: self.relative(trace.counters.ts.get(row)),
                value: trace.counters.value.get(row),
            })
        };
        Some(CounterAnswer {
            value: value(at)?,
            previous: value(at.wrapping_sub(1)),
            next: value(at + 1),
            label: cut(&about.name, LIST_CHARS),
            unit: &about.note,
        })
    }

    /// The instant nearest to a point in time, with its arguments.
    fn instant_at(&self, row: u32, ts: i64) -> Option<InstantAnswer<'_>> {
        let (trace, timeline) = (&self.trace, self.timeline());
        let when = |row: usize| trace.slices.ts.get(row);
        let mut nearest: Option<u32> = None;
        for &(track, _) in timeline.rows.tracks(row) {
            let rows = timeline.instants_of(track);
            let before = Timeline::last_before(rows, ts, &when);
            let after = before.map_or(0, |at| at + 1);
            for &near in &rows[before.unwrap_or(0)..rows.len().min(after + 1)] {
                let distance = |row: u32| when(row as usize).abs_diff(ts);
                if nearest.is_none_or(|nearest| distance(near) < distance(nearest)) {
                    nearest = Some(near);
                }
            }
        }
        let id = nearest? as usize;
        let name = trace.slices.name.get(id);
        Some(InstantAnswer {
            id,
            ts: self.relative(when(id)),
            name: timeline.names.of_text(name).0,
            label: self.string(name, DETAIL_CHARS),
            args: self.args(trace.slices.arg_set_id.get(id)),
        })
    }

    /// The event with this id, otherwise the event of a row nearest to a point in time.
    fn event_at(&self, about: &TimelineRow, ts: i64, id: Option<u32>) -> Option<EventAnswer<'_>> {
        let (trace, timeline) = (&self.trace, self.timeline());
        let exists = |id: &u32| (*id as usize) < trace.ftrace_events.len();
        let near = || timeline.event_at(trace, about, ts);
        let id = id.filter(exists).or_else(near)?;
        let event = trace.ftrace_events.row(id as usize);
        let process = self.process_row(event.utid);
        Some(EventAnswer {
            id,
            ts: self.relative(event.ts),
            name: timeline.names.of_text(event.name).0,
            label: self.string(event.name, DETAIL_CHARS),
            thread: event.utid.some().map(|utid| self.thread_answer(utid)),
            process: process.map(|process| cut(&process.name, LIST_CHARS)),
            cpu: (event.cpu != u32::MAX).then_some(event.cpu),
            args: self.args(event.arg_set_id),
        })
    }
}
