//! Tables for restoring names that writers hashed or obfuscated (`TranslationTable`).
//!
//! ```text
//! table   chrome_user_event { 10: "NewTab" }      chrome_user_event.action_hash = 10  ─►  …action = "NewTab"
//! table   slice_name { "a.b": "onDraw" }          slice a.b  ─►  onDraw
//! ```
//! A table applies to the whole trace, regardless of its position.

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, StringId, TraceBuilder};

use super::wire::{Field, Fields};

/// The field numbers of the tables in `TranslationTable`.
mod table {
    pub const HISTOGRAM: u32 = 1;
    pub const USER_EVENT: u32 = 2;
    pub const PERFORMANCE_MARK: u32 = 3;
    pub const SLICE: u32 = 4;
    pub const PROCESS_TRACK: u32 = 5;
    pub const STUDY: u32 = 6;
}

/// Arguments that are hashes: the table, the field number of the map in it, the key of the hash, and the key of the
/// name.
const HASHES: &[(u32, u32, &str, &str)] = &[
    (
        table::HISTOGRAM,
        1,
        "chrome_histogram_sample.name_hash",
        "chrome_histogram_sample.name",
    ),
    (
        table::USER_EVENT,
        1,
        "chrome_user_event.action_hash",
        "chrome_user_event.action",
    ),
    (
        table::PERFORMANCE_MARK,
        1,
        "chrome_hashed_performance_mark.site_hash",
        "chrome_hashed_performance_mark.site",
    ),
    (
        table::PERFORMANCE_MARK,
        2,
        "chrome_hashed_performance_mark.mark_hash",
        "chrome_hashed_performance_mark.mark",
    ),
    (
        table::STUDY,
        1,
        "chrome_trigger.name_hash",
        "chrome_trigger.name",
    ),
];

/// The tables of a trace.
#[derive(Debug, Default)]
pub(super) struct Translations {
    /// Names by table, map and hash.
    hashes: FxHashMap<(u32, u32, u64), Vec<u8>>,
    slices: FxHashMap<Vec<u8>, Vec<u8>>,
    process_tracks: FxHashMap<Vec<u8>, Vec<u8>>,
}

impl Translations {
    /// Adds a `TranslationTable`.
    pub fn add(&mut self, content: &[u8]) {
        for of in Fields::new(content) {
            for map in of.fields() {
                match of.number {
                    table::SLICE => texts(&mut self.slices, map),
                    table::PROCESS_TRACK => texts(&mut self.process_tracks, map),
                    _ => self.hash(of.number, map),
                }
            }
        }
    }

    fn hash(&mut self, of: u32, map: Field<'_>) {
        let (mut hash, mut name) = (0, &[][..]);
        for field in map.fields() {
            match field.number {
                1 => hash = field.uint(),
                2 => name = field.bytes(),
                _ => {}
            }
        }
        self.hashes.insert((of, map.number, hash), name.to_vec());
    }

    /// Adds the names of hashes to the arguments of an event.
    pub fn names(&self, args: &mut Vec<(StringId, ArgValue)>, out: &mut TraceBuilder) {
        if self.hashes.is_empty() {
            return;
        }
        for at in 0..args.len() {
            let (key, value) = args[at];
            let hash = match value {
                ArgValue::Int(hash) => hash as u64,
                ArgValue::Unsigned(hash) => hash,
                _ => continue,
            };
            let key = out.trace().strings.get(key);
            let Some((table, map, _, name)) = HASHES.iter().find(|(_, _, of, _)| *of == key) else {
                continue;
            };
            if let Some(text) = self.hashes.get(&(*table, *map, hash)) {
                let value = ArgValue::Text(out.intern(text));
                let name = out.intern(name.as_bytes());
                match args.iter_mut().find(|(key, _)| *key == name) {
                    Some((_, known)) => *known = value,
                    None => args.push((name, value)),
                }
            }
        }
    }

    /// Renames slices and process tracks, from these rows on.
    pub fn rename(&self, (first_slice, first_track): (usize, usize), out: &mut TraceBuilder) {
        if !self.slices.is_empty() {
            let names = ids(&self.slices, out);
            out.rename_slices(first_slice, |name| names.get(&name).copied());
        }
        if !self.process_tracks.is_empty() {
            let names = ids(&self.process_tracks, out);
            out.rename_process_tracks(first_track, |name| names.get(&name).copied());
        }
    }
}

/// Adds an entry of a map from strings to strings.
fn texts(known: &mut FxHashMap<Vec<u8>, Vec<u8>>, map: Field<'_>) {
    if map.number != 1 {
        return;
    }
    let (mut raw, mut name) = (&[][..], &[][..]);
    for field in map.fields() {
        match field.number {
            1 => raw = field.bytes(),
            2 => name = field.bytes(),
            _ => {}
        }
    }
    known.insert(raw.to_vec(), name.to_vec());
}

/// The string ids of the names that occur in the trace, mapped to those of their replacements.
fn ids(
    names: &FxHashMap<Vec<u8>, Vec<u8>>,
    out: &mut TraceBuilder,
) -> FxHashMap<StringId, StringId> {
    let mut ids = FxHashMap::default();
    for (raw, name) in names {
        let raw = String::from_utf8_lossy(raw);
        if let Some(raw) = out.trace().strings.lookup(&raw) {
            ids.insert(raw, out.intern(name));
        }
    }
    ids
}
