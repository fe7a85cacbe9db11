//! Events of Vulkan layers and of the driver: object names, queue submissions, and log messages.

use rustc_hash::FxHashMap;
use traceloom_trace::{SliceBegin, TraceBuilder, TrackType};

use super::super::wire::{Field, Fields};
use super::args::ArgList;
use super::scoped::Scoped;

/// Types of Vulkan objects (`VkObjectType`).
pub(super) mod object {
    pub const COMMAND_BUFFER: i32 = 6;
    pub const RENDER_PASS: i32 = 18;
    pub const FRAMEBUFFER: i32 = 24;
}

/// The names that programs gave to objects, by type and handle.
pub(super) type DebugNames = FxHashMap<(i32, u64), String>;

/// Reads Vulkan packets.
#[derive(Debug, Default)]
pub(super) struct Vulkan {
    pub names: DebugNames,
    lanes: Scoped,
}

impl Vulkan {
    /// A `VulkanApiEvent`.
    pub fn event(&mut self, ts: i64, fields: Fields<'_>, out: &mut TraceBuilder) {
        for field in fields {
            match field.number {
                1 => self.name(field.fields()),
                2 if ts != i64::MIN => self.submit(ts, field.fields(), out),
                _ => {}
            }
        }
    }

    /// A `VkDebugUtilsObjectName`.
    fn name(&mut self, fields: Fields<'_>) {
        let (mut kind, mut handle, mut name): (_, _, &[u8]) = (0, 0, &[]);
        for field in fields {
            match field.number {
                3 => kind = field.int32(),
                4 => handle = field.uint(),
                5 => name = field.bytes(),
                _ => {}
            }
        }
        let name = String::from_utf8_lossy(name).into_owned();
        self.names.insert((kind, handle), name);
    }

    /// A `VkQueueSubmit`.
    fn submit(&mut self, ts: i64, fields: Fields<'_>, out: &mut TraceBuilder) {
        let find = |number| fields.clone().filter(move |field| field.number == number);
        let number = |number| find(number).last().map_or(0, Field::uint);
        let mut args = ArgList::new(out);
        args.uint("pid", number(2));
        args.uint("tid", number(3));
        for (place, buffer) in find(5).flat_map(Field::numbers).enumerate() {
            if place == 0 {
                args.uint("command_buffer", buffer);
            }
            args.uint(&format!("command_buffers[{place}]"), buffer);
        }
        args.uint("submission_id", number(6));
        let arg_set_id = args.store();
        let name = out.intern(b"vkQueueSubmit");
        let track = out.intern(b"Vulkan Events");
        let track = out.global_track(TrackType::VulkanEvents, track);
        let begin = SliceBegin {
            arg_set_id,
            ..SliceBegin::named(ts, name)
        };
        self.lanes.slice(track, begin, number(1) as i64, out);
    }
}

/// A `GpuLog`.
pub(super) fn log(ts: i64, fields: Fields<'_>, out: &mut TraceBuilder) {
    const SEVERITIES: [&str; 6] = [
        "UNSPECIFIED",
        "VERBOSE",
        "DEBUG",
        "INFO",
        "WARNING",
        "ERROR",
    ];
    let mut severity = 0;
    let mut args = ArgList::new(out);
    for field in fields {
        match field.number {
            1 => severity = field.uint(),
            2 => args.text(b"tag", field.bytes()),
            3 => args.text(b"message", field.bytes()),
            _ => {}
        }
    }
    let arg_set_id = args.store();
    let place = usize::try_from(severity).ok();
    let name = place.and_then(|place| SEVERITIES.get(place));
    let name = out.intern(name.unwrap_or(&"UNKNOWN_SEVERITY").as_bytes());
    let track = out.intern(b"GPU Log");
    let track = out.global_track(TrackType::GpuLog, track);
    let begin = SliceBegin {
        arg_set_id,
        ..SliceBegin::named(ts, name)
    };
    out.whole_slice(track, begin, 0);
}
