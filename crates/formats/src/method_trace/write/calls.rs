//! Converts slices back to calls and returns, in order of time.

use traceloom_trace::{NO_DURATION, RowId, SliceId, ThreadId, Trace, TrackId};

/// A call or a return.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub wall_ns: i64,
    pub cpu_ns: i64,
    pub slice: SliceId,
    pub thread: ThreadId,
    pub is_exit: bool,
}

/// The open slices of a track, and the time of its last event.
#[derive(Default)]
struct Open {
    slices: Vec<SliceId>,
    last_ns: i64,
}

/// Every call and return of the threads' slices. Times count from `start_ns` and never decrease on
/// a thread, so sorting by time keeps each thread's own order:
///
/// ```text
/// slices    a 0..9   b 1..4   c 5..7      (in the order of the table)
/// calls     a(  b(  )b  c(  )c  )a        a return is due when the next slice is not inside
/// ```
pub(super) fn calls(trace: &Trace, start_ns: i64) -> Vec<Call> {
    let mut walk = Walk {
        trace,
        start_ns,
        open: (0..trace.tracks.len()).map(|_| Open::default()).collect(),
        calls: Vec::new(),
    };
    for row in trace.slices.spans() {
        walk.slice(SliceId::from_row(row));
    }
    for track in 0..walk.open.len() {
        walk.close_until(TrackId::from_row(track), SliceId::NONE);
    }
    walk.calls.sort_by_key(|call| call.wall_ns);
    walk.calls
}

/// The thread whose calls are on the track; `None` for other kinds of tracks.
pub(super) fn thread_of(trace: &Trace, track: TrackId) -> Option<ThreadId> {
    match trace.tracks.kind.get(track.row()) {
        kind if kind.is_stack() => trace.track_thread(track),
        _ => None,
    }
}

struct Walk<'a> {
    trace: &'a Trace,
    start_ns: i64,
    open: Vec<Open>,
    calls: Vec<Call>,
}

impl Walk<'_> {
    fn slice(&mut self, slice: SliceId) {
        let row = self.trace.slices.row(slice.row());
        let Some(thread) = thread_of(self.trace, row.track_id) else {
            return;
        };
        self.close_until(row.track_id, row.parent_id);
        let wall_ns = self.advance(row.track_id, row.ts);
        self.open[row.track_id.row()].slices.push(slice);
        self.calls.push(Call {
            wall_ns,
            cpu_ns: row.thread_ts.max(0),
            slice,
            thread,
            is_exit: false,
        });
    }

    /// Returns from everything inside `parent`.
    fn close_until(&mut self, track: TrackId, parent: SliceId) {
        while let Some(&slice) = self.open[track.row()].slices.last() {
            if slice == parent {
                return;
            }
            self.open[track.row()].slices.pop();
            let row = self.trace.slices.row(slice.row());
            let Some(thread) = thread_of(self.trace, track).filter(|_| row.dur != NO_DURATION)
            else {
                continue;
            };
            let wall_ns = self.advance(track, row.ts.saturating_add(row.dur));
            self.calls.push(Call {
                wall_ns,
                cpu_ns: row.thread_ts.max(0).saturating_add(row.thread_dur.max(0)),
                slice,
                thread,
                is_exit: true,
            });
        }
    }

    fn advance(&mut self, track: TrackId, ts: i64) -> i64 {
        let open = &mut self.open[track.row()];
        open.last_ns = open.last_ns.max(ts.saturating_sub(self.start_ns));
        open.last_ns
    }
}
