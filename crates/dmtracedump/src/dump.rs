//! `-o`: the threads and every record, one line each.

use std::io::{self, Write};

use super::account::COUNTED_THREADS;
use super::key::{self, Keys};
use super::labels::Labels;
use super::out::{Cell, Out};
use super::profile::{TORN, header_note};
use super::records::{Record, Records};
use super::tell;

/// Deepest indentation; deeper calls are marked `+`.
const MAX_INDENT: i32 = 10_000;

/// Where a thread's indentation starts; numbers from [`COUNTED_THREADS`] on start at 0 in the
/// original, which reads past its table for them.
const FIRST_INDENT: i32 = 2;

/// Prints `data`. What cannot be read is told on stderr and is no failure, as in the original.
pub(super) fn dump<W: Write>(data: &[u8], out: &mut Out<W>) -> io::Result<()> {
    let section = key::read(data);
    if let Some(version) = section.version {
        out.text("VERSION: ").text(Cell::signed(version).bytes());
        out.text("\n");
    }
    let mut notes = Vec::new();
    for warning in &section.warnings {
        warning.write(&mut notes);
    }
    let result = match section.keys {
        Ok(keys) => dump_keyed(data, &keys, &mut notes, out),
        Err(error) => {
            error.write(&mut notes);
            Ok(())
        }
    };
    tell(&notes);
    result
}

fn dump_keyed<W: Write>(
    data: &[u8],
    keys: &Keys<'_>,
    notes: &mut Vec<u8>,
    out: &mut Out<W>,
) -> io::Result<()> {
    out.text("Threads (").number(keys.threads.len() as u64);
    out.text("):\n");
    for thread in &keys.threads {
        out.right::<2>(&Cell::signed(thread.id)).text(" ");
        out.text(thread.name).text("\n");
        out.row()?;
    }
    let mut records = match Records::new(data, keys.end) {
        Ok(records) => records,
        Err(error) => {
            header_note(&error, notes);
            return Ok(());
        }
    };
    out.text("Trace (threadID action usecs class.method signature):\n");
    let mut lines = Lines {
        keys,
        labels: Labels::new(&keys.methods, false),
        depths: depths(),
    };
    for record in records.by_ref() {
        lines.line(record, out)?;
    }
    if records.is_torn() {
        notes.extend_from_slice(TORN);
    }
    Ok(())
}

fn depths() -> Vec<i32> {
    let mut depths = vec![FIRST_INDENT; usize::from(COUNTED_THREADS)];
    depths.resize(1 << 16, 0);
    depths
}

struct Lines<'k, 'a> {
    keys: &'k Keys<'a>,
    labels: Labels,
    /// Open calls by thread number.
    depths: Vec<i32>,
}

impl Lines<'_, '_> {
    fn line<W: Write>(&mut self, record: Record, out: &mut Out<W>) -> io::Result<()> {
        const ACTIONS: [&str; 4] = [" ent  ", " xit  ", " unr  ", " ???  "];
        static DOTS: [u8; MAX_INDENT as usize] = [b'.'; MAX_INDENT as usize];
        let depth = &mut self.depths[usize::from(record.thread)];
        if record.action == 0 {
            *depth = depth.wrapping_add(1);
        }
        let (indent, note) = match *depth {
            d if d < 0 => (0, "-"),
            d if d > MAX_INDENT => (MAX_INDENT, "+"),
            d => (d, " "),
        };
        out.right::<2>(&Cell::unsigned(record.thread.into()));
        out.text(ACTIONS[usize::from(record.action)]);
        out.right::<8>(&Cell::unsigned(record.time.into()));
        out.text(note).text(&DOTS[..indent as usize]);
        match self.keys.methods.find(record.method) {
            Some(method) => out.text(self.labels.of(method)),
            None => out.text(unknown(record.method)),
        };
        if record.action != 0 {
            *depth = depth.wrapping_sub(1);
        }
        out.row()
    }
}

/// The rest of a line whose method nobody declared. C's `%#x` writes 0 without a prefix.
fn unknown(id: u32) -> String {
    match id {
        0 => "???.??? methodId: 0\n".to_string(),
        id => format!("???.??? methodId: {id:#x}\n"),
    }
}
