//! The frame timeline of Android, which Perfetto traces have: when the system expected each frame, when it came, and its
//! verdict.
//!
//! ```text
//! expected   |-- 12 --|-- 13 --|           the name is the number of the vsync
//! actual     |--- 12 ------|-- 13 --|      12 is late, and its argument "Jank type" gives the reason
//! ```

use traceloom_trace::{
    ArgSetId, ArgValue, NO_DURATION, ProcessId, RowId, SliceId, StringId, ThreadId, Trace,
    TrackType,
};

use super::names::vsync_id;
use super::threads::{Drawn, FrameKind, process_of};

/// The values of `Jank tag` for late frames: they name who caused it. With other values, a frame was in time or not
/// visible.
const LATE: [&str; 3] = ["Self Jank", "Other Jank", "Dropped Frame"];

/// The verdict of the frame timeline about a frame. Times are on the trace's clock, ns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The slice of the frame in the actual timeline. If an app has several windows, the slice of a late one.
    pub slice: SliceId,
    /// When the frame began.
    pub ts: i64,
    /// When it was done.
    pub end: i64,
    /// When it was expected to begin and to be done, if recorded.
    pub expected: Option<(i64, i64)>,
    /// Why it was late: `None`, or reasons separated by commas.
    pub jank: StringId,
    /// Whether it was late or dropped.
    pub is_late: bool,
}

/// The verdicts on all frames.
#[derive(Default)]
pub(super) struct FrameTimeline {
    /// In order. Frames of the display come after those of the windows of a process.
    verdicts: Vec<(Key, Verdict)>,
}

/// The process of a frame, whether the frame is one of the display, and its vsync number.
type Key = (ProcessId, bool, i64);

impl FrameTimeline {
    pub fn find(trace: &Trace) -> Self {
        let mut timeline = Self::default();
        let kinds = trace.tracks.kind.iter();
        if !kinds
            .clone()
            .any(|kind| kind == TrackType::AndroidActualFrameTimeline)
        {
            return timeline;
        }
        let words = Words::new(trace);
        let mut expected: Vec<(Key, (i64, i64))> = Vec::new();
        for row in 0..trace.slices.len() {
            let track = trace.slices.track_id.get(row).row();
            let kind = trace.tracks.kind.get(track);
            let is_actual = kind == TrackType::AndroidActualFrameTimeline;
            let has_end = trace.slices.dur.get(row) != NO_DURATION;
            if !has_end || !is_actual && kind != TrackType::AndroidExpectedFrameTimeline {
                continue;
            }
            let args = trace.slices.arg_set_id.get(row);
            let number = trace.strings.get(trace.slices.name.get(row)).parse();
            let Ok(number) = number else {
                continue;
            };
            let is_display = words.value(trace, args, words.surface).is_none();
            let key = (trace.tracks.upid.get(track), is_display, number);
            let slice = SliceId::from_row(row);
            if is_actual {
                timeline.verdicts.push((key, words.verdict(trace, slice)));
            } else {
                let times = (trace.slices.ts.get(row), trace.slice_end(slice));
                expected.push((key, times));
            }
        }
        timeline.settle(expected);
        timeline
    }

    /// Keeps the worst verdict about each frame, and adds the expected times.
    fn settle(&mut self, mut expected: Vec<(Key, (i64, i64))>) {
        expected.sort_by_key(|(key, _)| *key);
        self.verdicts
            .sort_by_key(|(key, one)| (*key, !one.is_late, std::cmp::Reverse(one.end), one.slice));
        self.verdicts.dedup_by_key(|(key, _)| *key);
        for (key, verdict) in &mut self.verdicts {
            let found = expected.binary_search_by_key(key, |(key, _)| *key).ok();
            verdict.expected = found.and_then(|at| expected.get(at)).map(|one| one.1);
        }
    }

    /// The verdict about the frame of an app that a slice of its UI thread began.
    pub fn of_slice(&self, trace: &Trace, upid: ProcessId, slice: SliceId) -> Option<Verdict> {
        if self.verdicts.is_empty() {
            return None;
        }
        let name = trace.strings.get(trace.slices.name.get(slice.row()));
        let key = (upid, false, vsync_id(name)?.parse().ok()?);
        self.get(key)
    }

    fn get(&self, key: Key) -> Option<Verdict> {
        let found = self.verdicts.binary_search_by_key(&key, |(key, _)| *key);
        Some(self.verdicts.get(found.ok()?)?.1)
    }

    /// The late frames' slices in the timeline.
    pub fn late(&self) -> impl Iterator<Item = SliceId> {
        let late = self.verdicts.iter().filter(|(_, one)| one.is_late);
        late.map(|(_, one)| one.slice)
    }

    /// The processes whose frames are only in the timeline, with their slices there. `drawn` are the threads whose
    /// frames are known.
    pub fn others(&self, trace: &Trace, drawn: &[Drawn]) -> Vec<Drawn> {
        let is_known = |upid: ProcessId, is_display: bool| {
            drawn.iter().any(|thread| match thread.kind {
                FrameKind::Compositor => is_display,
                FrameKind::App if !is_display && process_of(trace, thread.utid) == upid => {
                    let mut slices = thread.slices.iter();
                    slices.any(|slice| self.of_slice(trace, upid, *slice).is_some())
                }
                _ => false,
            })
        };
        let mut others = Vec::new();
        for of_process in self
            .verdicts
            .chunk_by(|(one, _), (next, _)| (one.0, one.1) == (next.0, next.1))
        {
            let Some(((upid, is_display, _), _)) = of_process.first() else {
                continue;
            };
            let Some(utid) = main_thread(trace, *upid).filter(|_| !is_known(*upid, *is_display))
            else {
                continue;
            };
            let mut slices: Vec<SliceId> = of_process.iter().map(|(_, one)| one.slice).collect();
            slices.sort_unstable();
            others.push(Drawn {
                kind: if *is_display {
                    FrameKind::Compositor
                } else {
                    FrameKind::Timeline
                },
                utid,
                slices,
            });
        }
        others
    }

    /// The verdict of a slice in the actual timeline.
    pub fn of_own(&self, trace: &Trace, slice: SliceId) -> Option<Verdict> {
        let track = trace.slices.track_id.get(slice.row()).row();
        if trace.tracks.kind.get(track) != TrackType::AndroidActualFrameTimeline {
            return None;
        }
        let name = trace.strings.get(trace.slices.name.get(slice.row()));
        let number = name.parse().ok()?;
        let upid = trace.tracks.upid.get(track);
        let verdicts = [false, true].map(|is_display| self.get((upid, is_display, number)));
        verdicts
            .into_iter()
            .flatten()
            .find(|one| one.slice == slice)
    }
}

/// The thread that is shown for a process: its main thread.
fn main_thread(trace: &Trace, upid: ProcessId) -> Option<ThreadId> {
    let threads = trace.threads.upid.iter().enumerate();
    let mut own = threads.filter(|(_, of)| *of == upid).map(|(row, _)| row);
    let first = own.clone().next();
    let main = own.find(|row| trace.threads.is_main_thread.get(*row));
    main.or(first).map(ThreadId::from_row)
}

/// The keys and values of arguments.
struct Words {
    surface: Option<StringId>,
    jank: Option<StringId>,
    tag: Option<StringId>,
    late: [Option<StringId>; 3],
}

impl Words {
    fn new(trace: &Trace) -> Self {
        let find = |word| trace.strings.lookup(word);
        Self {
            surface: find("Surface frame token"),
            jank: find("Jank type"),
            tag: find("Jank tag"),
            late: LATE.map(find),
        }
    }

    fn value(&self, trace: &Trace, args: ArgSetId, key: Option<StringId>) -> Option<ArgValue> {
        trace.args.value(args.some()?, key?)
    }

    fn text(&self, trace: &Trace, args: ArgSetId, key: Option<StringId>) -> Option<StringId> {
        match self.value(trace, args, key) {
            Some(ArgValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn verdict(&self, trace: &Trace, slice: SliceId) -> Verdict {
        let args = trace.slices.arg_set_id.get(slice.row());
        let tag = self.text(trace, args, self.tag);
        Verdict {
            slice,
            ts: trace.slices.ts.get(slice.row()),
            end: trace.slice_end(slice),
            expected: None,
            jank: self.text(trace, args, self.jank).unwrap_or(StringId::NULL),
            is_late: tag.is_some() && self.late.contains(&tag),
        }
    }
}
