//! Bytes to events, line by line. Every line is read on its own, so that pieces of a file can be
//! read in any order and at the same time.

use super::eight::find_either;
use super::event::{CpuValueKind, Event, Field, FieldsEvent, Mark, Piece, Record, Value, WakeKind};
use super::event::{Header, NO_TGID};
use super::shapes::NO_SHAPE;
use super::{fields, graph, header, line, marker, typed};

/// Reads the lines of `text` into `piece`, which is cleared before.
pub(crate) fn tokenize<'a>(text: &'a [u8], piece: &mut Piece<'a>) {
    piece.clear();
    let mut start = 0;
    while start < text.len() {
        let rest = &text[start..];
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let record = record(clean(&rest[..end]), piece);
        if !matches!(record.event, Event::Header(Header::Nothing)) {
            let line = piece.lines;
            piece.records.push(Record { line, ..record });
        }
        piece.lines += 1;
        start += end + 1;
    }
}

/// Whether a line is one that this format alone has.
pub(crate) fn is_event_line(text: &[u8]) -> bool {
    line::prefix(clean(text)).is_some() || graph::row(text).is_some()
}

/// Takes off what line-end conversions, JavaScript string literals and CSV quotes put around a line.
#[inline]
fn clean(mut text: &[u8]) -> &[u8] {
    while let [rest @ .., b'\r'] = text {
        text = rest;
    }
    match text {
        [rest @ .., b'\\', b'n', b'\\'] => rest,
        [b'"', rest @ .., b'"'] => rest,
        _ => text,
    }
}

#[inline]
fn record<'a>(text: &'a [u8], piece: &mut Piece<'a>) -> Record<'a> {
    match line::prefix(text) {
        Some(prefix) => Record {
            ts: prefix.ts,
            tid: prefix.tid,
            tgid: prefix.tgid,
            cpu: prefix.cpu,
            line: 0,
            comm: prefix.comm,
            event: event(prefix.rest, piece),
        },
        None => other_line(text),
    }
}

#[cold]
fn other_line(text: &[u8]) -> Record<'_> {
    let event = match header::header(text) {
        Some(header) => Event::Header(header),
        None => match graph::row(text) {
            Some(record) => return record,
            None => Event::Unparsed(text),
        },
    };
    Record {
        ts: 0,
        tid: 0,
        tgid: NO_TGID,
        cpu: 0,
        line: 0,
        comm: b"",
        event,
    }
}

#[inline]
fn event<'a>(rest: &'a [u8], piece: &mut Piece<'a>) -> Event<'a> {
    let Some(colon) = find_either(rest, 0, *b": ").filter(|at| rest[*at] == b':') else {
        return function(rest, piece);
    };
    let name = &rest[..colon];
    let payload = &rest[super::digits::skip_spaces(rest, colon + 1)..];
    let read = match name {
        b"sched_switch" => typed::switch(payload).map(Event::Switch),
        b"tracing_mark_write" | b"0" | b"systrace" => Some(Event::Mark(marker::mark(payload))),
        b"sched_waking" => typed::wake(WakeKind::Waking, payload).map(Event::Wake),
        b"sched_wakeup" => typed::wake(WakeKind::Wakeup, payload).map(Event::Wake),
        b"sched_wakeup_new" => typed::wake(WakeKind::New, payload).map(Event::Wake),
        b"cpu_idle" => typed::cpu_value(CpuValueKind::Idle, payload).map(Event::CpuValue),
        b"cpu_frequency" => typed::cpu_value(CpuValueKind::Frequency, payload).map(Event::CpuValue),
        _ => rarer(name, payload, piece),
    };
    read.unwrap_or_else(|| with_fields(name, payload, piece))
}

fn rarer<'a>(name: &'a [u8], payload: &'a [u8], piece: &mut Piece<'a>) -> Option<Event<'a>> {
    match name {
        b"print" => Some(Event::Mark(marker::mark(after_caller(payload).1))),
        b"bputs" | b"bprint" => Some(printed(name, payload, piece)),
        b"funcgraph_entry" | b"funcgraph_exit" => graph::body(payload).map(Event::Graph),
        b"function" => {
            let arrow = memchr::memmem::find(payload, b"<-")?;
            let parent = payload[arrow + 2..].trim_ascii();
            let parent = parent
                .strip_prefix(b"-")
                .unwrap_or(parent)
                .trim_ascii_start();
            Some(Event::Function {
                name: payload[..arrow].trim_ascii(),
                parent,
            })
        }
        _ => None,
    }
}

/// `vfs_read <-ksys_read`, of the function tracer. Anything else is an event without a name.
fn function<'a>(rest: &'a [u8], piece: &mut Piece<'a>) -> Event<'a> {
    match memchr::memmem::find(rest, b" <-") {
        Some(arrow) => Event::Function {
            name: rest[..arrow].trim_ascii(),
            parent: rest[arrow + 3..].trim_ascii(),
        },
        None => {
            let end = rest
                .iter()
                .position(|&byte| byte == b' ')
                .unwrap_or(rest.len());
            with_fields(&rest[..end], &rest[end..], piece)
        }
    }
}

fn with_fields<'a>(name: &'a [u8], payload: &'a [u8], piece: &mut Piece<'a>) -> Event<'a> {
    let first = piece.fields.len();
    let text = trimmed(payload);
    let Piece { shapes, fields, .. } = piece;
    let mut shape = shapes.of(name);
    if shapes.read(shape, text, fields).is_none() {
        fields.truncate(first);
        let is_general = fields::trimmed_fields(name, text, fields);
        shape = match shape {
            NO_SHAPE => shapes.learn(name, (text, is_general), &fields[first..]),
            known => shapes.matching(known, &fields[first..]),
        };
    }
    Event::Fields(FieldsEvent {
        name,
        first: first as u32,
        count: (fields.len() - first) as u32,
        shape,
    })
}

/// Without white space around, of which there is hardly any.
#[inline]
fn trimmed(text: &[u8]) -> &[u8] {
    match text {
        [b'!'..=0xff, .., b'!'..=0xff] => text,
        _ => text.trim_ascii(),
    }
}

fn fields_since<'a>(name: &'a [u8], first: usize, piece: &Piece<'a>) -> Event<'a> {
    Event::Fields(FieldsEvent {
        name,
        first: first as u32,
        count: (piece.fields.len() - first) as u32,
        shape: NO_SHAPE,
    })
}

/// The caller that trace-cmd puts before a printed text: `0xffff00000819ff24s: text` or
/// `tracing_mark_write: text`.
fn after_caller(payload: &[u8]) -> (&[u8], &[u8]) {
    let Some(space) = memchr::memchr(b' ', payload) else {
        return (b"", payload);
    };
    let Some(caller) = payload[..space].strip_suffix(b":") else {
        return (b"", payload);
    };
    let caller = caller.strip_suffix(b"s").unwrap_or(caller);
    let is_caller =
        super::digits::whole_hex(caller).is_some() || caller.starts_with(b"tracing_mark_write");
    if is_caller {
        (caller, &payload[space + 1..])
    } else {
        (b"", payload)
    }
}

/// What a `trace_printk` printed (`caller: text`), as the event `name` that recorded it.
pub(crate) fn printed_event<'a>(
    name: &'a [u8],
    payload: &'a [u8],
    piece: &mut Piece<'a>,
) -> Event<'a> {
    printed(name, payload, piece)
}

/// The text of a `trace_printk`: a marker, an event that somebody made up (`name: a=1`), or text.
fn printed<'a>(name: &'a [u8], payload: &'a [u8], piece: &mut Piece<'a>) -> Event<'a> {
    let (caller, text) = after_caller(payload);
    match marker::mark(text) {
        Mark::Text { .. } => {}
        mark => return Event::Mark(mark),
    }
    let first = piece.fields.len();
    if let Some(ip) = super::digits::whole_hex(caller) {
        piece.fields.push(Field {
            key: b"ip",
            value: Value::Hex(ip),
        });
    }
    let colon = memchr::memmem::find(text, b": ").filter(|colon| !text[..*colon].contains(&b' '));
    match colon {
        Some(colon) => {
            fields::fields(&text[..colon], &text[colon + 2..], &mut piece.fields);
            fields_since(&text[..colon], first, piece)
        }
        None => {
            piece.fields.push(Field {
                key: b"buf",
                value: Value::Text(text.trim_ascii()),
            });
            fields_since(name, first, piece)
        }
    }
}
