//! Frames with the verdict of a frame timeline.

use traceloom_analyze::TimeRange;
use traceloom_analyze::frames::{FrameKind, FrameReport, FrameSelection, Frames};
use traceloom_trace::{ArgValue, ProcessId, SliceBegin, SliceId, Trace, TraceBuilder, TrackType};

const MS: i64 = 1_000_000;

/// A trace of an app with the pid 7.
struct Made {
    out: TraceBuilder,
    upid: ProcessId,
}

impl Made {
    fn new() -> Self {
        let mut out = TraceBuilder::new();
        let thread = out.thread(7);
        let upid = out.put_in_process(thread, 7);
        Self { out, upid }
    }

    /// A frame in a timeline, in ms. A display frame has no `layer`.
    fn frame(&mut self, kind: TrackType, number: &str, times: [i64; 2], tag: &str, layer: bool) {
        let out = &mut self.out;
        let name = out.intern(b"timeline");
        let mut track = out.process_track(kind, self.upid, name);
        if kind == TrackType::AndroidActualFrameTimeline {
            track = out.lane_of(track);
        }
        let mut args = vec![
            (
                out.intern(b"Jank tag"),
                ArgValue::Text(out.intern(tag.as_bytes())),
            ),
            (out.intern(b"Jank type"), ArgValue::Text(out.intern(b"why"))),
        ];
        if layer {
            args.push((out.intern(b"Surface frame token"), ArgValue::Int(1)));
        }
        let begin = SliceBegin {
            arg_set_id: out.args(args),
            ..SliceBegin::named(times[0] * MS, out.intern(number.as_bytes()))
        };
        out.whole_slice(track, begin, (times[1] - times[0]) * MS);
    }

    fn expected(&mut self, number: &str, times: [i64; 2]) {
        let kind = TrackType::AndroidExpectedFrameTimeline;
        self.frame(kind, number, times, "", true);
    }

    fn actual(&mut self, number: &str, times: [i64; 2], tag: &str) {
        let kind = TrackType::AndroidActualFrameTimeline;
        self.frame(kind, number, times, tag, true);
    }

    /// The slice of the UI thread.
    fn ui(&mut self, number: &str, times: [i64; 2]) {
        let thread = self.out.thread(7);
        let track = self.out.thread_track(thread);
        let name = format!("Choreographer#doFrame {number}");
        let name = self.out.intern(name.as_bytes());
        let begin = SliceBegin::named(times[0] * MS, name);
        self.out
            .whole_slice(track, begin, (times[1] - times[0]) * MS);
    }

    fn finish(self) -> Trace {
        self.out.finish()
    }
}

fn report(trace: &Trace) -> FrameReport {
    let selection = FrameSelection {
        range: TimeRange::ALL,
        wanted: &|_| true,
        limit: 10,
    };
    Frames::find(trace).report(trace, &selection)
}

#[test]
fn the_timeline_tells_which_frames_were_late() {
    let mut made = Made::new();
    // The first one is long, but nobody waits for it. The second one is short, and late in one of two windows.
    made.expected("12", [0, 50]);
    made.ui("12", [1, 41]);
    made.actual("12", [1, 45], "No Jank");
    made.expected("13", [50, 66]);
    made.ui("13", [52, 54]);
    made.actual("13", [52, 60], "No Jank");
    made.actual("13", [52, 90], "Self Jank");
    // A frame without a verdict.
    made.ui("14", [100, 101]);
    let trace = made.finish();
    let report = report(&trace);
    assert_eq!(report.judged, Some(2));
    let [app] = &report.apps[..] else {
        panic!("{:?}", report.apps);
    };
    assert_eq!(
        (app.kind, app.frames, app.janky, app.missed),
        ("app", 3, 1, 2)
    );
    let late = &report.worst[0];
    assert_eq!(
        (late.ts, late.dur, late.late_start_ns),
        (52 * MS, 2 * MS, 2 * MS)
    );
    let verdict = late.verdict.as_ref().unwrap();
    assert_eq!(
        (verdict.end, verdict.expected_end),
        (90 * MS, Some(66 * MS))
    );
    assert_eq!((verdict.jank.as_str(), verdict.late), ("why", true));
    let frames = Frames::find(&trace);
    let janky = (0..trace.slices.len()).filter(|row| frames.is_janky(SliceId(*row as u32)));
    let janky: Vec<_> = janky.map(|row| trace.slices.ts.get(row) / MS).collect();
    assert_eq!(janky, [52, 52]);
}

#[test]
fn without_slices_of_threads_the_timeline_has_the_frames() {
    let mut made = Made::new();
    made.expected("12", [0, 16]);
    made.actual("12", [3, 20], "Other Jank");
    made.actual("13", [20, 30], "Buffer Stuffing");
    let kind = TrackType::AndroidActualFrameTimeline;
    made.frame(kind, "5", [21, 22], "Dropped Frame", false);
    let trace = made.finish();
    let frames = Frames::find(&trace);
    let kinds: Vec<_> = frames.apps.iter().map(|app| app.kind).collect();
    assert_eq!(kinds, [FrameKind::Timeline, FrameKind::Compositor]);
    let told = report(&trace);
    assert_eq!(told.judged, Some(3));
    let told = told.apps.iter().map(|app| (app.frames, app.janky));
    assert_eq!(told.collect::<Vec<_>>(), [(2, 1), (1, 1)]);
}
