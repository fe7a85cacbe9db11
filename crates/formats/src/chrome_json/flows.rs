//! Arrows between slices.

use rustc_hash::FxHashMap;
use traceloom_trace::{FlowRow, NO_NUMBER, Place, RepairKind, SliceId, StringId, TraceBuilder};

use super::rows::Row;
use super::stats::Stats;

/// Identifies the points of one flow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct FlowKey {
    pub id: StringId,
    /// Flows of the phases `s`, `t`, `f` are also identified by name and category; those of
    /// `bind_id` are not.
    pub name: StringId,
    pub category: StringId,
}

impl FlowKey {
    /// The key of a flow with a `bind_id`.
    pub fn bound(id: StringId) -> Self {
        Self {
            id,
            name: StringId::NULL,
            category: StringId::NULL,
        }
    }
}

/// A point of a flow: its start, its end, or a step between them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Point {
    ts: i64,
    sequence: u32,
    key: FlowKey,
    slice: SliceId,
    comes_in: bool,
    goes_out: bool,
}

impl Point {
    /// Counts a point at which a flow comes in that has not started.
    fn count(&self, stats: &mut Stats, out: &mut TraceBuilder) {
        let count = if self.goes_out {
            &mut stats.steps_without_start
        } else {
            &mut stats.ends_without_start
        };
        *count += 1;
        let place = Place::default().with_ts(self.ts);
        out.repair(RepairKind::UnmatchedEnd, 1, place, || {
            "a flow that has not started".to_owned()
        });
    }
}

/// Collects the flow points of all threads.
#[derive(Debug, Default)]
pub(super) struct Flows {
    points: Vec<Point>,
}

impl Flows {
    /// Adds a point at `slice`.
    pub fn point(
        &mut self,
        key: FlowKey,
        ts: i64,
        slice: SliceId,
        (comes_in, goes_out): (bool, bool),
    ) {
        self.points.push(Point {
            ts,
            sequence: self.points.len() as u32,
            key,
            slice,
            comes_in,
            goes_out,
        });
    }

    /// Creates the arrows: to each point at which a flow comes in, from the last point at which it went out. Among
    /// points of the same time, those that only go out come first. A point without one before it is counted.
    pub fn join(mut self, stats: &mut Stats, out: &mut TraceBuilder) {
        let only_out = |point: &Point| point.goes_out && !point.comes_in;
        self.points
            .sort_unstable_by_key(|point| (point.ts, !only_out(point), point.sequence));
        let mut last: FxHashMap<FlowKey, SliceId> = FxHashMap::default();
        for point in self.points {
            let before = last.get(&point.key).copied();
            if before.is_none() && point.comes_in {
                point.count(stats, out);
            }
            if let (Some(slice_out), true) = (before, point.comes_in) {
                out.flow(FlowRow {
                    slice_out,
                    slice_in: point.slice,
                    name: point.key.name,
                    trace_id: NO_NUMBER,
                });
            }
            if point.goes_out {
                last.insert(point.key, point.slice);
            }
        }
    }
}

/// The end of a flow. It belongs to the next slice on its thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arriving {
    ts: i64,
    sequence: u32,
    pub key: FlowKey,
}

impl Arriving {
    pub fn new(row: &Row, key: FlowKey) -> Self {
        Self {
            ts: row.ts,
            sequence: row.sequence,
            key,
        }
    }

    /// Whether `slice` comes after it: later, or at the same time but later in the file.
    pub fn is_before(&self, slice: &Row) -> bool {
        (self.ts, self.sequence) < (slice.ts, slice.sequence)
    }
}

/// The maximum number of slices with one end time that are searched. Damaged files have millions.
const MOST_ENDED: usize = 1024;

/// The slices of a thread that ended at the current time, the innermost first. A flow of that time may still belong to
/// them: many slices begin and end in the same microsecond.
#[derive(Debug, Default)]
pub(super) struct Ended {
    ts: i64,
    /// Each with the position of its end event in the file.
    slices: Vec<(u32, SliceId)>,
}

impl Ended {
    pub fn add(&mut self, ts: i64, sequence: u32, slice: SliceId) {
        if self.ts != ts {
            self.clear();
        }
        self.ts = ts;
        self.slices.push((sequence, slice));
    }

    pub fn clear(&mut self) {
        self.slices.clear();
    }

    /// The innermost slice whose end comes after an event of the same time in the file.
    pub fn around(&self, event: &Row) -> Option<SliceId> {
        let ends = self.slices.iter().take(MOST_ENDED);
        let mut ends = ends.filter(|_| self.ts == event.ts);
        let end = ends.find(|(sequence, _)| *sequence > event.sequence);
        end.map(|(_, slice)| *slice)
    }

    /// The last slice that ended at the time of an event.
    pub fn before(&self, event: &Row) -> Option<SliceId> {
        let last = self.slices.last().filter(|_| self.ts == event.ts);
        last.map(|(_, slice)| *slice)
    }
}

/// The instants of a thread at the current time. A flow of that time outside of any slice belongs to one of them: Go's
/// runtime starts flows at instants.
#[derive(Debug, Default)]
pub(super) struct Moments {
    ts: i64,
    /// In the order of the file, each with its position there.
    instants: Vec<(u32, SliceId)>,
}

impl Moments {
    pub fn add(&mut self, row: &Row, instant: SliceId) {
        if self.ts != row.ts {
            self.instants.clear();
        }
        self.ts = row.ts;
        self.instants.push((row.sequence, instant));
    }

    /// The instant at the time of an event: the last one before it in the file, or else the first one.
    pub fn near(&self, event: &Row) -> Option<SliceId> {
        let before = |(sequence, _): &(u32, SliceId)| *sequence < event.sequence;
        let at = self.instants.partition_point(before).saturating_sub(1);
        let near = self.instants.get(at).filter(|_| self.ts == event.ts);
        near.map(|(_, instant)| *instant)
    }
}

#[cfg(test)]
mod tests {
    use traceloom_trace::RepairKind;

    use crate::chrome_json::tests::read;

    /// `from > to` of each arrow.
    fn arrows(text: &str) -> Vec<String> {
        let trace = read(text);
        let ends = |flow: traceloom_trace::FlowRow| {
            [flow.slice_out, flow.slice_in]
                .map(|slice| trace.slice_name(slice))
                .join(" > ")
        };
        trace.flows.rows().map(ends).collect()
    }

    #[test]
    fn a_flow_ends_at_a_slice_of_its_time_that_comes_later_in_the_file() {
        let found = arrows(
            r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"a"},
                {"ph":"s","pid":1,"tid":1,"ts":5,"id":1,"name":"f"},{"ph":"s","pid":1,"tid":1,"ts":6,"id":2,"name":"f"},
                {"ph":"f","pid":1,"tid":2,"ts":20,"id":1,"name":"f"},
                {"ph":"X","pid":1,"tid":2,"ts":20,"dur":2,"name":"b"},
                {"ph":"f","pid":1,"tid":2,"ts":20,"id":2,"name":"f"},
                {"ph":"X","pid":1,"tid":2,"ts":30,"dur":2,"name":"c"}]"#,
        );
        assert_eq!(found, ["a > b", "a > c"]);
    }

    /// PyTorch's profiler has operations of 0 µs.
    #[test]
    fn a_flow_belongs_to_a_slice_that_ends_at_its_time() {
        let found = arrows(
            r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":5,"name":"a"},
                {"ph":"s","pid":1,"tid":1,"ts":5,"id":1,"name":"f"},
                {"ph":"X","pid":1,"tid":2,"ts":20,"dur":0,"name":"b"},
                {"ph":"f","bp":"e","pid":1,"tid":2,"ts":20,"id":1,"name":"f"},
                {"ph":"B","pid":1,"tid":3,"ts":30,"name":"c"},{"ph":"B","pid":1,"tid":3,"ts":31,"name":"d"},
                {"ph":"s","pid":1,"tid":3,"ts":32,"id":2,"name":"f"},{"ph":"E","pid":1,"tid":3,"ts":32},
                {"ph":"s","pid":1,"tid":3,"ts":32,"id":3,"name":"f"},{"ph":"E","pid":1,"tid":3,"ts":40},
                {"ph":"X","pid":1,"tid":4,"ts":50,"dur":9,"name":"e"},
                {"ph":"t","pid":1,"tid":4,"ts":51,"id":2,"name":"f"},
                {"ph":"t","pid":1,"tid":4,"ts":52,"id":3,"name":"f"}]"#,
        );
        assert_eq!(found, ["a > b", "d > e", "c > e"]);
    }

    #[test]
    fn a_slice_where_a_flow_ends_begins_no_other_arrow() {
        let found = arrows(
            r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":5,"name":"a","bind_id":"0x1","flow_out":true},
                {"ph":"X","pid":1,"tid":2,"ts":10,"dur":5,"name":"b","bind_id":"0x1","flow_in":true},
                {"ph":"X","pid":1,"tid":3,"ts":20,"dur":5,"name":"c","bind_id":"0x1","flow_in":true,"flow_out":true},
                {"ph":"X","pid":1,"tid":4,"ts":30,"dur":5,"name":"d","bind_id":"0x1","flow_in":true}]"#,
        );
        assert_eq!(found, ["a > b", "a > c", "c > d"]);
    }

    /// Go's runtime starts the flow of a goroutine that the network wakes at an instant.
    #[test]
    fn a_flow_outside_of_slices_belongs_to_the_instant_of_its_time() {
        let found = arrows(
            r#"[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":5,"name":"around"},
                {"ph":"I","s":"t","pid":1,"tid":1,"ts":2,"name":"inside"},
                {"ph":"s","pid":1,"tid":1,"ts":2,"id":1,"name":"f"},
                {"ph":"I","s":"t","pid":1,"tid":9,"ts":12,"name":"p"},
                {"ph":"s","pid":1,"tid":9,"ts":12,"id":2,"name":"f"},
                {"ph":"i","pid":1,"tid":9,"ts":12,"name":"q"},
                {"ph":"s","pid":1,"tid":9,"ts":12,"id":3,"name":"f"},
                {"ph":"X","pid":1,"tid":2,"ts":20,"dur":5,"name":"to"},
                {"ph":"t","pid":1,"tid":2,"ts":21,"id":1,"name":"f"},
                {"ph":"t","pid":1,"tid":2,"ts":22,"id":2,"name":"f"},
                {"ph":"t","pid":1,"tid":2,"ts":23,"id":3,"name":"f"}]"#,
        );
        assert_eq!(found, ["around > to", "p > to", "q > to"]);
    }

    #[test]
    fn asynchronous_slices_and_instants_have_flows() {
        let text = r#"[{"ph":"b","ts":1,"pid":1,"tid":1,"name":"a","id":1,"cat":"c","bind_id":"0x5","flow_out":true},
            {"ph":"n","ts":2,"pid":1,"tid":1,"name":"n","id":1,"cat":"c","bind_id":"0x5","flow_in":true,"flow_out":true},
            {"ph":"b","ts":3,"pid":1,"tid":1,"name":"b","id":2,"cat":"c","bind_id":"0x5","flow_in":true},
            {"ph":"X","ts":4,"dur":1,"pid":1,"tid":1,"name":"x","bind_id":"0x5","flow_in":true}]"#;
        assert_eq!(arrows(text), ["a > n", "n > b", "n > x"]);
        assert!(read(text).repairs.count(RepairKind::UnmatchedEnd) == 0);
    }

    #[test]
    fn a_flow_without_a_start_before_it_is_counted() {
        let text = r#"[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":5,"name":"late"},
            {"ph":"s","pid":1,"tid":1,"ts":2,"id":1,"name":"f"},
            {"ph":"X","pid":1,"tid":2,"ts":0,"dur":5,"name":"early"},
            {"ph":"f","bp":"e","pid":1,"tid":2,"ts":1,"id":1,"name":"f"},
            {"ph":"t","pid":1,"tid":2,"ts":2,"id":2,"name":"f"}]"#;
        assert!(arrows(text).is_empty());
        let trace = read(text);
        assert_eq!(trace.repairs.count(RepairKind::UnmatchedEnd), 2);
        let lookup = |name| trace.strings.lookup(name);
        assert!(lookup("flow_end_without_start").is_some());
        assert!(lookup("flow_step_without_start").is_some());
    }

    #[test]
    fn a_flow_that_never_ends_at_a_slice_is_counted() {
        let text = r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"a"},{"ph":"s","pid":1,"tid":1,"ts":5,"id":1,"name":"f"},
            {"ph":"f","pid":1,"tid":1,"ts":20,"id":1,"name":"f"}]"#;
        assert!(arrows(text).is_empty());
        assert_eq!(read(text).repairs.count(RepairKind::BadField), 1);
    }

    /// Go's runtime writes the stack that unblocks a goroutine, Trace Compass writes arguments.
    #[test]
    fn arguments_and_stacks_of_flows_are_counted() {
        let text = r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"a"},
            {"ph":"s","pid":1,"tid":1,"ts":1,"id":1,"name":"f","sf":3},
            {"ph":"s","pid":1,"tid":1,"ts":2,"id":2,"name":"f","args":{"n":1}},
            {"ph":"s","pid":1,"tid":1,"ts":3,"id":3,"name":"f","args":{ }},
            {"ph":"s","pid":1,"tid":1,"ts":4,"id":4,"name":"f","args":null,"tts":4}]"#;
        let trace = read(text);
        assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 2);
        assert!(trace.args.is_empty());
    }

    #[test]
    fn flows_with_local_ids_stay_in_their_process() {
        let text = r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"a"},{"ph":"X","pid":2,"tid":2,"ts":0,"dur":9,"name":"b"},
            {"ph":"s","pid":1,"tid":1,"ts":1,"id2":{"local":"7"},"name":"f"},
            {"ph":"s","pid":2,"tid":2,"ts":2,"id2":{"local":"7"},"name":"f"},
            {"ph":"s","pid":2,"tid":2,"ts":2,"name":"f"},
            {"ph":"X","pid":1,"tid":3,"ts":10,"dur":5,"name":"c"},
            {"ph":"t","pid":1,"tid":3,"ts":11,"name":"f"},
            {"ph":"t","pid":1,"tid":3,"ts":12,"id2":{"local":"7"},"name":"f"}]"#;
        assert_eq!(arrows(text), ["a > c"]);
        assert_eq!(read(text).repairs.count(RepairKind::UnparsedLine), 2);
    }
}
