//! Names functions for frames of which the trace has only addresses.

use std::collections::BTreeMap;

use traceloom_trace::{StringId, TraceBuilder};

use super::stacks::{Mapping, NONE, Stacks};
use crate::symbolizer::{CodeFile, CodePlaces, Symbolizer};

/// The path and the build id of a file, and the meaning of its places.
type File = (StringId, StringId, CodePlaces);

/// Looks up the functions of all frames without a name. `code` returns the build id of the mapping with a path, and the
/// meaning of its places; `None` if it does not map a file of code.
pub(crate) fn name_frames(
    stacks: &mut Stacks,
    symbolizer: &dyn Symbolizer,
    code: impl Fn(&Mapping, &str) -> Option<(StringId, CodePlaces)>,
    out: &mut TraceBuilder,
) {
    for (file, frames) in nameless(stacks, code, out) {
        name_in_file(stacks, symbolizer, file, &frames, out);
    }
}

/// The frames without a name, grouped by file and sorted by place.
fn nameless(
    stacks: &Stacks,
    code: impl Fn(&Mapping, &str) -> Option<(StringId, CodePlaces)>,
    out: &TraceBuilder,
) -> BTreeMap<File, Vec<(u64, u32)>> {
    let files: Vec<Option<File>> = stacks
        .mappings
        .iter()
        .map(|mapping| {
            let path = out.trace().strings.get(mapping.name);
            let (build_id, places) = code(mapping, path)?;
            Some((mapping.name, build_id, places))
        })
        .collect();
    let mut found: BTreeMap<File, Vec<(u64, u32)>> = BTreeMap::new();
    for (row, frame) in (0..).zip(&stacks.frames) {
        let has_name = frame.name != StringId::NULL || frame.symbols != NONE;
        if let (false, Some(Some(file))) = (has_name, files.get(frame.mapping as usize)) {
            found.entry(*file).or_default().push((frame.rel_pc, row));
        }
    }
    found.values_mut().for_each(|frames| frames.sort_unstable());
    found
}

fn name_in_file(
    stacks: &mut Stacks,
    symbolizer: &dyn Symbolizer,
    (path, build_id, places): File,
    frames: &[(u64, u32)],
    out: &mut TraceBuilder,
) {
    let mut asked: Vec<u64> = frames.iter().map(|(place, _)| *place).collect();
    asked.dedup();
    let mut names: Vec<Option<Box<str>>> = vec![None; asked.len()];
    let strings = &out.trace().strings;
    let file = CodeFile {
        path: strings.get(path),
        build_id: strings.get(build_id),
        places,
    };
    symbolizer.name_functions(&file, &asked, &mut |at, name| {
        if let (Some(own), false) = (names.get_mut(at), name.is_empty()) {
            *own = Some(name.into());
        }
    });
    for (place, row) in frames {
        let at = asked.binary_search(place).ok();
        let name = at.and_then(|at| names[at].as_ref());
        if let (Some(name), Some(frame)) = (name, stacks.frames.get_mut(*row as usize)) {
            frame.name = out.intern(name.as_bytes());
        }
    }
}
