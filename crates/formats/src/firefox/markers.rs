//! The markers of a thread: slices and instants.
//!
//! A marker has a phase: 0 for an instant, 1 for a slice, 2 for the start of a slice and 3 for its end. Before version 20
//! of the raw form, it had one time, and its data told the phase. Slices of one thread may cross each other, so they
//! may need several lanes.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use traceloom_trace::{
    ArgSetId, Place, RepairKind, RowId, SliceBegin, SliceId, StringId, ThreadId, TraceBuilder,
    TrackId,
};

use super::spans::{Span, Spans};
use super::table::{Object, at};
use crate::chrome_json::arg_value;
use crate::json::Value;
use crate::profile::NONE;

/// The maximum number of lanes for slices that cross each other.
const MOST_LANES: usize = 64;

/// A slice that has no end.
const NO_END: i64 = i64::MAX;

/// A slice.
struct Slice {
    ts: i64,
    end: i64,
    name: StringId,
    category: StringId,
    args: ArgSetId,
}

/// What the markers of a thread refer to.
pub(super) struct MarkerNames<'a> {
    pub strings: &'a [StringId],
    pub categories: &'a [StringId],
}

/// Adds the markers of a thread. `time` converts milliseconds of the profile to nanoseconds of the trace.
pub(super) fn add_markers(
    table: &Object<'_>,
    names: &MarkerNames<'_>,
    utid: ThreadId,
    time: impl Fn(f64) -> i64,
    out: &mut TraceBuilder,
) {
    let texts = table.indexes("name");
    if texts.is_empty() {
        return;
    }
    let track = out.thread_track(utid);
    let categories = table.indexes("category");
    let spans = Spans::new(table);
    let mut data = table.column("data");
    let mut slices = Slices::default();
    for (row, name) in (0u32..).zip(texts) {
        let data = data.next().unwrap_or(Value::Word(b"null"));
        let span = spans.of(row, &data).map(&time);
        let args = args(&data, out);
        let name = at(names.strings, name, StringId::NULL);
        let category = at(names.categories, at(&categories, row, NONE), StringId::NULL);
        let slice = |ts, end| Slice {
            ts,
            end,
            name,
            category,
            args,
        };
        match span {
            Span::Instant(ts) => {
                let instant = out.instant(track, ts, name, args);
                out.categorize_slice(instant, category);
            }
            Span::Whole(ts, end) => slices.all.push(slice(ts, end)),
            Span::Start(ts) => slices.begin(slice(ts, NO_END)),
            Span::End(end) => slices.end(name, end),
            Span::Unknown => slices.unplaced += 1,
        }
    }
    slices.finish(track, out);
}

/// The data of a marker. Perfetto has the same names.
fn args(data: &Value<'_>, out: &mut TraceBuilder) -> ArgSetId {
    let fields = data.fields().map(|(key, value)| {
        let key = [b"data.", &*key].concat();
        (out.intern(&key), arg_value(&value, out))
    });
    let fields: Vec<_> = fields.collect();
    if fields.is_empty() {
        return ArgSetId::NONE;
    }
    out.args(fields)
}

/// The slices of a thread.
#[derive(Default)]
struct Slices {
    all: Vec<Slice>,
    /// The slices without an end so far, by name.
    open: FxHashMap<StringId, Vec<usize>>,
    unmatched: u64,
    unplaced: u64,
}

impl Slices {
    fn begin(&mut self, slice: Slice) {
        let open = self.open.entry(slice.name).or_default();
        open.push(self.all.len());
        self.all.push(slice);
    }

    fn end(&mut self, name: StringId, end: i64) {
        match self.open.get_mut(&name).and_then(Vec::pop) {
            Some(begun) => self.all[begun].end = end,
            None => self.unmatched += 1,
        }
    }

    /// Adds the slices, and counts the markers that could not become slices.
    fn finish(mut self, track: TrackId, out: &mut TraceBuilder) {
        self.all.sort_by_key(|slice| (slice.ts, Reverse(slice.end)));
        let mut lanes = vec![Lane::new(track)];
        let mut beyond = 0;
        for slice in &self.all {
            beyond += u64::from(!put(slice, &mut lanes, out));
        }
        for lane in &mut lanes {
            lane.close(NO_END - 1, out);
        }
        let place = Place::default();
        out.repair(RepairKind::UnmatchedEnd, self.unmatched, place, String::new);
        out.repair(RepairKind::Unplaced, self.unplaced, place, || {
            "a marker without the times of its phase".to_owned()
        });
        out.repair(RepairKind::BeyondLimit, beyond, place, || {
            format!("more than {MOST_LANES} markers of a thread cross each other")
        });
    }
}

/// Adds a slice to the first lane in which it crosses no other. Returns whether there is one.
fn put(slice: &Slice, lanes: &mut Vec<Lane>, out: &mut TraceBuilder) -> bool {
    let mut free = None;
    for (place, lane) in lanes.iter_mut().enumerate() {
        lane.close(slice.ts, out);
        if lane.open.last().is_none_or(|around| slice.end <= *around) {
            free = Some(place);
            break;
        }
    }
    let place = match free {
        Some(place) => place,
        None if lanes.len() == MOST_LANES => return false,
        None => {
            lanes.push(Lane::new(out.lane_of(lanes[0].track)));
            lanes.len() - 1
        }
    };
    lanes[place].begin(slice, out);
    true
}

/// A track on which slices nest.
struct Lane {
    track: TrackId,
    /// The ends of its open slices, the innermost last.
    open: Vec<i64>,
}

impl Lane {
    fn new(track: TrackId) -> Self {
        let open = Vec::new();
        Self { track, open }
    }

    /// Ends the slices that end until `ts`.
    fn close(&mut self, ts: i64, out: &mut TraceBuilder) {
        while let Some(end) = self.open.pop_if(|end| *end <= ts) {
            out.end_slice(self.track, end, None);
        }
    }

    fn begin(&mut self, slice: &Slice, out: &mut TraceBuilder) -> SliceId {
        self.open.push(slice.end);
        let begin = SliceBegin {
            category: slice.category,
            arg_set_id: slice.args,
            ..SliceBegin::named(slice.ts, slice.name)
        };
        out.begin_slice(self.track, begin)
    }
}
