//! Frames in words and numbers: what a table or a panel shows.

use serde::Serialize;
use traceloom_trace::{NO_NUMBER, ProcessId, RowId, SliceId, StringId, ThreadId, Trace};

use super::{
    Blocked, Frame, FrameApp, FrameDetails, FrameKind, FrameStats, Frames, TopSlice, VsyncSource,
};
use crate::tree::TimeRange;

/// Which frames a report is about.
pub struct FrameSelection<'a> {
    /// Only frames that are on their way within this range of the trace's clock.
    pub range: TimeRange,
    /// Only frames of these apps.
    pub wanted: &'a dyn Fn(&FrameApp) -> bool,
    /// How many frames are told of, the worst first.
    pub limit: usize,
}

/// Who drew, how well, and what held the worst frames. Times are ns; moments count from the
/// trace's first event.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FrameReport {
    /// From one picture of the display to the next.
    pub vsync_ns: i64,
    /// How that is known: the counter's name, `distance of frames` or `assumed`.
    pub vsync_source: String,
    /// How long after its tick a frame is still in time.
    pub deadline_ns: i64,
    /// Who draws.
    pub apps: Vec<AppReport>,
    /// The worst frames: those that missed most ticks first, then the longest.
    pub worst: Vec<WorstFrame>,
}

/// How well one app drew.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AppReport {
    /// The process's row, if it is known.
    pub upid: u32,
    /// The thread's row.
    pub utid: u32,
    /// Its process's number, -1 if it is not known.
    pub pid: i64,
    /// The thread's number.
    pub tid: i64,
    /// Its name, and the thread's where that is not the process's first.
    pub label: String,
    /// `app` or `compositor`.
    pub kind: &'static str,
    /// How many frames.
    pub frames: usize,
    /// How many came late.
    pub janky: usize,
    /// Ticks that passed without a new picture.
    pub missed: u64,
    /// Half of the frames took no longer.
    pub p50_ns: i64,
    /// Nine of ten took no longer.
    pub p90_ns: i64,
    /// Ninety-nine of a hundred took no longer.
    pub p99_ns: i64,
    /// The longest.
    pub worst_ns: i64,
    /// Frames that the trace does not show the end of, which no number counts.
    pub unfinished: usize,
}

/// A frame and what held it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WorstFrame {
    /// The process's row, if it is known.
    pub upid: u32,
    /// The thread's row.
    pub utid: u32,
    /// The app.
    pub label: String,
    /// When the UI thread began.
    pub ts: i64,
    /// Until it was drawn.
    pub dur: i64,
    /// How long after its tick the UI thread began.
    pub late_start_ns: i64,
    /// Of it, the UI thread's part.
    pub ui_ns: i64,
    /// Ticks that passed meanwhile.
    pub missed: u32,
    /// The slice on the UI thread.
    pub slice: u32,
    /// The RenderThread's slice, or none.
    pub render_slice: u32,
    /// On a CPU: the UI thread until it is through, then the RenderThread; so below.
    pub running_ns: i64,
    /// Ready to run, but without a CPU.
    pub runnable_ns: i64,
    /// Waiting for another thread or a timer.
    pub blocked_ns: i64,
    /// Waiting for a disk.
    pub io_ns: i64,
    /// Not known.
    pub other_ns: i64,
    /// On what it waited, longest first.
    pub blocked_on: Vec<BlockedReport>,
    /// The slices that took most time of their own.
    pub top: Vec<TopReport>,
}

/// A wait.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BlockedReport {
    /// The innermost slice meanwhile, or empty.
    pub label: String,
    /// The kernel function it waited in, or empty.
    pub function: String,
    /// Who ended it, or empty.
    pub waker: String,
    /// The thread that ended it, or none.
    pub waker_utid: u32,
    /// Whether it was a wait for a disk.
    pub io: bool,
    /// How long.
    pub ns: i64,
}

/// Slices of one name.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TopReport {
    /// The name.
    pub label: String,
    /// Their time without those within.
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
            let frames = self.of(app).iter().filter(|frame| in_range(frame));
            let stats = FrameStats::of(frames);
            *wanted &= stats.frames > 0;
            if *wanted {
                apps.push(app_report(trace, app, &stats));
            }
        }
        let worst = self.worst(&|frame| is_wanted[frame.app as usize] && in_range(frame));
        let details = FrameDetails::new(trace);
        let worst = worst.iter().take(selection.limit);
        FrameReport {
            vsync_ns: self.vsync.period_ns,
            vsync_source: match self.vsync.source {
                VsyncSource::Counter(name) => trace.strings.get(name).to_owned(),
                VsyncSource::FrameDistance => "distance of frames".to_owned(),
                VsyncSource::Assumed => "assumed".to_owned(),
            },
            deadline_ns: self.vsync.period_ns,
            apps,
            worst: worst
                .map(|&at| self.worst_frame(trace, &details, &self.frames[at]))
                .collect(),
        }
    }

    fn worst_frame(&self, trace: &Trace, details: &FrameDetails<'_>, frame: &Frame) -> WorstFrame {
        let app = &self.apps[frame.app as usize];
        let detail = details.of(frame);
        let name = |slice: SliceId| slice.some().map(|slice| trace.slice_name(slice));
        let blocked = |one: &Blocked| BlockedReport {
            label: name(named(trace, one.slice)).unwrap_or_default(),
            function: text(trace, one.function),
            waker: thread_label(trace, one.waker),
            waker_utid: one.waker.0,
            io: one.is_io,
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
            blocked_ns: detail.blocked_ns,
            io_ns: detail.io_ns,
            other_ns: detail.other_ns,
            blocked_on: detail.blocked_on.iter().map(blocked).collect(),
            top: detail.top.iter().map(top).collect(),
        }
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

/// The slice that says what a wait was for: around a call of another process, the one that made it.
fn named(trace: &Trace, slice: SliceId) -> SliceId {
    let is_call = |slice: &SliceId| trace.slice_name(*slice) == "binder transaction";
    let around = |slice: SliceId| trace.slices.parent_id.get(slice.row()).some();
    slice
        .some()
        .filter(is_call)
        .and_then(around)
        .unwrap_or(slice)
}

fn text(trace: &Trace, id: StringId) -> String {
    trace.strings.get(id).to_owned()
}

/// What an app is called: its process, and its thread where that is not the process's first.
pub fn app_label(trace: &Trace, app: &FrameApp) -> String {
    let thread = trace.thread_name(app.utid);
    let is_main = trace.threads.is_main_thread.get(app.utid.row());
    match process_label(trace, app.upid) {
        Some(process) if is_main || process == thread => process,
        Some(process) => format!("{process} {thread}"),
        None => thread,
    }
}

/// A thread's name, with its process's where that is another.
fn thread_label(trace: &Trace, utid: ThreadId) -> String {
    let Some(utid) = utid.some().filter(|utid| utid.row() < trace.threads.len()) else {
        return String::new();
    };
    if trace.threads.tid.get(utid.row()) == 0 {
        // Whatever interrupts an idle CPU runs in the idle thread's name.
        return "an interrupt".to_owned();
    }
    let thread = trace.thread_name(utid);
    match process_label(trace, trace.threads.upid.get(utid.row())) {
        Some(process) if process != thread => format!("{thread} of {process}"),
        _ => thread,
    }
}

fn process_label(trace: &Trace, upid: ProcessId) -> Option<String> {
    let row = upid.some()?.row();
    Some(match text(trace, trace.processes.name.get(row)) {
        name if name.is_empty() => format!("process {}", trace.processes.pid.get(row)),
        name => name,
    })
}
