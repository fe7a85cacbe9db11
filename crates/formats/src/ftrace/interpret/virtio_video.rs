//! Virtual video devices (`drivers/media/virtio`): the buffers in their queues, and the commands to them.

use traceloom_trace::{ArgValue, LaneKey, SliceBegin, TraceBuilder, TrackType};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::position::At;

/// The commands from 0x100 on (`include/uapi/linux/virtio_video.h`).
const COMMANDS: [&str; 15] = [
    "QUERY_CAPABILITY",
    "STREAM_CREATE",
    "STREAM_DESTROY",
    "STREAM_DRAIN",
    "RESOURCE_CREATE",
    "RESOURCE_QUEUE",
    "RESOURCE_DESTROY_ALL",
    "QUEUE_CLEAR",
    "GET_PARAMS",
    "SET_PARAMS",
    "QUERY_CONTROL",
    "GET_CONTROL",
    "SET_CONTROL",
    "GET_PARAMS_EXT",
    "SET_PARAMS_EXT",
];

/// The duration with which a command is shown, ns. The events do not record its end.
const SHOWN_NS: i64 = 100_000;

impl Interpreter {
    /// `virtio_video_resource_queue`: a buffer is queued until `virtio_video_resource_queue_done`.
    pub(super) fn video_resource_queued(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let key = resource(fields, out)?;
        let name = format!("Resource #{}", key.cookie);
        let begin = SliceBegin::named(at.ts, out.intern(name.as_bytes()));
        self.lanes.begin(out, key, begin);
        None
    }

    pub(super) fn video_resource_done(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let key = resource(fields, out)?;
        let Some(slice) = self.lanes.end(out, key, at.ts) else {
            self.history.unmatched(at);
            return None;
        };
        let args = fields.keep(out);
        out.append_slice_args(slice, args);
        None
    }

    pub(super) fn video_request(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.video_command(at, "Requests", fields, out)
    }

    pub(super) fn video_response(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.video_command(at, "Responses", fields, out)
    }

    fn video_command(
        &mut self,
        at: At,
        which: &str,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let stream = fields.int("stream_id")?;
        let number = fields.int("type")?.checked_sub(0x100)?;
        let name = usize::try_from(number).ok();
        let name = name.and_then(|at| COMMANDS.get(at)).unwrap_or(&"Unknown");
        let track = format!("virtio_video stream #{stream} {which}");
        let track = out.intern(track.as_bytes());
        let track = out.global_track(TrackType::VirtioVideoCommand, track);
        let is_response = ArgValue::Int((which == "Responses").into());
        let stream = ArgValue::Int(stream);
        out.add_track_args(
            track,
            &[("virtio_stream_id", stream), ("is_response", is_response)],
        );
        let begin = SliceBegin::named(at.ts, out.intern(name.as_bytes()));
        let lanes = self.devices.video_commands.entry(track).or_default();
        let lane = lanes.free(track, (at.ts, at.ts.saturating_add(SHOWN_NS)), out)?;
        out.whole_slice(lane, begin, SHOWN_NS);
        None
    }
}

/// Identifies a buffer in a queue of a stream.
fn resource(fields: Fields<'_>, out: &mut TraceBuilder) -> Option<LaneKey> {
    let stream = fields.int("stream_id")?;
    let queue = match fields.get("queue_type")?.shown().as_ref() {
        "256" | "0x100" | "INPUT" => "INPUT",
        "257" | "0x101" | "OUTPUT" => "OUTPUT",
        _ => "Unknown",
    };
    let name = format!("virtio_video stream #{stream} {queue}");
    let name = out.intern(name.as_bytes());
    let track = out.global_track(TrackType::VirtioVideoQueueEvent, name);
    let number = match queue {
        "INPUT" => 0x100,
        "OUTPUT" => 0x101,
        _ => fields.int("queue_type").unwrap_or(0),
    };
    let [stream, queue] = [stream, number].map(ArgValue::Int);
    out.add_track_args(
        track,
        &[("virtio_stream_id", stream), ("virtio_queue_type", queue)],
    );
    Some(LaneKey {
        track,
        cookie: fields.int("resource_id")?,
    })
}
