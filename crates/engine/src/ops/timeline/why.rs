//! Why a thread was waiting: the threads that it waited for.

use serde::{Deserialize, Serialize};
use traceloom_analyze::timeline::{NO_ROW, WhyPart};
use traceloom_trace::{RowId, SliceId, ThreadId};

use super::locate::existing_slice;
use crate::ask::{Ask, existing, unexpected};
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;

/// The maximum number of parts in the answer.
const MOST: usize = 2_000;

#[derive(Deserialize)]
struct Question {
    slice: Option<u32>,
    utid: Option<u32>,
    from: Option<f64>,
    to: Option<f64>,
}

/// A part of the path.
#[derive(Serialize)]
struct Part {
    ts: f64,
    end: f64,
    utid: u32,
    row: Option<u32>,
    thread: String,
    state: &'static str,
    colour: &'static str,
    depth: u32,
    slice: Option<u32>,
    name: String,
    cpu: Option<u32>,
    why: String,
}

pub(crate) fn why(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let question: Question = ask.read()?;
    let (utid, from, to) = engine.asked_time(&question)?;
    let why = engine.timeline().why(&engine.trace, utid, from, to);
    let parts = why.parts.iter().take(MOST);
    let parts: Vec<_> = parts.map(|part| engine.why_part(part)).collect();
    answer
        .put("thread", engine.waker_label(utid))
        .put("utid", utid.0)
        .put("from", engine.relative(from))
        .put("to", engine.relative(to))
        .put("parts", parts)
        .put("cut", why.is_cut || why.parts.len() > MOST);
    Ok(())
}

impl Engine {
    /// The thread and the time of a question, from a slice or given directly.
    fn asked_time(&self, question: &Question) -> Answered<(ThreadId, i64, i64)> {
        let trace = &self.trace;
        if let Some(id) = question.slice {
            let id = existing_slice(self, "slice", id)?;
            let utid = trace.track_thread(trace.slices.track_id.get(id.row()));
            let utid = utid.ok_or_else(|| unexpected("slice", "a slice of a thread", id.0))?;
            let from = trace.slices.ts.get(id.row());
            return Ok((utid, from, self.timeline().end_of(trace, id.row())));
        }
        let utid = question.utid;
        let utid = utid.ok_or_else(|| unexpected("utid", "a row number", "nothing"))?;
        let utid = existing("utid", utid, trace.threads.len())?;
        let time = |field: &'static str, ns: Option<f64>| {
            let ns = ns.ok_or_else(|| unexpected(field, "a number", "nothing"))?;
            Answered::Ok(self.absolute(ns))
        };
        let (from, to) = (time("from", question.from)?, time("to", question.to)?);
        Ok((ThreadId(utid), from, to))
    }

    fn why_part(&self, part: &WhyPart) -> Part {
        let row = self.timeline().rows.of_thread(part.utid);
        let slice = (part.slice != SliceId::NONE).then_some(part.slice);
        let name = slice.map(|id| self.label(self.timeline().names.of_slice(id.row())));
        let held = self.thread_label(part.held_by);
        let why = match part.why {
            Some(why) => self.wait_text(why).text,
            None if held.is_empty() => String::new(),
            None => format!("{held} had the CPU"),
        };
        Part {
            ts: self.relative(part.ts),
            end: self.relative(part.end),
            utid: part.utid.0,
            row: (row != NO_ROW).then_some(row),
            thread: self.waker_label(part.utid),
            state: part.state.name(),
            colour: part.state.colour(),
            depth: part.depth,
            slice: slice.map(|id| id.0),
            name: name.unwrap_or_default(),
            cpu: (part.cpu != u32::MAX).then_some(part.cpu),
            why,
        }
    }
}
