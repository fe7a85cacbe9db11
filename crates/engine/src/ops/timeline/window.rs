//! What rows show in a window.

use std::ops::Range;

use traceloom_analyze::timeline::{
    CounterPoint, RowKind, ShownInstant, ShownSlice, ShownState, Timeline, Window, WindowRow,
};
use traceloom_trace::{NO_DURATION, SliceId, ThreadId, Trace};

use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::frame::Frame;

/// No screen has more pixels in a row, and no window more parts than this.
const MOST_PIXELS: f64 = 65_536.0;

/// Flags of a slice in a window.
const NEVER_ENDED: u8 = 1;
const SEVERAL: u8 = 2;
const REPAIRED: u8 = 4;
const LATE: u8 = 8;

pub(crate) fn window(engine: &Engine, ask: &Ask, cancel: &Cancel) -> Result<Frame, EngineError> {
    let (window, levels) = (window_of(engine, ask)?, levels_of(ask)?);
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let mut all = All::default();
    for row in ask.u32s("rows")? {
        cancel.check()?;
        let shown = timeline.window(trace, row, &window, levels.clone());
        let kind = timeline.rows.all.get(row as usize).map(|row| row.kind);
        all.add(shown, kind != Some(RowKind::Thread));
    }
    Ok(all.frame(engine))
}

fn window_of(engine: &Engine, ask: &Ask) -> Result<Window, EngineError> {
    let (from, to) = (ask.f64("from")?, ask.f64("to")?);
    let least = (to - from).max(0.0) / MOST_PIXELS;
    Ok(Window {
        from_ns: engine.absolute(from),
        to_ns: engine.absolute(to.ceil()),
        px_ns: ask.f64("px_ns")?.max(least).max(f64::MIN_POSITIVE),
    })
}

fn levels_of(ask: &Ask) -> Result<Range<u32>, EngineError> {
    let from = ask.maybe("min_level", Ask::u32)?.unwrap_or(0);
    // The highest level that is wanted, too.
    let to = ask.maybe("max_level", Ask::u32)?.unwrap_or(u32::MAX);
    Ok(from..to.saturating_add(1))
}

/// All rows, one after the other.
#[derive(Default)]
struct All {
    slices: Vec<ShownSlice>,
    states: Vec<(ShownState, bool)>,
    points: Vec<CounterPoint>,
    instants: Vec<ShownInstant>,
    first: [Vec<u32>; 4],
}

impl All {
    /// `ran`: the states say which thread ran.
    fn add(&mut self, row: WindowRow, ran: bool) {
        self.note_offsets();
        self.slices.extend(row.slices);
        self.states
            .extend(row.states.into_iter().map(|state| (state, ran)));
        self.points.extend(row.points);
        self.instants.extend(row.instants);
    }

    fn note_offsets(&mut self) {
        let lengths = [
            self.slices.len(),
            self.states.len(),
            self.points.len(),
            self.instants.len(),
        ];
        for (first, length) in self.first.iter_mut().zip(lengths) {
            first.push(length as u32);
        }
    }

    fn frame(mut self, engine: &Engine) -> Frame {
        self.note_offsets();
        let (trace, timeline) = (&engine.trace, engine.timeline());
        let [slices, states, points, instants] = std::mem::take(&mut self.first);
        let frame = Frame::new()
            .u32("first_slice", slices)
            .u32("first_state", states)
            .u32("first_point", points)
            .u32("first_instant", instants);
        let frame = self.slice_columns(engine, frame);
        let hue = |(state, ran): &(ShownState, bool)| match ran {
            true => timeline.hue_of_thread(ThreadId(state.who)),
            false => 0,
        };
        frame
            .f64(
                "t_ts",
                self.states
                    .iter()
                    .map(|(state, _)| engine.relative(state.ts)),
            )
            .f64(
                "t_end",
                self.states
                    .iter()
                    .map(|(state, _)| engine.relative(state.end)),
            )
            .u8(
                "t_state",
                self.states.iter().map(|(state, _)| state.state as u8),
            )
            .u32("t_who", self.states.iter().map(|(state, _)| state.who))
            .u8("t_hue", self.states.iter().map(hue))
            .f64(
                "p_ts",
                self.points.iter().map(|point| engine.relative(point.ts)),
            )
            .f64("p_min", self.points.iter().map(|point| point.min))
            .f64("p_max", self.points.iter().map(|point| point.max))
            .f64("p_last", self.points.iter().map(|point| point.last))
            .f64(
                "i_ts",
                self.instants
                    .iter()
                    .map(|instant| engine.relative(instant.ts)),
            )
            .u32(
                "i_name",
                self.instants.iter().map(|instant| {
                    let name = trace.instants.name.get(instant.id as usize);
                    timeline.names.of_text(name).0
                }),
            )
            .u32("i_id", self.instants.iter().map(|instant| instant.id))
    }

    fn slice_columns(&self, engine: &Engine, frame: Frame) -> Frame {
        let (trace, timeline) = (&engine.trace, engine.timeline());
        let slices = || self.slices.iter();
        let names: Vec<_> = slices()
            .map(|slice| timeline.names.of_slice(slice.id as usize))
            .collect();
        let dur = |slice: &ShownSlice| match slice.never_ended {
            true => -1.0,
            false => engine.duration(trace.slices.dur.get(slice.id as usize)),
        };
        frame
            .f64("s_ts", slices().map(|slice| engine.relative(slice.ts)))
            .f64("s_dur", slices().map(dur))
            .f64("s_end", slices().map(|slice| engine.relative(slice.end)))
            .u32("s_level", slices().map(|slice| slice.level))
            .u32("s_name", names.iter().map(|name| name.0))
            .u32("s_id", slices().map(|slice| slice.id))
            .u8(
                "s_flags",
                slices().map(|slice| flags(trace, timeline, slice)),
            )
            .u8("s_hue", names.iter().map(|name| timeline.names.hue(*name)))
    }
}

fn flags(trace: &Trace, timeline: &Timeline, slice: &ShownSlice) -> u8 {
    let when = |is: bool, flag: u8| if is { flag } else { 0 };
    when(slice.never_ended, NEVER_ENDED)
        | when(slice.several, SEVERAL)
        | when(timeline.is_repaired(trace, slice.id as usize), REPAIRED)
        | when(timeline.frames.is_late(SliceId(slice.id)), LATE)
}

impl Engine {
    /// A length for the page: -1 stays.
    pub(crate) fn duration(&self, dur_ns: i64) -> f64 {
        match dur_ns {
            NO_DURATION => -1.0,
            dur => dur as f64,
        }
    }
}
