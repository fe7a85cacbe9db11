//! `-o`: the threads and every record, one line each.

use std::io;

use traceloom_formats::MethodRecord;
use traceloom_host::Content;

use super::calls::COUNTED_THREADS;
use super::key::{self, Keys};
use super::out::Out;
use super::records::{Records, torn_note};

/// Deepest indentation; deeper calls are marked `+`.
const MAX_INDENT: i32 = 10_000;

/// The indentation with which a thread starts. In the original, threads with numbers from
/// [`COUNTED_THREADS`] start at 0, because it reads past its table for them.
const FIRST_INDENT: i32 = 2;

/// Prints `trace`; returns lines for standard error. As in the original, an unreadable trace is not a failure.
pub(super) fn dump(trace: &Content, out: &mut Out<'_>) -> io::Result<Vec<u8>> {
    let mut section = key::read(trace);
    if let Some(version) = section.version {
        out.text("VERSION: ").number(version).text("\n");
    }
    if let Some(keys) = &section.keys {
        let note = dump_keyed(trace, keys, out)?;
        section.notes.extend(note.bytes());
    }
    Ok(section.notes)
}

fn dump_keyed(trace: &Content, keys: &Keys<'_>, out: &mut Out<'_>) -> io::Result<String> {
    out.text("Threads (")
        .number(keys.threads.len())
        .text("):\n");
    for thread in &keys.threads {
        out.right(2, thread.id).text(" ").text(thread.name);
        out.text("\n").end_row()?;
    }
    let mut records = match Records::open(trace, keys.end) {
        Ok(records) => records,
        Err(note) => return Ok(note),
    };
    out.text("Trace (threadID action usecs class.method signature):\n");
    // Open calls by thread number.
    let mut depths = vec![FIRST_INDENT; usize::from(COUNTED_THREADS)];
    depths.resize(1 << 16, 0);
    let mut note = "";
    while let Some(piece) = records.next_piece() {
        note = torn_note(&piece);
        for record in piece {
            let depth = &mut depths[usize::from(record.thread)];
            line(&record, depth, keys, out);
            out.end_row()?;
        }
    }
    Ok(note.to_owned())
}

fn line(record: &MethodRecord, depth: &mut i32, keys: &Keys<'_>, out: &mut Out<'_>) {
    const ACTIONS: [&str; 4] = [" ent  ", " xit  ", " unr  ", " ???  "];
    if record.action == 0 {
        *depth = depth.wrapping_add(1);
    }
    let note = match *depth {
        ..0 => "-",
        0..=MAX_INDENT => " ",
        _ => "+",
    };
    let indent = (*depth).clamp(0, MAX_INDENT) as usize;
    out.right(2, record.thread);
    out.text(ACTIONS[usize::from(record.action)]);
    out.right(8, record.time_us)
        .text(note)
        .text(".".repeat(indent));
    match (keys.methods.find(record.method), record.method) {
        (Some(method), _) => out.method(keys.methods.get(method), " ").text("\n"),
        // C's `%#x` writes 0 without a prefix.
        (None, 0) => out.text("???.??? methodId: 0\n"),
        (None, id) => out.text(format!("???.??? methodId: {id:#x}\n")),
    };
    if record.action != 0 {
        *depth = depth.wrapping_sub(1);
    }
}
