//! The threads that draw, and their slices.

use traceloom_trace::{ProcessId, RowId, SliceId, ThreadId, Trace, sort};

use super::buffers;
use super::names::{APP, BUFFERS, COMPOSITOR, DRAWERS, FLUTTER, Role, roles, vsync_id};

/// The kind of a thread that draws.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FrameKind {
    /// A thread of an app that has a UI.
    App,
    /// The UI thread of Flutter.
    Flutter,
    /// A thread that hands buffers to the compositor, such as that of a game.
    Buffers,
    /// An app whose frames are only in the frame timeline.
    Timeline,
    /// The compositor.
    Compositor,
}

/// A slice that may be a frame or a part of one.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub slice: SliceId,
    pub utid: ThreadId,
    pub role: Role,
}

/// A thread and its frames.
pub(super) struct Drawn {
    pub kind: FrameKind,
    pub utid: ThreadId,
    pub slices: Vec<SliceId>,
}

/// The slices of threads that have a role, and those of any track that mark a vsync, in order of time.
pub(super) fn candidates(trace: &Trace) -> (Vec<Candidate>, Vec<SliceId>) {
    let roles = roles(&trace.strings);
    let (mut candidates, mut ticks) = (Vec::new(), Vec::new());
    if roles.iter().all(|role| *role == Role::Other) {
        return (candidates, ticks);
    }
    for (row, name) in trace.slices.name.iter().enumerate() {
        let role = roles.get(name.0 as usize).copied().unwrap_or(Role::Other);
        if role == Role::Other || trace.slices.is_instant(row) {
            continue;
        }
        if role == Role::Tick {
            ticks.push(SliceId::from_row(row));
            continue;
        }
        let track = trace.slices.track_id.get(row);
        let is_own = trace.tracks.kind.get(track.row()).is_stack();
        if let Some(utid) = trace.track_thread(track).filter(|_| is_own) {
            let slice = SliceId::from_row(row);
            candidates.push(Candidate { slice, utid, role });
        }
    }
    (candidates, ticks)
}

/// The frames of a thread: the slices with the first role that it has, except those inside another
/// slice of that role.
pub(super) fn thread_frames(trace: &Trace, candidates: &[Candidate]) -> Option<Drawn> {
    let utid = candidates.first()?.utid;
    let has = |roles: &[Role]| candidates.iter().any(|one| roles.contains(&one.role));
    let (kind, roles): (_, &[Role]) = if is_compositor(trace, utid) {
        (FrameKind::Compositor, &COMPOSITOR)
    } else if has(&FLUTTER) {
        (FrameKind::Flutter, &FLUTTER)
    } else if has(&APP) {
        (FrameKind::App, &APP)
    } else if has(&DRAWERS) {
        return None;
    } else {
        (FrameKind::Buffers, &BUFFERS)
    };
    for role in roles {
        let of_role = candidates.iter().filter(|one| one.role == *role);
        let slices = outermost(trace, of_role.map(|one| one.slice));
        if !slices.is_empty() {
            return Some(Drawn { kind, utid, slices });
        }
    }
    None
}

/// Keeps the threads that queue their own buffers. Binder threads queue buffers for others. If a
/// process draws more frames in another way, its buffers are not its frames.
pub(super) fn keep_own_buffers(trace: &Trace, drawn: &mut Vec<Drawn>) {
    let mut others: Vec<(ProcessId, usize)> = Vec::new();
    for thread in drawn.iter().filter(|one| one.kind != FrameKind::Buffers) {
        others.push((process_of(trace, thread.utid), thread.slices.len()));
    }
    drawn.retain(|thread| {
        let (upid, frames) = (process_of(trace, thread.utid), thread.slices.len());
        let is_more = |&(other, count): &(ProcessId, usize)| other == upid && count >= frames;
        let name = trace.thread_name(thread.utid).to_ascii_lowercase();
        let serves = name.starts_with("binder") || name.starts_with("hwbinder");
        thread.kind != FrameKind::Buffers
            || frames > buffers::FEWEST && !serves && !others.iter().any(is_more)
    });
}

/// The slices that are not within another one, in order of time.
pub(super) fn outermost(trace: &Trace, slices: impl Iterator<Item = SliceId>) -> Vec<SliceId> {
    let (mut outer, mut last_end) = (Vec::new(), i64::MIN);
    for slice in slices {
        if trace.slices.ts.get(slice.row()) >= last_end {
            last_end = trace.slice_end(slice);
            outer.push(slice);
        }
    }
    outer
}

fn is_compositor(trace: &Trace, utid: ThreadId) -> bool {
    let process = process_of(trace, utid).some();
    let process = process.map(|upid| trace.strings.get(trace.processes.name.get(upid.row())));
    let names = [process.unwrap_or_default(), &trace.thread_name(utid)];
    names.iter().any(|name| name.ends_with("surfaceflinger"))
}

pub(super) fn process_of(trace: &Trace, utid: ThreadId) -> ProcessId {
    trace.threads.upid.get(utid.row())
}

/// The slices of the threads that draw for others, by process and in order of time.
pub(super) struct Renders(Vec<(ProcessId, SliceId)>);

impl Renders {
    pub fn new(trace: &Trace, candidates: &[Candidate], role: Role) -> Self {
        let mut renders = Vec::new();
        for one in candidates.iter().filter(|one| one.role == role) {
            renders.push((process_of(trace, one.utid), one.slice));
        }
        sort::by_key(&mut renders, |(upid, _)| *upid);
        Self(renders)
    }

    /// The slices of one process, in order of time.
    pub fn of(&self, upid: ProcessId) -> impl Iterator<Item = SliceId> {
        let first = self.0.partition_point(|one| one.0 < upid);
        let own = self.0[first..].iter().take_while(move |one| one.0 == upid);
        own.map(|one| one.1)
    }

    /// The slice that drew a frame. It has the same vsync ID. Without IDs, it is the slice that started while the UI
    /// thread worked on the frame, because the UI thread waits until the RenderThread takes over.
    pub fn for_frame(&self, trace: &Trace, upid: ProcessId, frame: SliceId) -> SliceId {
        let start = |slice: SliceId| trace.slices.ts.get(slice.row());
        let id = |slice: SliceId| vsync_id(trace.strings.get(trace.slices.name.get(slice.row())));
        let (from, end, wanted) = (start(frame), trace.slice_end(frame), id(frame));
        let is_before = |&(process, slice): &(ProcessId, SliceId)| {
            process < upid || (process == upid && start(slice) < from)
        };
        let first = self.0.partition_point(is_before);
        let mut without_id = SliceId::NONE;
        for &(process, slice) in &self.0[first..] {
            if process != upid || start(slice) > end {
                break;
            }
            match (wanted, id(slice)) {
                (Some(wanted), Some(id)) if wanted == id => return slice,
                (Some(_), Some(_)) => {}
                _ if without_id == SliceId::NONE => without_id = slice,
                _ => {}
            }
        }
        without_id
    }
}
