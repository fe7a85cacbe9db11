//! Streaming traces of versions 1 to 3: names come between the records, after thread number 0.
//!
//! ```text
//! u16 0  u8 1  u16 length  "0xid⇥class⇥method⇥signature⇥file\n"     a new method
//! u16 0  u8 2  u16 tid  u16 length  name                            a new thread
//! u16 0  u8 3  u32 length  text                                     the summary, at the end
//! ```
//!
//! Sources: ART's `runtime/trace.cc` and a real file. The summary is a key section without methods.

use traceloom_trace::{MethodEvents, RepairKind};

use super::emit::Emitter;
use super::key;
use crate::bytes::{le_u16, le_u32};

/// The item after an escape.
pub(super) enum Escape {
    /// More bytes are needed.
    Short,
    /// A name was declared; the whole item has this many bytes.
    Declared(usize),
    /// The summary. `from` and `to` are the position of its text.
    Summary { from: usize, to: usize },
    /// An unknown code: nothing after it can be read.
    Unknown(u8),
}

/// Reads the item after an escape. The thread number of the escape has `tid_bytes` bytes.
pub(super) fn escape(
    bytes: &[u8],
    at: u64,
    tid_bytes: usize,
    emit: &mut Emitter,
    sink: &mut dyn MethodEvents,
) -> Escape {
    let Some(code) = bytes.get(tid_bytes) else {
        return Escape::Short;
    };
    let body = tid_bytes + 1;
    let read = match code {
        1 => new_method(bytes, body, at, emit, sink),
        2 => new_thread(bytes, body, at, emit, sink),
        3 => summary(bytes, body),
        code => Some(Escape::Unknown(*code)),
    };
    read.unwrap_or(Escape::Short)
}

fn new_method(
    bytes: &[u8],
    body: usize,
    at: u64,
    emit: &mut Emitter,
    sink: &mut dyn MethodEvents,
) -> Option<Escape> {
    let from = body + 2;
    let to = from + usize::from(le_u16(bytes, body)?);
    let text = bytes.get(from..to)?;
    let line = text.strip_suffix(b"\n").unwrap_or(text);
    let place = at + from as u64;
    if !key::declare_method(line, place, emit, sink) {
        emit.repairs.add(RepairKind::UnparsedLine, place, || {
            String::from_utf8_lossy(line).into_owned()
        });
    }
    Some(Escape::Declared(to))
}

fn new_thread(
    bytes: &[u8],
    body: usize,
    at: u64,
    emit: &mut Emitter,
    sink: &mut dyn MethodEvents,
) -> Option<Escape> {
    let tid = le_u16(bytes, body)?;
    let from = body + 4;
    let to = from + usize::from(le_u16(bytes, body + 2)?);
    let name = emit.text(bytes.get(from..to)?, at + from as u64);
    emit.declare_thread(tid.into(), &name, at, sink);
    Some(Escape::Declared(to))
}

fn summary(bytes: &[u8], body: usize) -> Option<Escape> {
    let from = body + 4;
    let to = from.checked_add(le_u32(bytes, body)? as usize)?;
    Some(Escape::Summary { from, to })
}
