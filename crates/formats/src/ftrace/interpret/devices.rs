//! The interpreter's state for drivers.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use traceloom_trace::{LaneKey, SliceId, TraceBuilder, TrackId};

/// A buffer of a video device: the device, the sequence number, the type and the index.
pub(super) type Buffer = [i64; 4];

/// The state of drivers.
#[derive(Debug, Default)]
pub(super) struct Devices {
    /// The track of each TCP connection, by the address of its socket.
    pub connections: FxHashMap<i64, TrackId>,
    /// The queued buffers of video devices.
    pub buffers: FxHashMap<Buffer, SliceId>,
    /// The begin times of commands for a virtual GPU, by their queue and number.
    pub commands: FxHashMap<(TrackId, i64), i64>,
    /// The jobs that threads queued on a GPU and that have not started yet.
    pub drm_queued: FxHashMap<(TrackId, Job), SliceId>,
    /// The jobs of each queue of a GPU; the first one is running.
    pub drm_jobs: FxHashMap<TrackId, VecDeque<Running>>,
    /// The queue of each such job.
    pub drm_rings: FxHashMap<Job, TrackId>,
    /// The fences of each time line.
    pub fences: FxHashMap<TrackId, Fences>,
    /// The commands of each stream of a virtual video device.
    pub video_commands: FxHashMap<TrackId, WholeLanes>,
    /// The number of times each wakelock is held.
    pub wakelocks: FxHashMap<TrackId, u64>,
    /// The bytes that each network interface received or transmitted.
    pub network_bytes: FxHashMap<TrackId, i64>,
    pub dropped_packets: u64,
    pub adreno: Adreno,
    pub suspend: Suspend,
}

/// Identifies a job: the context and number of its fence, its number, or the address of its fence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Job {
    Fence(i64, i64),
    Number(i64),
    Address(i64),
}

/// A job that runs or waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    pub job: Job,
    /// Its number, if jobs are identified by their number when they are queued.
    pub queued: Job,
}

/// The fences of a time line that are not signalled yet.
#[derive(Debug, Default)]
pub(super) struct Fences {
    pub pending: VecDeque<i64>,
    /// Whether the driver records when a fence is handed to the device, which is more precise than its creation.
    pub is_emitted: bool,
}

/// A suspend in progress. If its preparation fails, the kernel records no end of the suspend, only the thawing of the
/// processes.
#[derive(Debug, Default)]
pub(super) struct Suspend {
    whole: Option<LaneKey>,
    is_freezing: bool,
}

impl Suspend {
    /// A step begins.
    pub fn begins(&mut self, step: &[u8], key: LaneKey) {
        if step.starts_with(b"suspend_enter") {
            (self.whole, self.is_freezing) = (Some(key), false);
        } else if step.starts_with(b"freeze_processes") {
            self.is_freezing = true;
        }
    }

    /// A step ends. Returns the suspend if it ends with this step because it failed.
    pub fn ends(&mut self, step: &[u8]) -> Option<LaneKey> {
        if step.starts_with(b"suspend_enter") {
            self.whole = None;
        }
        if step.starts_with(b"thaw_processes") && self.is_freezing {
            return self.whole.take();
        }
        None
    }
}

/// The state of command batches on Adreno GPUs.
#[derive(Debug, Default)]
pub(super) struct Adreno {
    /// The thread that queued the last batch of each context.
    pub threads: FxHashMap<i64, usize>,
    /// The time of a batch on both clocks, by its number: ns, and ticks of the GPU.
    pub times: FxHashMap<i64, (i64, i64)>,
    /// The tracks of each context and priority, with the end of the last slice.
    pub lanes: FxHashMap<(i64, i64), Vec<(TrackId, i64)>>,
}

/// The maximum number of tracks for overlapping slices.
const MOST_LANES: usize = 64;

/// Tracks for slices that may overlap and whose ends are known in advance, each with the end of its last slice, ns.
#[derive(Debug, Default)]
pub(super) struct WholeLanes(Vec<(TrackId, i64)>);

impl WholeLanes {
    /// Finds a track that has no slice at `start`, and reserves it until `end`. `first` is the first track to try.
    pub fn free(
        &mut self,
        first: TrackId,
        (start, end): (i64, i64),
        out: &mut TraceBuilder,
    ) -> Option<TrackId> {
        if let Some(lane) = self.0.iter_mut().find(|(_, last)| *last <= start) {
            lane.1 = end;
            return Some(lane.0);
        }
        if self.0.len() == MOST_LANES {
            return None;
        }
        let lane = if self.0.is_empty() {
            first
        } else {
            out.lane_of(first)
        };
        self.0.push((lane, end));
        Some(lane)
    }
}
