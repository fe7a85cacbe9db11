//! The contents of rows in a window.

use std::ops::Range;

use serde::Deserialize;
use traceloom_analyze::timeline::{
    CounterPoint, NameId, RowKind, ShownEvent, ShownInstant, ShownSlice, ShownState, Timeline,
    Window, WindowRow,
};
use traceloom_trace::{SliceId, ThreadId, Trace};

use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::{Frame, Varints};

/// The maximum width of a window in pixels. No screen is wider.
const MOST_PIXELS: f64 = 65_536.0;

/// Flags of a slice in a window.
const NEVER_ENDED: u8 = 1;
const SEVERAL: u8 = 2;
const REPAIRED: u8 = 4;
const LATE: u8 = 8;

pub(crate) fn window(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let question: Question = ask.read()?;
    let (window, levels) = (question.window(engine), question.levels());
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let mut all = All::default();
    for &row in &question.rows {
        ask.check()?;
        let shown = timeline.window(trace, row, &window, levels.clone());
        let kind = timeline.rows.all.get(row as usize).map(|row| row.kind);
        all.add(shown, kind != Some(RowKind::Thread));
    }
    all.note_offsets();
    all.columns(engine, answer);
    Ok(())
}

#[derive(Deserialize)]
struct Question {
    rows: Vec<u32>,
    from: f64,
    to: f64,
    px_ns: f64,
    min_level: Option<u32>,
    max_level: Option<u32>,
}

impl Question {
    fn window(&self, engine: &Engine) -> Window {
        let least = (self.to - self.from).max(0.0) / MOST_PIXELS;
        Window {
            from_ns: engine.absolute(self.from),
            to_ns: engine.absolute(self.to.ceil()),
            px_ns: self.px_ns.max(least).max(f64::MIN_POSITIVE),
        }
    }

    fn levels(&self) -> Range<u32> {
        let last = self.max_level.unwrap_or(u32::MAX);
        self.min_level.unwrap_or(0)..last.saturating_add(1)
    }
}

/// All rows, concatenated.
#[derive(Default)]
struct All {
    slices: Vec<ShownSlice>,
    states: Vec<(ShownState, bool)>,
    points: Vec<CounterPoint>,
    instants: Vec<ShownInstant>,
    events: Vec<ShownEvent>,
    first: [Vec<u32>; 5],
}

impl All {
    /// Adds a row. `ran` means that its states are runs, which have a thread.
    fn add(&mut self, row: WindowRow, ran: bool) {
        self.note_offsets();
        self.slices.extend(row.slices);
        self.states
            .extend(row.states.into_iter().map(|state| (state, ran)));
        self.points.extend(row.points);
        self.instants.extend(row.instants);
        self.events.extend(row.events);
    }

    fn note_offsets(&mut self) {
        let lengths = [
            self.slices.len(),
            self.states.len(),
            self.points.len(),
            self.instants.len(),
            self.events.len(),
        ];
        for (first, length) in self.first.iter_mut().zip(lengths) {
            first.push(length as u32);
        }
    }

    fn columns(&self, engine: &Engine, answer: &mut Frame) {
        let (trace, timeline) = (&engine.trace, engine.timeline());
        let firsts = [
            "first_slice",
            "first_state",
            "first_point",
            "first_instant",
            "first_event",
        ];
        for (name, first) in firsts.into_iter().zip(&self.first) {
            answer.u32(name, first, |at| *at);
        }
        self.slice_columns(engine, answer);
        let who: Vec<u32> = self.states.iter().map(|(state, _)| state.who).collect();
        let mut times = Stretches::new(engine.origin.0);
        for (state, _) in &self.states {
            times.push(state.ts, state.end);
        }
        answer
            .u8s("t_times", &times.bytes.0)
            .u8("t_state", &self.states, |(state, _)| state.state as u8)
            .narrow("t_who", &who)
            .u8("t_hue", &self.states, |(state, ran)| match ran {
                true => timeline.hue_of_thread(ThreadId(state.who)),
                false => 0,
            })
            .f64("p_ts", &self.points, |point| engine.relative(point.ts))
            .f64("p_min", &self.points, |point| point.min)
            .f64("p_max", &self.points, |point| point.max)
            .f64("p_last", &self.points, |point| point.last)
            .f64("i_ts", &self.instants, |instant| {
                engine.relative(instant.ts)
            })
            .u32("i_name", &self.instants, |instant| {
                let name = trace.slices.name.get(instant.id as usize);
                timeline.names.of_text(name).0
            })
            .u32("i_id", &self.instants, |instant| instant.id);
        self.event_columns(engine, answer);
    }

    fn event_columns(&self, engine: &Engine, answer: &mut Frame) {
        let (trace, names) = (&engine.trace, &engine.timeline().names);
        let name = |event: &ShownEvent| {
            let name = trace.ftrace_events.name.get(event.id as usize);
            names.of_text(name).0
        };
        let shown_names: Vec<u32> = self.events.iter().map(name).collect();
        let counts: Vec<u32> = self.events.iter().map(|event| event.count).collect();
        answer
            .f64("e_ts", &self.events, |event| engine.relative(event.ts))
            .u32("e_id", &self.events, |event| event.id)
            .narrow("e_name", &shown_names)
            .narrow("e_count", &counts)
            .u8("e_hue", &shown_names, |name| names.hue(NameId(*name)));
    }

    fn slice_columns(&self, engine: &Engine, answer: &mut Frame) {
        let (trace, names) = (&engine.trace, &engine.timeline().names);
        let (mut times, mut id) = (Stretches::new(engine.origin.0), 0);
        let (mut levels, mut shown_names) = (Vec::new(), Vec::new());
        for slice in &self.slices {
            times.push(slice.ts, slice.end);
            times.bytes.signed(i64::from(slice.id) - id);
            id = slice.id.into();
            levels.push(slice.level);
            shown_names.push(names.of_slice(slice.id as usize).0);
        }
        answer
            .u8s("s_times", &times.bytes.0)
            .narrow("s_level", &levels)
            .narrow("s_name", &shown_names)
            .u8("s_flags", &self.slices, |slice| {
                flags(trace, engine.timeline(), slice)
            })
            .u8("s_hue", &shown_names, |name| names.hue(NameId(*name)));
    }
}

/// Starts and durations, packed. Most of them are close to the previous ones.
struct Stretches {
    bytes: Varints,
    /// The previous start as the page decodes it.
    before: i64,
}

impl Stretches {
    /// Creates an empty list. The first start is relative to `origin`.
    fn new(origin: i64) -> Self {
        Self {
            bytes: Varints::default(),
            before: origin,
        }
    }

    fn push(&mut self, ts: i64, end: i64) {
        // A difference beyond the i64 range (292 years) is clamped, and the next start is relative
        // to the clamped one.
        let step = ts.saturating_sub(self.before);
        self.before = self.before.wrapping_add(step);
        self.bytes.signed(step);
        self.bytes.unsigned(end.wrapping_sub(ts) as u64);
    }
}

fn flags(trace: &Trace, timeline: &Timeline, slice: &ShownSlice) -> u8 {
    let when = |is: bool, flag: u8| if is { flag } else { 0 };
    when(slice.never_ended, NEVER_ENDED)
        | when(slice.several, SEVERAL)
        | when(timeline.is_repaired(trace, slice.id as usize), REPAIRED)
        | when(timeline.frames.is_janky(SliceId(slice.id)), LATE)
}
