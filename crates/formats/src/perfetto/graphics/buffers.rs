//! The buffers between apps and the display (`GraphicsFrameEvent`).
//!
//! ```text
//! Buffer: 1 layer   Dequeue        Queue         AcquireFenceSignaled   Latch            PresentFenceSignaled
//! APP_1 layer       |----- 11 -----|
//! GPU_1 layer                      |----- 11 -----|
//! SF_1 layer                                                            |------ 11 ------|
//! Display_layer                                                                          |------ 11 ------ …
//! ```

use rustc_hash::FxHashMap;
use traceloom_trace::{
    ArgSetId, ArgValue, Place, RepairKind, RowId, SliceBegin, SliceId, StringId, TraceBuilder,
    TrackId, TrackType,
};

use super::super::wire::Fields;
use super::args::ArgList;

/// `BufferEventType`.
mod event {
    pub const DEQUEUE: u64 = 1;
    pub const QUEUE: u64 = 2;
    pub const ACQUIRE_FENCE: u64 = 4;
    pub const LATCH: u64 = 5;
    pub const PRESENT_FENCE: u64 = 8;
}

const NAMES: [&str; 14] = [
    "unspecified_event",
    "Dequeue",
    "Queue",
    "Post",
    "AcquireFenceSignaled",
    "Latch",
    "HWCCompositionQueued",
    "FallbackComposition",
    "PresentFenceSignaled",
    "ReleaseFenceSignaled",
    "Modify",
    "Detach",
    "Attach",
    "Cancel",
];

/// The state of the buffers of all layers.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// By buffer and layer, because different layers may use the same buffer.
    buffers: FxHashMap<(u32, StringId), Buffer>,
    /// The track with the displayed frame of each layer.
    shown: FxHashMap<StringId, TrackId>,
    incomplete: u64,
}

/// A buffer of a layer.
#[derive(Debug, Default)]
struct Buffer {
    queued: i64,
    acquired: Option<i64>,
    latched: i64,
    /// The slice of the last event, if that was a dequeue. If the next event is a queue, it has the frame number for
    /// the dequeue.
    dequeue: Option<SliceId>,
    phase: Phase,
}

/// The current owner of the buffer, with the track of the open slice.
#[derive(Clone, Copy, Debug, Default)]
enum Phase {
    #[default]
    None,
    /// The track, the slice and the start time.
    App(TrackId, SliceId, i64),
    Gpu(TrackId),
    Compositor(TrackId),
}

/// A `BufferEvent`.
#[derive(Clone, Copy, Debug)]
struct Event<'a> {
    ts: i64,
    frame: u64,
    kind: Option<u64>,
    layer: Option<&'a [u8]>,
    dur: i64,
    buffer: u32,
}

impl<'a> Event<'a> {
    fn read(ts: i64, fields: Fields<'a>) -> Option<Self> {
        let mut event = Self {
            ts,
            frame: 0,
            kind: None,
            layer: None,
            dur: 0,
            buffer: 0,
        };
        let mut has_buffer = false;
        for field in fields {
            match field.number {
                1 => event.frame = field.uint(),
                2 => event.kind = Some(field.uint()),
                3 => event.layer = Some(field.bytes()),
                4 => event.dur = field.int(),
                5 => (event.buffer, has_buffer) = (field.uint() as u32, true),
                _ => {}
            }
        }
        has_buffer.then_some(event)
    }

    fn is(&self, kind: u64) -> bool {
        self.kind == Some(kind)
    }

    fn layer(&self, out: &mut TraceBuilder) -> StringId {
        out.intern(self.layer.unwrap_or(b"no_layer_name"))
    }

    /// The track of a phase.
    fn track(&self, phase: &str, out: &mut TraceBuilder) -> TrackId {
        let layer = String::from_utf8_lossy(self.layer.unwrap_or_default());
        let name = match phase {
            "Display" => format!("Display_{layer}"),
            "Buffer" => format!("Buffer: {} {layer}", self.buffer),
            _ => format!("{phase}_{} {layer}", self.buffer),
        };
        let name = out.intern(name.as_bytes());
        out.global_track(TrackType::GraphicsFrameEvent, name)
    }

    /// Begins the slice of a phase. Its name is the frame number, or the timestamp if the buffer has no frame number
    /// yet.
    fn begin(&self, track: TrackId, layer: StringId, out: &mut TraceBuilder) -> SliceId {
        let name = match self.frame {
            0 => self.ts.to_string(),
            frame => frame.to_string(),
        };
        let name = out.intern(name.as_bytes());
        let arg_set_id = args(self.frame, layer, &[], out);
        let begin = SliceBegin {
            arg_set_id,
            ..SliceBegin::named(self.ts, name)
        };
        out.begin_slice(track, begin)
    }
}

fn args(frame: u64, layer: StringId, times: &[(&str, i64)], out: &mut TraceBuilder) -> ArgSetId {
    let mut args = ArgList::new(out);
    args.int("frame_number", frame as i64);
    args.push(b"layer_name", ArgValue::Text(layer));
    for (key, time) in times {
        args.int(key, *time);
    }
    args.store()
}

impl Buffers {
    /// A `GraphicsFrameEvent`.
    pub fn event(&mut self, ts: i64, mut fields: Fields<'_>, out: &mut TraceBuilder) {
        let Some(event) = fields.find(|field| field.number == 1) else {
            return;
        };
        let Some(event) = Event::read(ts, event.fields()) else {
            self.incomplete += 1;
            return;
        };
        let layer = event.layer(out);
        let buffer = self.buffers.entry((event.buffer, layer)).or_default();
        buffer.instant(&event, layer, out);
        match event.kind.unwrap_or(0) {
            event::DEQUEUE => buffer.dequeued(&event, layer, out),
            event::QUEUE => buffer.queued(&event, layer, out),
            event::ACQUIRE_FENCE => {
                if let Phase::Gpu(track) = buffer.phase {
                    out.end_slice(track, ts, None);
                    buffer.phase = Phase::None;
                }
            }
            event::LATCH => {
                buffer.lost_queue(layer, out);
                let track = event.track("SF", out);
                event.begin(track, layer, out);
                buffer.phase = Phase::Compositor(track);
            }
            event::PRESENT_FENCE => {
                if let Phase::Compositor(track) = buffer.phase {
                    out.end_slice(track, ts, None);
                    buffer.phase = Phase::None;
                }
                self.shown(&event, layer, out);
            }
            _ => {}
        }
    }

    /// Begins the display slice of a frame. It ends at the next frame of the layer.
    fn shown(&mut self, event: &Event<'_>, layer: StringId, out: &mut TraceBuilder) {
        let track = event.track("Display", out);
        if let Some(before) = self.shown.insert(layer, track) {
            out.end_slice(before, event.ts, None);
        }
        event.begin(track, layer, out);
    }

    /// Reports problems.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        let place = Place::default();
        out.repair(RepairKind::SkippedEntry, self.incomplete, place, || {
            "graphics frame events without a buffer".to_owned()
        });
    }
}

impl Buffer {
    /// Adds the event itself to the track of the buffer.
    fn instant(&mut self, event: &Event<'_>, layer: StringId, out: &mut TraceBuilder) {
        match event.kind.unwrap_or(0) {
            event::ACQUIRE_FENCE => self.acquired = Some(event.ts),
            event::QUEUE => self.queued = event.ts,
            event::LATCH => self.latched = event.ts,
            _ => {}
        }
        if let Some(dequeue) = self.dequeue.take().filter(|_| event.is(event::QUEUE)) {
            let times = self.times(out.trace().slices.ts.get(dequeue.row()));
            let args = args(event.frame, layer, &times, out);
            out.set_slice_args(dequeue, args);
        }
        let kind = event.kind.and_then(|kind| usize::try_from(kind).ok());
        let name = kind.and_then(|kind| NAMES.get(kind));
        let name = out.intern(name.unwrap_or(&"unknown_event").as_bytes());
        let arg_set_id = args(event.frame, layer, &self.times(event.ts), out);
        let begin = SliceBegin {
            arg_set_id,
            ..SliceBegin::named(event.ts, name)
        };
        let track = event.track("Buffer", out);
        let slice = out.whole_slice(track, begin, event.dur);
        self.dequeue = Some(slice).filter(|_| event.is(event::DEQUEUE));
    }

    /// The times between the steps of the buffer so far.
    fn times(&self, ts: i64) -> [(&'static str, i64); 3] {
        let acquired = self.acquired.unwrap_or(0);
        [
            (
                "queue_to_acquire_time",
                acquired.saturating_sub(self.queued).max(0),
            ),
            (
                "acquire_to_latch_time",
                self.latched.saturating_sub(acquired),
            ),
            ("latch_to_present_time", ts.saturating_sub(self.latched)),
        ]
    }

    /// The app dequeued the buffer and begins to draw.
    fn dequeued(&mut self, event: &Event<'_>, layer: StringId, out: &mut TraceBuilder) {
        self.lost_queue(layer, out);
        let track = event.track("APP", out);
        let slice = event.begin(track, layer, out);
        self.phase = Phase::App(track, slice, event.ts);
    }

    /// The app queued the buffer. The GPU may still be drawing.
    fn queued(&mut self, event: &Event<'_>, layer: StringId, out: &mut TraceBuilder) {
        if let Phase::App(track, slice, since) = self.phase {
            out.end_slice(track, event.ts, None);
            let name = out.intern(event.frame.to_string().as_bytes());
            out.rename_slice(slice, name);
            let args = args(event.frame, layer, &[], out);
            out.set_slice_args(slice, args);
            if self.acquired.is_some_and(|acquired| acquired > since) {
                self.phase = Phase::None;
                return;
            }
        }
        let track = event.track("GPU", out);
        event.begin(track, layer, out);
        self.phase = Phase::Gpu(track);
    }

    /// Handles a buffer that the app did not queue, so that its frame number and end are unknown. The slice is renamed
    /// to frame 0 and does not end.
    fn lost_queue(&mut self, layer: StringId, out: &mut TraceBuilder) {
        if let Phase::App(_, slice, _) = self.phase {
            let name = out.intern(b"0");
            out.rename_slice(slice, name);
            let args = args(0, layer, &[], out);
            out.set_slice_args(slice, args);
        }
    }
}
