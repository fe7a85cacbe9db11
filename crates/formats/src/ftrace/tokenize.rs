//! Bytes to events, line by line. Every line is read on its own, so that pieces of a file can be
//! read in any order and at the same time.

use super::columns::{self, When, Who};
use super::digits::skip_spaces;
use super::eight::find_either;
use super::event::{CpuValueKind, Event, Field, FieldsEvent, Header, Mark, NO_TGID};
use super::event::{Value, WakeKind};
use super::known::{Known, Place};
use super::line::Prefix;
use super::pack::{Front, Packer, Seen};
use super::piece::Piece;
use super::shapes::{NO_SHAPE, Shapes};
use super::typed::{Tasks, Told};
use super::{fields, graph, header, line, marker, typed};

/// What a thread that tokenizes remembers of a piece, and whose memory it uses for the next.
#[derive(Debug, Default)]
pub(crate) struct Scratch<'a> {
    shapes: Shapes<'a>,
    /// The fields of the line at hand.
    fields: Vec<Field<'a>>,
    known: Known<'a>,
    seen: Seen,
}

/// Reads the lines of `text` into `piece`, which is cleared before.
pub(crate) fn tokenize<'a>(text: &'a [u8], scratch: &mut Scratch<'a>, piece: &mut Piece<'a>) {
    let Scratch {
        shapes,
        fields,
        known,
        seen,
    } = scratch;
    shapes.clear();
    known.clear();
    let mut lines = Lines {
        packer: Packer::new(piece, seen),
        shapes,
        fields,
        known,
    };
    let mut start = 0;
    while start < text.len() {
        let rest = &text[start..];
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        lines.line(clean(&rest[..end]));
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

/// The lines of a piece, as far as they are read.
struct Lines<'s, 'a> {
    packer: Packer<'s, 'a>,
    shapes: &'s mut Shapes<'a>,
    fields: &'s mut Vec<Field<'a>>,
    known: &'s mut Known<'a>,
}

impl<'a> Tasks<'a> for Lines<'_, 'a> {
    type Task = u32;

    #[inline]
    fn task(&mut self, comm: &'a [u8], tid: i32) -> u32 {
        self.packer.task(comm, tid, NO_TGID)
    }

    #[inline(always)]
    fn told(&mut self, place: Place, text: &'a [u8]) -> Option<Told<u32>> {
        let Some(head) = text.first_chunk() else {
            return self.fresh(place, text);
        };
        match self.known.find(place, text, head) {
            Ok(told) => Some(told),
            Err(slot) => {
                let told = self.fresh(place, text)?;
                self.known.put(slot, place, &text[..told.end], told);
                Some(told)
            }
        }
    }
}

impl<'a> Lines<'_, 'a> {
    #[inline(never)]
    fn fresh(&mut self, place: Place, text: &'a [u8]) -> Option<Told<u32>> {
        let (comm, told) = typed::told(place, text)?;
        Some(told.of(self.task(comm, told.task)))
    }

    #[inline(always)]
    fn line(&mut self, text: &'a [u8]) {
        match self.usual(text).or_else(|| self.unusual(text)) {
            Some((front, rest)) => self.event(front, rest),
            None => self.other(text),
        }
    }

    /// What stands before the payload of a line whose columns are where they usually are, and the rest.
    #[inline(always)]
    fn usual(&mut self, text: &'a [u8]) -> Option<(Front, &'a [u8])> {
        let front: &columns::Front = text.first_chunk()?;
        let (task, bracket) = self.who(text, front)?;
        let When { cpu, ts, rest } = columns::when(text, front, bracket)?;
        Some((Front { task, cpu, ts }, rest))
    }

    /// The task of a line, and where the CPU's bracket stands.
    #[inline(always)]
    fn who(&mut self, text: &'a [u8], front: &'a columns::Front) -> Option<(u32, usize)> {
        match self.known.find(Place::Front, text, columns::head(front)) {
            Ok(told) => Some((told.task, told.end)),
            Err(slot) => {
                let (Who { comm, tid, tgid }, end) = columns::who(front)?;
                let task = self.packer.task(comm, tid, tgid);
                let told = Told { task, prio: 0, end };
                self.known.put(slot, Place::Front, &text[..end], told);
                Some((task, end))
            }
        }
    }

    #[inline(never)]
    fn unusual(&mut self, text: &'a [u8]) -> Option<(Front, &'a [u8])> {
        let prefix = line::unusual(text)?;
        let Prefix { cpu, ts, rest, .. } = prefix;
        let task = self.packer.task(prefix.comm, prefix.tid, prefix.tgid);
        Some((Front { task, cpu, ts }, rest))
    }

    /// A line that begins otherwise: about the trace itself, of function_graph, or one that nothing reads.
    #[inline(never)]
    fn other(&mut self, text: &'a [u8]) {
        let (record, event) = match header::header(text) {
            Some(Header::Nothing) => return self.packer.pass_over(),
            Some(header) => (None, Event::Header(header)),
            None => match graph::row(text) {
                Some(record) => (Some(record), record.event),
                None => (None, Event::Unparsed(text)),
            },
        };
        let front = match record {
            Some(record) => Front {
                task: self.packer.task(record.comm, record.tid, record.tgid),
                cpu: record.cpu,
                ts: record.ts,
            },
            None => Front {
                task: self.packer.task(b"", 0, NO_TGID),
                cpu: 0,
                ts: 0,
            },
        };
        self.packer.push(front, event, &[]);
    }

    #[inline(always)]
    fn event(&mut self, front: Front, rest: &'a [u8]) {
        let Some(colon) = find_either(rest, 0, *b": ").filter(|at| rest[*at] == b':') else {
            let event = self.function(rest);
            return self.packer.push(front, event, self.fields);
        };
        let name = &rest[..colon];
        let payload = &rest[skip_spaces(rest, colon + 1)..];
        let read = match name {
            b"sched_switch" => return self.switch(front, name, payload),
            b"sched_waking" => return self.wake(front, WakeKind::Waking, name, payload),
            b"sched_wakeup" => return self.wake(front, WakeKind::Wakeup, name, payload),
            b"sched_wakeup_new" => return self.wake(front, WakeKind::New, name, payload),
            b"tracing_mark_write" | b"0" | b"systrace" => Some(Event::Mark(marker::mark(payload))),
            b"cpu_idle" => typed::cpu_value(CpuValueKind::Idle, payload).map(Event::CpuValue),
            b"cpu_frequency" => {
                typed::cpu_value(CpuValueKind::Frequency, payload).map(Event::CpuValue)
            }
            _ => rarer(name, payload, self.fields),
        };
        let event = read.unwrap_or_else(|| self.with_fields(name, payload));
        self.packer.push(front, event, self.fields);
    }

    #[inline(always)]
    fn switch(&mut self, front: Front, name: &'a [u8], payload: &'a [u8]) {
        match typed::switch(payload, self) {
            Some(switch) => self.packer.switch(front, switch),
            None => self.unreadable(front, name, payload),
        }
    }

    #[inline(always)]
    fn wake(&mut self, front: Front, kind: WakeKind, name: &'a [u8], payload: &'a [u8]) {
        match typed::woken(payload, self) {
            Some(woken) => self.packer.wake(front, kind, woken),
            None => self.unreadable(front, name, payload),
        }
    }

    #[cold]
    fn unreadable(&mut self, front: Front, name: &'a [u8], payload: &'a [u8]) {
        let event = self.with_fields(name, payload);
        self.packer.push(front, event, self.fields);
    }

    /// `vfs_read <-ksys_read`, of the function tracer. Anything else is an event without a name.
    fn function(&mut self, rest: &'a [u8]) -> Event<'a> {
        match memchr::memmem::find(rest, b" <-") {
            Some(arrow) => Event::Function {
                name: rest[..arrow].trim_ascii(),
                parent: rest[arrow + 3..].trim_ascii(),
            },
            None => {
                let end = rest.iter().position(|&byte| byte == b' ');
                let (name, payload) = rest.split_at(end.unwrap_or(rest.len()));
                self.with_fields(name, payload)
            }
        }
    }

    /// An event, whose fields are those of the line at hand from now on.
    fn with_fields(&mut self, name: &'a [u8], payload: &'a [u8]) -> Event<'a> {
        let text = trimmed(payload);
        let (shapes, fields) = (&mut *self.shapes, &mut *self.fields);
        fields.clear();
        let mut shape = shapes.of(name);
        if shapes.read(shape, text, fields).is_none() {
            fields.clear();
            let is_general = fields::trimmed_fields(name, text, fields);
            shape = match shape {
                NO_SHAPE => shapes.learn(name, (text, is_general), fields),
                known => shapes.matching(known, fields),
            };
        }
        Event::Fields(FieldsEvent { name, shape })
    }
}

fn rarer<'a>(name: &'a [u8], payload: &'a [u8], fields: &mut Vec<Field<'a>>) -> Option<Event<'a>> {
    match name {
        b"print" => Some(Event::Mark(marker::mark(after_caller(payload).1))),
        b"bputs" | b"bprint" => {
            fields.clear();
            Some(printed(name, payload, fields))
        }
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

/// Without white space around, of which there is hardly any.
#[inline]
fn trimmed(text: &[u8]) -> &[u8] {
    match text {
        [b'!'..=0xff, .., b'!'..=0xff] => text,
        _ => text.trim_ascii(),
    }
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

/// The text of a `trace_printk`: a marker, an event that somebody made up (`name: a=1`), or text.
pub(crate) fn printed<'a>(
    name: &'a [u8],
    payload: &'a [u8],
    fields: &mut Vec<Field<'a>>,
) -> Event<'a> {
    let (caller, text) = after_caller(payload);
    match marker::mark(text) {
        Mark::Text { .. } => {}
        mark => return Event::Mark(mark),
    }
    if let Some(ip) = super::digits::whole_hex(caller) {
        fields.push(Field {
            key: b"ip",
            value: Value::Hex(ip),
        });
    }
    let colon = memchr::memmem::find(text, b": ").filter(|colon| !text[..*colon].contains(&b' '));
    let name = match colon {
        Some(colon) => {
            fields::fields(&text[..colon], &text[colon + 2..], fields);
            &text[..colon]
        }
        None => {
            fields.push(Field {
                key: b"buf",
                value: Value::Text(text.trim_ascii()),
            });
            name
        }
    };
    let shape = NO_SHAPE;
    Event::Fields(FieldsEvent { name, shape })
}

#[cfg(test)]
mod tests;
