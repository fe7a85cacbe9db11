//! Profiles of Firefox Profiler, which samply and simpleperf (`gecko_profile_generator.py`) also write.
//!
//! ```text
//! raw         {"meta", "libs", "threads": [{"stringTable", "frameTable": {"schema", "data"}, …}], "processes": [profiles]}
//! processed   {"meta", "libs", "threads": [{"stringArray", "frameTable": {"func", "line", …}, …}], "shared": {…}}
//! ```
//! Since version 56 of the processed form the texts are in `shared`, since version 60 all tables of stacks are.
//! Firefox' developer tools put a profile into a field `profile` of another object. They moved the times of its samples
//! to the start of the recording, but not those of its markers, so these markers have no place.
//!
//! Source: `docs-developer` and `src/types/profile.ts` of firefox-devtools/profiler.

mod counters;
mod facts;
mod markers;
mod profile;
mod spans;
mod stacks;
mod table;
mod tasks;
mod times;
mod torn;
mod weights;

use traceloom_trace::{Place, RepairKind};

use crate::error::ReadError;
use crate::foreign::is_json_with;
use crate::format::{Confidence, Format, ReadOptions, Reader, Target};
use crate::format_id;
use crate::whole::whole_reader;
use profile::Profile;
use table::Object;
use torn::completed;

/// Profiles of Firefox Profiler.
pub(crate) struct FirefoxProfile;

/// Texts that only the beginning of a profile contains: those of its `meta`, or of the object around it.
const SIGNS: &[&[&str]] = &[
    &["\"meta\"", "\"interval\""],
    &["\"meta\"", "\"preprocessedProfileVersion\""],
    &["\"label\"", "\"duration\"", "\"markers\""],
    &["\"libs\"", "\"meta\"", "\"abi\""],
    &["\"libs\"", "\"breakpadId\""],
    &["\"meta\"", "\"categories\"", "\"subcategories\""],
];

impl Format for FirefoxProfile {
    fn id(&self) -> &'static str {
        format_id::FIREFOX
    }

    fn title(&self) -> &'static str {
        "profiles of Firefox Profiler, samply and simpleperf (JSON)"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        if SIGNS.iter().any(|texts| is_json_with(head, texts)) {
            Confidence::Likely
        } else {
            Confidence::No
        }
    }

    /// The tables of a profile refer to each other.
    fn wants_whole(&self) -> bool {
        true
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        let options = options.clone();
        Some(whole_reader(move |bytes, out| read(bytes, &options, out)))
    }
}

fn read(bytes: &[u8], options: &ReadOptions, out: &mut Target<'_>) -> Result<(), ReadError> {
    let out = out.trace(format_id::FIREFOX)?;
    out.add_source_bytes(bytes.len() as u64);
    let torn = completed(bytes);
    out.repair(
        RepairKind::TornRecord,
        u64::from(torn.is_some()),
        Place::default(),
        String::new,
    );
    let mut root = Object::new(torn.as_deref().unwrap_or(bytes).trim_ascii_start());
    let is_wrapped = root.get("threads").is_none() && root.get("profile").is_some();
    if is_wrapped {
        root = root.object("profile");
    }
    let mut profile = Profile::new(bytes.len(), is_wrapped, out);
    profile.read(root, out);
    if let Some(symbolizer) = &options.symbolizer {
        profile.name_frames(&**symbolizer, out);
    }
    profile.finish(out);
    Ok(())
}
