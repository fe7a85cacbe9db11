//! Writes a trace of the bench in speedscope's file format, so that speedscope gets the same calls.
//!
//! Source of the format: `file-format-schema.json` in the package `speedscope`. Each thread is an
//! evented profile; events refer to a frame by its index in `shared.frames`.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};

use anyhow::{Context, Result};

/// Sizes in bytes of the header between the methods and the records, and of a record of version 3.
const HEADER: usize = 32;
const RECORD: usize = 14;

/// A call's entry or exit.
struct Event {
    enters: bool,
    frame: usize,
    at_us: u32,
}

/// Writes the method trace at `from` (version 3, as `testkit` makes it) as a speedscope file.
pub fn write(from: &str, to: &str) -> Result<()> {
    let bytes = fs::read(from).with_context(|| from.to_owned())?;
    let end = memchr::memmem::find(&bytes, b"*end\n").context("no key section")? + 5;
    let keys = std::str::from_utf8(&bytes[..end])?;
    let (frames, place) = methods(keys);
    let threads = events(&bytes[end + HEADER..], &place);
    let mut out = BufWriter::new(File::create(to)?);
    write!(
        out,
        r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{{"frames":[{}]}},"profiles":["#,
        frames.join(",")
    )?;
    for (number, (tid, events)) in threads.iter().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        let last = events.last().map_or(0, |event| event.at_us);
        write!(
            out,
            r#"{comma}{{"type":"evented","name":"thread {tid}","unit":"microseconds","startValue":0,"endValue":{last},"events":["#
        )?;
        put(&mut out, events)?;
        write!(out, "]}}")?;
    }
    write!(out, "]}}")?;
    Ok(out.flush()?)
}

fn put(out: &mut impl Write, events: &[Event]) -> Result<()> {
    for (number, event) in events.iter().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        let kind = if event.enters { 'O' } else { 'C' };
        let Event { frame, at_us, .. } = event;
        write!(
            out,
            r#"{comma}{{"type":"{kind}","frame":{frame},"at":{at_us}}}"#
        )?;
    }
    Ok(())
}

/// The frames as JSON, and the index of each method id in them.
fn methods(keys: &str) -> (Vec<String>, HashMap<u32, usize>) {
    let lines = keys.split("*methods\n").nth(1).unwrap_or_default().lines();
    let mut frames = Vec::new();
    let mut place = HashMap::new();
    for line in lines {
        let mut fields = line.split('\t');
        let id = fields.next().and_then(|id| id.strip_prefix("0x"));
        let (Some(id), Some(class), Some(name)) = (id, fields.next(), fields.next()) else {
            continue;
        };
        if let Ok(id) = u32::from_str_radix(id, 16) {
            place.insert(id, frames.len());
            frames.push(format!(r#"{{"name":"{class}.{name}"}}"#));
        }
    }
    (frames, place)
}

/// The events of each thread, by the number of the thread.
fn events(records: &[u8], place: &HashMap<u32, usize>) -> Vec<(u16, Vec<Event>)> {
    let mut threads: Vec<(u16, Vec<Event>)> = Vec::new();
    let mut at: HashMap<u16, usize> = HashMap::new();
    for record in records.chunks_exact(RECORD) {
        let word = |from: usize| u32::from_le_bytes(record[from..from + 4].try_into().unwrap());
        let (tid, method) = (u16::from_le_bytes([record[0], record[1]]), word(2));
        let number = *at.entry(tid).or_insert_with(|| {
            threads.push((tid, Vec::new()));
            threads.len() - 1
        });
        if let Some(&frame) = place.get(&(method & !3)) {
            threads[number].1.push(Event {
                enters: method & 3 == 0,
                frame,
                at_us: word(10),
            });
        }
    }
    threads
}
