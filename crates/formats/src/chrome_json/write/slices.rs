//! Slices: single events on threads, pairs elsewhere.

use std::io::{self, Write};

use traceloom_trace::{NO_DURATION, RowId, SliceId};

use super::file::File;
use super::value::Micros;

/// Writes all spans in the order of the table. Only the ends of async slices are written in order
/// of time.
pub(super) fn write(file: &mut File<'_>) -> io::Result<()> {
    let mut asyncs = Vec::new();
    for row in file.trace.slices.spans() {
        let track = file.trace.slices.track_id.get(row);
        match file.trace.tracks.kind.get(track.row()) {
            kind if kind.is_stack() => on_thread(file, row)?,
            _ => asyncs.push((track, row)),
        }
    }
    // Track by track, and in order of time within each, like the table.
    asyncs.sort();
    let mut open: Vec<(Pair, i64)> = Vec::new();
    for track in asyncs.chunk_by(|a, b| a.0 == b.0) {
        let mut outermost = 0;
        for &(_, row) in track {
            let parent = file.trace.slices.parent_id.get(row);
            if parent == SliceId::NONE {
                outermost = row;
            }
            while let Some((slice, end)) = open.pop_if(|(slice, _)| slice.0 != parent) {
                async_event(file, "e", slice, end)?;
            }
            let slice = (SliceId::from_row(row), outermost);
            async_event(file, "b", slice, file.trace.slices.ts.get(row))?;
            let end = file.trace.slice_end(SliceId::from_row(row));
            if file.trace.slices.dur.get(row) != NO_DURATION {
                open.push((slice, end));
            }
        }
        while let Some((slice, end)) = open.pop() {
            async_event(file, "e", slice, end)?;
        }
    }
    Ok(())
}

fn on_thread(file: &mut File<'_>, row: usize) -> io::Result<()> {
    let slice = file.trace.slices.row(row);
    let is_over = slice.dur != NO_DURATION;
    file.begin(
        if is_over { "X" } else { "B" },
        file.of_track(slice.track_id),
    )?;
    file.ts(slice.ts)?;
    if is_over {
        write!(file.out, ",\"dur\":{}", Micros(slice.dur))?;
    }
    if slice.thread_ts != NO_DURATION {
        write!(file.out, ",\"tts\":{}", Micros(slice.thread_ts))?;
    }
    if slice.thread_dur != NO_DURATION {
        write!(file.out, ",\"tdur\":{}", Micros(slice.thread_dur))?;
    }
    file.name(&file.trace.slice_name(SliceId::from_row(row)))?;
    file.category(file.trace.strings.get(slice.category))?;
    file.end(slice.arg_set_id)
}

/// A slice and its outermost enclosing slice. They share an id, so that they nest.
type Pair = (SliceId, usize);

fn async_event(file: &mut File<'_>, phase: &str, (id, outermost): Pair, ts: i64) -> io::Result<()> {
    let slice = file.trace.slices.row(id.row());
    file.begin(phase, file.of_track(slice.track_id))?;
    file.ts(ts)?;
    file.name(&file.trace.slice_name(id))?;
    let track = file.trace.tracks.row(slice.track_id.row());
    let category = match file.trace.strings.get(slice.category) {
        "" => file.trace.strings.get(track.name),
        category => category,
    };
    file.category(category)?;
    write!(file.out, ",\"id\":\"{outermost:#x}\"")?;
    match phase {
        "b" => file.end(slice.arg_set_id),
        _ => file.out.write_all(b"}"),
    }
}
