//! `-o`: the threads and every record, one line each.

use std::io;

use traceloom_formats::MethodRecord;

use super::calls::COUNTED_THREADS;
use super::key::{self, Keys};
use super::out::Out;
use super::records;

/// Deepest indentation; deeper calls are marked `+`.
const MAX_INDENT: i32 = 10_000;

/// The indentation with which a thread starts. In the original, threads with numbers from
/// [`COUNTED_THREADS`] start at 0, because it reads past its table for them.
const FIRST_INDENT: i32 = 2;

/// Prints `data`; returns lines for standard error. As in the original, an unreadable trace is no
/// failure.
pub(super) fn dump(data: &[u8], out: &mut Out<'_>) -> io::Result<Vec<u8>> {
    let mut section = key::read(data);
    if let Some(version) = section.version {
        out.text("VERSION: ").number(version).text("\n");
    }
    if let Some(keys) = &section.keys {
        let note = dump_keyed(data, keys, out)?;
        section.notes.extend(note.bytes());
    }
    Ok(section.notes)
}

fn dump_keyed(data: &[u8], keys: &Keys<'_>, out: &mut Out<'_>) -> io::Result<String> {
    out.text("Threads (")
        .number(keys.threads.len())
        .text("):\n");
    for thread in &keys.threads {
        out.right(2, thread.id).text(" ").text(thread.name);
        out.text("\n").end_row()?;
    }
    let mut records = match records::open(data, keys.end) {
        Ok(records) => records,
        Err(note) => return Ok(note),
    };
    out.text("Trace (threadID action usecs class.method signature):\n");
    // Open calls by thread number.
    let mut depths = vec![FIRST_INDENT; usize::from(COUNTED_THREADS)];
    depths.resize(1 << 16, 0);
    for record in records.by_ref() {
        let depth = &mut depths[usize::from(record.thread)];
        line(&record, depth, keys, out);
        out.end_row()?;
    }
    Ok(records::torn_note(&records).to_owned())
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
