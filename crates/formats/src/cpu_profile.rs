//! CPU profiles of V8 (`.cpuprofile`): Chrome's DevTools, Node.js with `--cpu-prof`, and Hermes write them.
//!
//! ```text
//! {"nodes": [{"id": 1, "callFrame": {"functionName": "(root)", …}, "children": [2]}, …],
//!  "startTime": 58143, "endTime": 59143, "samples": [2, 2], "timeDeltas": [120, 125]}
//! ```
//! Times are microseconds. Source: `Profiler.Profile` of the DevTools protocol.

use traceloom_trace::{NO_NUMBER, Place, RepairKind, TraceBuilder};

use crate::error::ReadError;
use crate::foreign::is_json_with;
use crate::format::{Confidence, Format, ReadOptions, Reader, Target};
use crate::format_id;
use crate::profile::{
    Samples, Stacks, V8Event, V8Profiles, add_samples, add_stacks, events_of_profile,
};
use crate::whole::whole_reader;

/// Memory limits: a base for any file, bytes, and the bytes allowed for each byte of the file.
const OF_STACKS: (usize, usize) = (16 << 20, 4);
const OF_SAMPLES: (usize, usize) = (24 << 20, 10);

/// CPU profiles of V8.
pub(crate) struct CpuProfile;

impl Format for CpuProfile {
    fn id(&self) -> &'static str {
        format_id::CPU_PROFILE
    }

    fn title(&self) -> &'static str {
        "CPU profiles of V8 (Chrome, Node.js, Hermes)"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        if is_json_with(head, &["\"nodes\"", "\"callFrame\""]) {
            Confidence::Likely
        } else {
            Confidence::No
        }
    }

    /// The samples may come before their nodes.
    fn wants_whole(&self) -> bool {
        true
    }

    fn reader(&self, _: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(whole_reader(read))
    }
}

fn read(bytes: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
    let out = out.trace(format_id::CPU_PROFILE)?;
    out.add_source_bytes(bytes.len() as u64);
    let mut stacks = Stacks::with_room(OF_STACKS.0 + OF_STACKS.1 * bytes.len());
    let mut samples = Samples::default();
    let mut profiles = V8Profiles::default();
    let room = OF_SAMPLES.0 + OF_SAMPLES.1 * bytes.len();
    let utid = out.new_thread(NO_NUMBER);
    let name = out.intern(b"JavaScript");
    out.name_thread(utid, name);
    for json in events_of_profile(bytes.trim_ascii_start()) {
        let event = V8Event {
            id: 0,
            upid: None,
            utid: Some(utid),
            json: &json,
        };
        profiles.event(&event, Some, (&mut stacks, &mut samples, room), out);
    }
    count_damage(&profiles, &stacks, out);
    if let Some(callsites) = add_stacks(&stacks, out) {
        add_samples(samples, callsites, out);
    }
    Ok(())
}

fn count_damage(profiles: &V8Profiles, stacks: &Stacks, out: &mut TraceBuilder) {
    let place = Place::default();
    out.repair(RepairKind::BadField, profiles.invalid, place, || {
        "a part of the profile does not fit the rest of it".to_owned()
    });
    let beyond = profiles.beyond + stacks.beyond;
    out.repair(RepairKind::BeyondLimit, beyond, place, || {
        "samples with too many rows for their size".to_owned()
    });
}
