//! The frame report that tables and panels show.

use serde::Serialize;
use traceloom_trace::{NO_NUMBER, RowId, SliceId, Trace};

use super::{
    Blocked, Frame, FrameApp, FrameDetails, FrameKind, FrameStats, Frames, TopSlice, Verdict,
    VsyncSource,
};
use crate::state::StateKind;
use crate::tree::TimeRange;
use crate::waits::{WaitText, process_label};

/// The frames to report.
pub struct FrameSelection<'a> {
    /// Only frames that overlap this range of the trace clock.
    pub range: TimeRange,
    /// Only frames of these apps.
    pub wanted: &'a dyn Fn(&FrameApp) -> bool,
    /// The number of frames to explain, worst first.
    pub limit: usize,
}

/// How well each app drew, and why the worst frames took long. Durations and times are in ns; times count from the
/// first event of the trace.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FrameReport {
    /// The time between two vsyncs.
    pub vsync_ns: i64,
    /// How it was found: the name of a counter, `slices` and the name of slices, `distance of frames` or `assumed`.
    pub vsync_source: String,
    /// The longest time from its vsync in which a frame is not late.
    pub deadline_ns: i64,
    /// The number of frames for which the trace's frame timeline has a verdict; `None` without a frame timeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<usize>,
    /// The apps.
    pub apps: Vec<AppReport>,
    /// The worst frames: by missed vsyncs, then by duration.
    pub worst: Vec<WorstFrame>,
}

/// How well one app drew.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AppReport {
    /// The row of its process, or none.
    pub upid: u32,
    /// The row of its thread.
    pub utid: u32,
    /// The pid, -1 if unknown.
    pub pid: i64,
    /// The tid.
    pub tid: i64,
    /// The name of its process, and the name of the thread unless it is the main thread.
    pub label: String,
    /// `app`, `flutter`, `buffers`, `timeline` or `compositor`.
    pub kind: &'static str,
    /// The number of frames.
    pub frames: usize,
    /// The number of janky frames.
    pub janky: usize,
    /// The number of vsyncs missed.
    pub missed: u64,
    /// The median duration.
    pub p50_ns: i64,
    /// The 90th percentile.
    pub p90_ns: i64,
    /// The 99th percentile.
    pub p99_ns: i64,
    /// The longest duration.
    pub worst_ns: i64,
    /// The number of frames whose end was not recorded; no other number includes them.
    pub unfinished: usize,
}

/// A frame, and why it took its time.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WorstFrame {
    /// The row of the process, or none.
    pub upid: u32,
    /// The row of the thread.
    pub utid: u32,
    /// The app.
    pub label: String,
    /// When the UI thread started.
    pub ts: i64,
    /// The time until it was drawn.
    pub dur: i64,
    /// The time from its vsync until the UI thread started.
    pub late_start_ns: i64,
    /// The part of `dur` on the UI thread.
    pub ui_ns: i64,
    /// The number of vsyncs missed.
    pub missed: u32,
    /// The slice on the UI thread.
    pub slice: u32,
    /// The slice on the RenderThread, or none.
    pub render_slice: u32,
    /// On a CPU. This and the next four times are of the UI thread until it finishes, then of the
    /// RenderThread.
    pub running_ns: i64,
    /// Waiting for a CPU.
    pub runnable_ns: i64,
    /// Waiting for another thread or a timer: the sum of the next two fields.
    pub blocked_ns: i64,
    /// The part of `blocked_ns` in interruptible sleep.
    pub sleeping_ns: i64,
    /// The part of `blocked_ns` in uninterruptible sleep.
    pub uninterruptible_ns: i64,
    /// Waiting for I/O.
    pub io_ns: i64,
    /// Stopped, or unknown.
    pub other_ns: i64,
    /// What it waited for, longest first.
    pub blocked_on: Vec<BlockedReport>,
    /// The slices with the most exclusive time.
    pub top: Vec<TopReport>,
    /// The verdict of the frame timeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<VerdictReport>,
}

/// The verdict of the frame timeline about a frame.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct VerdictReport {
    /// When it began.
    pub ts: i64,
    /// When it was done.
    pub end: i64,
    /// When it was expected to begin.
    pub expected_ts: Option<i64>,
    /// When it was expected to be done.
    pub expected_end: Option<i64>,
    /// Why it was late; `None` if it was not.
    pub jank: String,
    /// Whether it was late.
    pub late: bool,
    /// The slice in the actual timeline.
    pub slice: u32,
}

/// A wait.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BlockedReport {
    /// The innermost slice around it, or empty.
    pub label: String,
    /// Why it waited.
    #[serde(flatten)]
    pub why: WaitText,
    /// Whether it was an I/O wait.
    pub io: bool,
    /// The duration.
    pub ns: i64,
}

/// Slices of one name.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TopReport {
    /// The name.
    pub label: String,
    /// Their exclusive time.
    pub ns: i64,
    /// The longest of them.
    pub slice: u32,
}

impl Frames {
    /// The report of a selection.
    pub fn report(&self, trace: &Trace, selection: &FrameSelection<'_>) -> FrameReport {
        let in_range = |frame: &Frame| {
            selection
                .range
                .overlaps(frame.ts, frame.end.max(frame.ts + 1))
        };
        let mut is_wanted: Vec<bool> = self.apps.iter().map(selection.wanted).collect();
        let mut apps = Vec::new();
        for (app, wanted) in self.apps.iter().zip(&mut is_wanted) {
            let frames = self.of_app(app).iter().filter(|frame| in_range(frame));
            let stats = FrameStats::new(frames);
            *wanted &= stats.frames > 0;
            if *wanted {
                apps.push(app_report(trace, app, &stats));
            }
        }
        let judged = self.frames.iter().filter(|frame| {
            frame.verdict.is_some() && is_wanted[frame.app as usize] && in_range(frame)
        });
        let judged = Some(judged.count()).filter(|count| *count > 0);
        let worst = self.worst(&|frame| is_wanted[frame.app as usize] && in_range(frame));
        let details = FrameDetails::new(trace);
        let worst = worst.iter().take(selection.limit);
        FrameReport {
            vsync_ns: self.vsync.period_ns,
            vsync_source: match self.vsync.source {
                VsyncSource::Counter(name) => trace.strings.get(name).to_owned(),
                VsyncSource::Slices(name) => format!("slices {}", trace.strings.get(name)),
                VsyncSource::FrameDistance => "distance of frames".to_owned(),
                VsyncSource::Assumed => "assumed".to_owned(),
            },
            deadline_ns: self.vsync.period_ns,
            judged,
            apps,
            worst: worst
                .map(|&at| self.worst_frame(trace, &details, &self.frames[at]))
                .collect(),
        }
    }

    fn worst_frame(&self, trace: &Trace, details: &FrameDetails<'_>, frame: &Frame) -> WorstFrame {
        let app = &self.apps[frame.app as usize];
        let detail = details.detail(frame, app.utid);
        let name = |slice: SliceId| slice.some().map(|slice| trace.slice_name(slice));
        let blocked = |one: &Blocked| BlockedReport {
            label: name(named(trace, one.slice)).unwrap_or_default(),
            why: one.why.text(trace),
            io: one.why.state == StateKind::UninterruptibleIo,
            ns: one.ns,
        };
        let top = |one: &TopSlice| TopReport {
            label: trace.slice_name(one.slice),
            ns: one.own_ns,
            slice: one.slice.0,
        };
        WorstFrame {
            upid: app.upid.0,
            utid: app.utid.0,
            label: app_label(trace, app),
            ts: frame.ts.saturating_sub(trace.bounds.0),
            dur: frame.dur_ns(),
            late_start_ns: frame.ts.saturating_sub(frame.vsync),
            ui_ns: frame.ui_end.saturating_sub(frame.ts),
            missed: frame.missed,
            slice: frame.slice.0,
            render_slice: frame.render.0,
            running_ns: detail.running_ns,
            runnable_ns: detail.runnable_ns,
            blocked_ns: detail.sleeping_ns + detail.uninterruptible_ns,
            sleeping_ns: detail.sleeping_ns,
            uninterruptible_ns: detail.uninterruptible_ns,
            io_ns: detail.io_ns,
            other_ns: detail.other_ns,
            blocked_on: detail.blocked_on.iter().map(blocked).collect(),
            top: detail.top.iter().map(top).collect(),
            verdict: frame.verdict.map(|one| verdict(trace, &one)),
        }
    }
}

fn verdict(trace: &Trace, one: &Verdict) -> VerdictReport {
    let after_start = |ts: i64| ts.saturating_sub(trace.bounds.0);
    VerdictReport {
        ts: after_start(one.ts),
        end: after_start(one.end),
        expected_ts: one.expected.map(|(from, _)| after_start(from)),
        expected_end: one.expected.map(|(_, until)| after_start(until)),
        jank: trace.strings.get(one.jank).to_owned(),
        late: one.is_late,
        slice: one.slice.0,
    }
}

fn app_report(trace: &Trace, app: &FrameApp, stats: &FrameStats) -> AppReport {
    let process = app.upid.some();
    AppReport {
        upid: app.upid.0,
        utid: app.utid.0,
        pid: process.map_or(NO_NUMBER, |upid| trace.processes.pid.get(upid.row())),
        tid: trace.threads.tid.get(app.utid.row()),
        label: app_label(trace, app),
        kind: match app.kind {
            FrameKind::App => "app",
            FrameKind::Flutter => "flutter",
            FrameKind::Buffers => "buffers",
            FrameKind::Timeline => "timeline",
            FrameKind::Compositor => "compositor",
        },
        frames: stats.frames,
        janky: stats.janky,
        missed: stats.missed,
        p50_ns: stats.p50_ns,
        p90_ns: stats.p90_ns,
        p99_ns: stats.p99_ns,
        worst_ns: stats.worst_ns,
        unfinished: app.unfinished,
    }
}

/// The slice that explains a wait: for a binder transaction, the slice around it.
fn named(trace: &Trace, slice: SliceId) -> SliceId {
    let is_call = |slice: &SliceId| trace.slice_name(*slice) == "binder transaction";
    let around = |slice: SliceId| trace.slices.parent_id.get(slice.row()).some();
    slice
        .some()
        .filter(is_call)
        .and_then(around)
        .unwrap_or(slice)
}

/// The name of an app: its process, and its thread unless that is the main thread.
pub fn app_label(trace: &Trace, app: &FrameApp) -> String {
    let thread = trace.thread_name(app.utid);
    let is_main = trace.threads.is_main_thread.get(app.utid.row());
    match process_label(trace, app.upid) {
        Some(process) if is_main || process == thread => process,
        Some(process) => format!("{process} {thread}"),
        None => thread,
    }
}
