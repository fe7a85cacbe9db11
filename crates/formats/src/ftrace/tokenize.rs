//! Converts bytes to events, line by line. Every line is parsed independently, so segments of a
//! file can be processed in any order and at the same time.

use traceloom_trace::{NO_FLAG, NO_PRIORITY, WakeKind};

use super::batch::{Encoder, EventBatch, EventHead, Interned};
use super::context::{self, Context};
use super::digits::{bare_hex, skip_spaces};
use super::event::{CpuValueKind, Event, Field, FieldsEvent, Header, NO_SHAPE, NO_TGID, Value};
use super::fast::{self, LineHead, Shapes, TaskCache, When, Who};
use super::fields_option;
use super::flags::shown_context;
use super::payload::{self, TaskPlace, TaskReader, TaskText};
use super::prefix::{Prefix, general_prefix};
use super::swar::find_either;
use super::trace_printk::{after_caller, after_difference, is_address, marked_by_address, printed};
use super::trim_line::trim_line;
use super::{fields, graph, header, latency_tracers, marker};

/// The state of a thread while it tokenizes a segment. Its memory is reused for the next one.
#[derive(Debug, Default)]
pub(crate) struct Scratch<'a> {
    shapes: Shapes<'a>,
    /// The fields of the current line.
    fields: Vec<Field<'a>>,
    tasks: TaskCache<'a>,
    interned: Interned,
}

/// Parses the lines of `text` into `batch`, which is cleared first.
pub(crate) fn tokenize<'a>(text: &'a [u8], scratch: &mut Scratch<'a>, batch: &mut EventBatch<'a>) {
    let Scratch {
        shapes,
        fields,
        tasks,
        interned,
    } = scratch;
    shapes.clear();
    tasks.clear();
    let mut lines = Lines {
        encoder: Encoder::new(batch, interned),
        shapes,
        fields,
        tasks,
    };
    let mut start = 0;
    while start < text.len() {
        let rest = &text[start..];
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        lines.line(trim_line(&rest[..end]));
        start += end + 1;
    }
}

/// Whether the line can only be from ftrace text.
pub(crate) fn is_event_line(text: &[u8]) -> bool {
    fast::prefix(trim_line(text)).is_some() || graph::row(text).is_some()
}

/// Tokenizes the lines of a segment.
struct Lines<'s, 'a> {
    encoder: Encoder<'s, 'a>,
    shapes: &'s mut Shapes<'a>,
    fields: &'s mut Vec<Field<'a>>,
    tasks: &'s mut TaskCache<'a>,
}

impl<'a> TaskReader<'a> for Lines<'_, 'a> {
    type Task = u32;

    #[inline]
    fn task(&mut self, comm: &'a [u8], tid: i32) -> u32 {
        self.encoder.task(comm, tid, NO_TGID)
    }

    #[inline(always)]
    fn read_task(&mut self, place: TaskPlace, text: &'a [u8]) -> Option<TaskText<u32>> {
        let Some(key) = text.first_chunk() else {
            return self.fresh(place, text);
        };
        match self.tasks.find(place, text, key) {
            Ok(read) => Some(read),
            Err(slot) => {
                let read = self.fresh(place, text)?;
                // A text without the priority may be the beginning of one that has it.
                if read.prio != NO_PRIORITY {
                    self.tasks.add(slot, place, &text[..read.end], read);
                }
                Some(read)
            }
        }
    }
}

impl<'a> Lines<'_, 'a> {
    /// Parses a task that is not in the cache.
    #[inline(never)]
    fn fresh(&mut self, place: TaskPlace, text: &'a [u8]) -> Option<TaskText<u32>> {
        let (comm, read) = payload::read_task(place, text)?;
        Some(read.with_task(self.task(comm, read.task)))
    }

    #[inline(always)]
    fn line(&mut self, text: &'a [u8]) {
        match self
            .fast_columns(text)
            .or_else(|| self.general_columns(text))
        {
            Some((front, rest)) => self.event(front, text, rest),
            None => self.other(text),
        }
    }

    /// The columns of a line and the text after them, if the fast reader can parse them.
    #[inline(always)]
    fn fast_columns(&mut self, text: &'a [u8]) -> Option<(EventHead, &'a [u8])> {
        let head: &LineHead = text.first_chunk()?;
        let (task, bracket) = self.who(text, head)?;
        let When { cpu, ts, rest } = fast::when(text, head, bracket)?;
        Some((EventHead { task, cpu, ts }, rest))
    }

    /// The task of a line, and the position of the CPU's bracket.
    #[inline(always)]
    fn who(&mut self, text: &'a [u8], head: &'a LineHead) -> Option<(u32, usize)> {
        match self
            .tasks
            .find(TaskPlace::Columns, text, fast::cache_key(head))
        {
            Ok(read) => Some((read.task, read.end)),
            Err(slot) => {
                let (Who { comm, tid, tgid }, end) = fast::who(head)?;
                let task = self.encoder.task(comm, tid, tgid);
                let read = TaskText { task, prio: 0, end };
                self.tasks.add(slot, TaskPlace::Columns, &text[..end], read);
                Some((task, end))
            }
        }
    }

    /// The columns of any other line, with the general rule.
    #[inline(never)]
    fn general_columns(&mut self, text: &'a [u8]) -> Option<(EventHead, &'a [u8])> {
        let prefix = general_prefix(text)?;
        let Prefix { cpu, ts, rest, .. } = prefix;
        let task = self.encoder.task(prefix.comm, prefix.tid, prefix.tgid);
        Some((EventHead { task, cpu, ts }, rest))
    }

    /// Parses a line without such columns: about the trace itself, of function_graph, or invalid.
    #[inline(never)]
    fn other(&mut self, text: &'a [u8]) {
        let (record, event) = match header::header(text) {
            Some(Header::Nothing) => return self.encoder.skip_line(),
            Some(header) => (None, Event::Header(header)),
            None => match graph::row(text) {
                Some(record) => (Some(record), record.event),
                None => (None, Event::Unparsed(text)),
            },
        };
        let front = match record {
            Some(record) => EventHead {
                task: self.encoder.task(record.comm, record.tid, record.tgid),
                cpu: record.cpu,
                ts: record.ts,
            },
            None => EventHead {
                task: self.encoder.task(b"", 0, NO_TGID),
                cpu: 0,
                ts: 0,
            },
        };
        self.encoder.push(front, event, &[]);
    }

    #[inline(always)]
    fn event(&mut self, front: EventHead, line: &'a [u8], rest: &'a [u8]) {
        match name_end(rest) {
            Some(colon) => self.named(front, line, (rest, colon)),
            None => self.spaced(front, line, rest),
        }
    }

    #[inline(always)]
    fn named(&mut self, front: EventHead, line: &'a [u8], (rest, colon): (&'a [u8], usize)) {
        let name = &rest[..colon];
        let payload = &rest[skip_spaces(rest, colon + 1)..];
        let before = &line[..line.len().saturating_sub(rest.len())];
        let read = match name {
            b"sched_switch" => return self.switch(front, name, payload),
            b"sched_waking" => return self.wake((front, before), WakeKind::Waking, name, payload),
            b"sched_wakeup" => return self.wake((front, before), WakeKind::Wakeup, name, payload),
            b"sched_wakeup_new" => return self.wake((front, before), WakeKind::New, name, payload),
            b"tracing_mark_write" | b"systrace" => Some(Event::Mark(marker::mark(payload))),
            [b'0'..=b'9', ..] => return self.numbered(front, name, rest, payload),
            b"cpu_idle" => cpu_value(CpuValueKind::Idle, payload),
            b"cpu_frequency" => cpu_value(CpuValueKind::Frequency, payload),
            _ if name.starts_with(b"sys_") => syscall(rest, self.fields),
            _ => rarer(name, payload, self.fields),
        };
        let event = read.unwrap_or_else(|| self.with_fields(name, payload));
        self.encoder.push(front, event, self.fields);
    }

    /// Parses a line with a space before its first colon, or without a colon.
    #[cold]
    fn spaced(&mut self, front: EventHead, line: &'a [u8], rest: &'a [u8]) {
        let rest = after_difference(rest).unwrap_or(rest);
        if let Some(colon) = name_end(rest) {
            return self.named(front, line, (rest, colon));
        }
        let event = match marked_by_address(rest) {
            Some(text) => Event::Mark(marker::mark(text)),
            None => self.function(rest),
        };
        self.encoder.push(front, event, self.fields);
    }

    /// An event whose name starts with a digit.
    fn numbered(&mut self, front: EventHead, name: &'a [u8], rest: &'a [u8], payload: &'a [u8]) {
        match context::context(rest, self) {
            Some(Context::Switch(switch)) => self.encoder.switch(front, switch),
            Some(Context::Wake(woken)) => {
                self.encoder.wake(front, WakeKind::Wakeup, woken, NO_FLAG);
            }
            None if is_address(name) => {
                let mark = Event::Mark(marker::mark(payload));
                self.encoder.push(front, mark, self.fields);
            }
            None => self.unreadable(front, name, payload),
        }
    }

    #[inline(always)]
    fn switch(&mut self, front: EventHead, name: &'a [u8], payload: &'a [u8]) {
        let read = payload::switch(payload, self).or_else(|| fields_option::switch(payload, self));
        match read {
            Some(switch) => self.encoder.switch(front, switch),
            None => self.unreadable(front, name, payload),
        }
    }

    #[inline(always)]
    fn wake(
        &mut self,
        (front, before): (EventHead, &'a [u8]),
        kind: WakeKind,
        name: &'a [u8],
        payload: &'a [u8],
    ) {
        // The usual form may end after the thread and would match the start of this one, so this form is tried first.
        let is_twice = payload.trim_ascii_end().ends_with(b")");
        let read = is_twice
            .then(|| fields_option::wake(payload, self))
            .flatten();
        match read.or_else(|| payload::wake(payload, self)) {
            Some(woken) => (self.encoder).wake(front, kind, woken, shown_context(before)),
            None => self.unreadable(front, name, payload),
        }
    }

    #[cold]
    fn unreadable(&mut self, front: EventHead, name: &'a [u8], payload: &'a [u8]) {
        let event = self.with_fields(name, payload);
        self.encoder.push(front, event, self.fields);
    }

    /// Parses `vfs_read <-ksys_read`, of the function tracer. Any other text is an event without a
    /// colon.
    fn function(&mut self, rest: &'a [u8]) -> Event<'a> {
        match memchr::memmem::find(rest, b" <-") {
            Some(arrow) => Event::Function {
                name: rest[..arrow].trim_ascii(),
                parent: rest[arrow + 3..].trim_ascii(),
            },
            None => {
                if rest.starts_with(b"sys_")
                    && let Some(event) = syscall(rest, self.fields)
                {
                    return event;
                }
                if let Some(event) = latency_tracers::event(rest, self.fields) {
                    return event;
                }
                let end = rest.iter().position(|&byte| byte == b' ');
                let (name, payload) = rest.split_at(end.unwrap_or(rest.len()));
                self.with_fields(name, payload)
            }
        }
    }

    /// An event whose fields are parsed into `self.fields`.
    fn with_fields(&mut self, name: &'a [u8], payload: &'a [u8]) -> Event<'a> {
        let text = trimmed(payload);
        let (shapes, fields) = (&mut *self.shapes, &mut *self.fields);
        fields.clear();
        let mut shape = shapes.find(name);
        if shapes.read(shape, text, fields).is_none() {
            fields.clear();
            let is_general = fields::trimmed_fields(name, text, fields);
            shape = match shape {
                NO_SHAPE => shapes.learn(name, (text, is_general), fields),
                shape => shapes.matching(shape, fields),
            };
        }
        Event::Fields(FieldsEvent { name, shape })
    }
}

/// The end of an event's name: the first colon, if no space precedes it.
#[inline(always)]
fn name_end(rest: &[u8]) -> Option<usize> {
    find_either(rest, 0, *b": ").filter(|at| rest[*at] == b':')
}

fn cpu_value<'a>(kind: CpuValueKind, payload: &'a [u8]) -> Option<Event<'a>> {
    let read = payload::cpu_value(kind, payload);
    read.or_else(|| fields_option::cpu_value(kind, payload))
        .map(Event::CpuValue)
}

fn rarer<'a>(name: &'a [u8], payload: &'a [u8], fields: &mut Vec<Field<'a>>) -> Option<Event<'a>> {
    match name {
        b"print" => Some(Event::Mark(marker::mark(after_caller(payload).1))),
        b"bputs" | b"bprint" => {
            fields.clear();
            Some(printed(name, payload, fields))
        }
        b"funcgraph_entry" | b"fgraph_retaddr_entry" | b"funcgraph_exit" => {
            graph::body(payload).map(Event::Graph)
        }
        b"kernel_stack" | b"user_stack" if payload.starts_with(b"<") => Some(Event::Stack(name)),
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
        // The option `sym-offset` adds the caller's offset within the function.
        _ if name.starts_with(b"tracing_mark_write+") => Some(Event::Mark(marker::mark(payload))),
        _ => None,
    }
}

/// Parses `sys_openat(dfd: ffffff9c, flags: 80000)` and `sys_openat -> 0x3`. The kernel prints the
/// events of single system calls without the name of the event.
fn syscall<'a>(rest: &'a [u8], fields: &mut Vec<Field<'a>>) -> Option<Event<'a>> {
    let rest = rest.trim_ascii_end();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let end = rest.iter().position(|byte| !is_name(byte))?;
    let (call, behind) = rest.split_at(end);
    fields.clear();
    fields.push(Field {
        key: b"name",
        value: Value::Text(call.strip_prefix(b"sys_")?),
    });
    let name = match behind.strip_prefix(b" -> ") {
        Some(ret) => {
            fields.push(fields::text_field(b"ret", ret));
            &b"sys_exit"[..]
        }
        None => {
            arguments(behind.strip_prefix(b"(")?.strip_suffix(b")")?, fields);
            b"sys_enter"
        }
    };
    let shape = NO_SHAPE;
    Some(Event::Fields(FieldsEvent { name, shape }))
}

/// Parses `dfd: ffffff9c, filename: 7f0012`: hexadecimal numbers without `0x`.
fn arguments<'a>(text: &'a [u8], fields: &mut Vec<Field<'a>>) {
    for part in text.split(|byte| *byte == b',') {
        let Some(colon) = memchr::memchr(b':', part) else {
            continue;
        };
        let (key, value) = (part[..colon].trim_ascii(), part[colon + 1..].trim_ascii());
        let value = bare_hex(value).map_or(Value::Text(value), Value::Hex);
        fields.push(Field { key, value });
    }
}

/// Removes surrounding white space, which is rare.
#[inline]
fn trimmed(text: &[u8]) -> &[u8] {
    match text {
        [b'!'..=0xff, .., b'!'..=0xff] => text,
        _ => text.trim_ascii(),
    }
}

#[cfg(test)]
mod tests;
