//! The interpreter's state for drivers.

use rustc_hash::FxHashMap;
use traceloom_trace::{LaneKey, SliceId, TrackId};

/// A buffer of a video device: the device, the sequence number, the type and the index.
pub(super) type Buffer = [i64; 4];

/// What drivers are doing.
#[derive(Debug, Default)]
pub(super) struct Devices {
    /// The track of each TCP connection, by the address of its socket.
    pub connections: FxHashMap<i64, TrackId>,
    /// The queued buffers of video devices.
    pub buffers: FxHashMap<Buffer, SliceId>,
    /// When commands for a virtual GPU began, by their queue and number.
    pub commands: FxHashMap<(TrackId, i64), i64>,
    pub adreno: Adreno,
    pub suspend: Suspend,
}

/// A suspend in progress. If preparing it fails, the kernel does not record its end, but it thaws the processes before.
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

    /// A step ends. Returns the suspend that ends with it, because it failed.
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

/// What is known about batches of commands on an Adreno GPU.
#[derive(Debug, Default)]
pub(super) struct Adreno {
    /// The thread that queued the last batch of each context.
    pub threads: FxHashMap<i64, usize>,
    /// The time of a batch on both clocks, by its number: ns, and ticks of the GPU.
    pub times: FxHashMap<i64, (i64, i64)>,
    /// The tracks of each context and priority, with the end of the last slice.
    pub lanes: FxHashMap<(i64, i64), Vec<(TrackId, i64)>>,
}
