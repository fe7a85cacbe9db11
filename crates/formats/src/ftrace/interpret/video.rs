//! Video devices and virtual GPUs.

use traceloom_trace::{FlowRow, LaneKey, NO_NUMBER, SliceId, TraceBuilder};

use super::args::Fields;
use super::devices::Buffer;
use super::interpreter::Interpreter;
use super::position::At;

/// The commands of a virtual GPU, by the number of each group's first one (`include/uapi/linux/virtio_gpu.h`).
const COMMANDS: &[(i64, &[&str])] = &[
    (
        0x100,
        &[
            "GET_DISPLAY_INFO",
            "RESOURCE_CREATE_2D",
            "RESOURCE_UNREF",
            "SET_SCANOUT",
            "RESOURCE_FLUSH",
            "TRANSFER_TO_HOST_2D",
            "RESOURCE_ATTACH_BACKING",
            "RESOURCE_DETACH_BACKING",
            "GET_CAPSET_INFO",
            "GET_CAPSET",
            "GET_EDID",
            "RESOURCE_ASSIGN_UUID",
            "RESOURCE_CREATE_BLOB",
            "SET_SCANOUT_BLOB",
        ],
    ),
    (
        0x200,
        &[
            "CTX_CREATE",
            "CTX_DESTROY",
            "CTX_ATTACH_RESOURCE",
            "CTX_DETACH_RESOURCE",
            "RESOURCE_CREATE_3D",
            "TRANSFER_TO_HOST_3D",
            "TRANSFER_FROM_HOST_3D",
            "SUBMIT_3D",
            "RESOURCE_MAP_BLOB",
            "RESOURCE_UNMAP_BLOB",
        ],
    ),
    (0x300, &["UPDATE_CURSOR", "MOVE_CURSOR"]),
];

impl Interpreter {
    /// `v4l2_qbuf`: a program gives a buffer to a video device.
    pub(super) fn video_queue(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let (buffer, slice) = self.buffer(at, "VIDIOC_QBUF", fields, out)?;
        self.devices.buffers.insert(buffer, slice);
        Some(())
    }

    /// `v4l2_dqbuf`: a program takes the buffer back. A flow connects it with the buffer's `v4l2_qbuf`.
    pub(super) fn video_dequeue(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let (buffer, slice_in) = self.buffer(at, "VIDIOC_DQBUF", fields, out)?;
        if let Some(slice_out) = self.devices.buffers.remove(&buffer) {
            let name = out.intern(b"v4l2");
            out.flow(FlowRow {
                slice_out,
                slice_in,
                name,
                trace_id: NO_NUMBER,
            });
        }
        Some(())
    }

    fn buffer(
        &mut self,
        at: At,
        call: &str,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<(Buffer, SliceId)> {
        let kind = fields.shown("type")?;
        let number = fields.int("type").unwrap_or(-1);
        let [minor, sequence, index] = ["minor", "sequence", "index"].map(|key| fields.int(key));
        let (minor, sequence, index) = (minor?, sequence?, index?);
        let name = format!("{call} minor={minor} seq={sequence} type={kind} index={index}");
        let slice = self.moment(at, name.as_bytes(), fields, out);
        let category = out.intern(b"Video 4 Linux 2");
        out.categorize_slice(slice, category);
        Some(([minor, sequence, number, index], slice))
    }

    /// `virtio_gpu_cmd_queue: vdev=4 vq=0 name=control type=0x207 flags=0x0 fence_id=0 … num_free=503 seqno=7`.
    pub(super) fn virtio_gpu_begin(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = command(fields.int("type")?)?;
        let key = self.virtio_gpu(at, fields, out)?;
        // A command with a fence ends when the fence is signalled, so its duration is not the GPU's latency.
        if fields.int("fence_id") == Some(0) {
            self.devices.commands.insert((key.track, key.cookie), at.ts);
        }
        self.lane_begin(at, key, name.as_bytes(), fields, out);
        Some(())
    }

    pub(super) fn virtio_gpu_end(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let key = self.virtio_gpu(at, fields, out)?;
        if self.lane_end(at, key, Fields::NONE, out).is_none() {
            self.history.unmatched(at);
            return None;
        }
        if let Some(begin) = self.devices.commands.remove(&(key.track, key.cookie)) {
            let name = format!("Virtgpu {} Latency", fields.shown("name")?);
            let delay = at.ts.saturating_sub(begin);
            self.global_counter(at, &name, delay as f64, out);
        }
        None
    }

    /// The track of the command's queue, and its number there. Also counts the free entries of the queue.
    fn virtio_gpu(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<LaneKey> {
        let queue = fields.shown("name")?;
        let cookie = fields.int("seqno")?;
        if let Some(free) = fields.int("num_free") {
            self.global_counter(at, &format!("Virtgpu {queue} Free"), free as f64, out);
        }
        let track = self.machine_track(&format!("Virtgpu {queue} Queue"), out);
        Some(LaneKey { track, cookie })
    }
}

/// The name of a command.
fn command(number: i64) -> Option<&'static str> {
    COMMANDS.iter().find_map(|(first, names)| {
        let place = usize::try_from(number.checked_sub(*first)?).ok()?;
        names.get(place).copied()
    })
}
