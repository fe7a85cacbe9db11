//! Events that the kernel prints without their name.
//!
//! ```text
//!  sh-100    [000] .....    51.779285: <stack trace>
//!  <...>-17  [031] ....1   342.580948: 1000000       3767  99.62330      19   1026      0   1000     31      4
//!  <idle>-0  [000] d.h1    54.029328: #1     context    irq timer_latency       932 ns
//!  <...>-17  [001] d...   678.473449: #1     inner/outer(us):   11/12    ts:1581527483.343962693 count:6
//! ```
//! The last three are rows of the tracers osnoise, timerlat and hwlat. `kernel/trace/trace_entries.h` defines the names
//! and fields of these events, and `kernel/trace/trace_output.c` prints them.

use super::digits::whole_int;
use super::event::{Event, Field, FieldsEvent, NO_SHAPE, Value};

/// The columns of osnoise. Times are in µs. `available` is a share of the CPU time, in percent. The last five are
/// counts.
const OSNOISE: [&[u8]; 9] = [
    b"runtime",
    b"noise",
    b"available",
    b"max_sample",
    b"hw_count",
    b"nmi_count",
    b"irq_count",
    b"softirq_count",
    b"thread_count",
];

/// Parses the text after a line's columns.
#[cold]
pub(super) fn event<'a>(text: &'a [u8], fields: &mut Vec<Field<'a>>) -> Option<Event<'a>> {
    if let Some(name) = stack(text) {
        return Some(Event::Stack(name));
    }
    fields.clear();
    let name: &[u8] = match text.strip_prefix(b"#") {
        Some(row) => numbered(row, fields)?,
        None => osnoise(text, fields)?,
    };
    let shape = NO_SHAPE;
    Some(Event::Fields(FieldsEvent { name, shape }))
}

/// The name of the event whose stack follows.
fn stack(text: &[u8]) -> Option<&'static [u8]> {
    match text.trim_ascii_end() {
        b"<stack trace>" => Some(b"kernel_stack"),
        b"<user stack trace>" => Some(b"user_stack"),
        _ => None,
    }
}

fn osnoise<'a>(text: &'a [u8], fields: &mut Vec<Field<'a>>) -> Option<&'static [u8]> {
    let mut columns = words(text);
    for key in OSNOISE {
        let number = columns.next()?;
        let value = if key == b"available" {
            let is_ratio = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
            let ratio = number.iter().all(is_ratio);
            ratio.then_some(Value::Text(number))?
        } else {
            Value::Int(whole_int(number)?)
        };
        fields.push(Field { key, value });
    }
    columns.next().is_none().then_some(b"osnoise")
}

/// A row after its `#`.
fn numbered<'a>(row: &'a [u8], fields: &mut Vec<Field<'a>>) -> Option<&'static [u8]> {
    let mut columns = words(row);
    let mut int = |key: &'static [u8], text: &[u8]| {
        let value = Value::Int(whole_int(text)?);
        fields.push(Field { key, value });
        Some(())
    };
    int(b"seqnum", columns.next()?)?;
    if columns.next()? == b"context" {
        let (context, _, latency) = (columns.next()?, columns.next()?, columns.next()?);
        int(b"timer_latency", latency)?;
        let (key, value) = (b"context", Value::Text(context));
        fields.insert(1, Field { key, value });
        return Some(b"timerlat");
    }
    hwlat(row, fields).then_some(b"hwlat")
}

/// The columns of hwlat after the number of the row: `inner/outer(us):   11/12    ts:1581527483.343962693 count:6`.
fn hwlat<'a>(row: &'a [u8], fields: &mut Vec<Field<'a>>) -> bool {
    let Some(at) = memchr::memmem::find(row, b"inner/outer(us):") else {
        return false;
    };
    for word in words(&row[at..]).skip(1) {
        let (keys, [first, second]): ([&[u8]; 2], [&[u8]; 2]) =
            match memchr::memchr2(b'/', b':', word) {
                Some(at) if word[at] == b'/' => (
                    [b"duration", b"outer_duration"],
                    [&word[..at], &word[at + 1..]],
                ),
                Some(at) => ([key(&word[..at]), b""], [&word[at + 1..], b""]),
                None => return false,
            };
        for (key, text) in keys.into_iter().zip([first, second]) {
            let value = whole_int(text).map_or(Value::Text(text), Value::Int);
            if !key.is_empty() {
                fields.push(Field { key, value });
            }
        }
    }
    true
}

/// The kernel's name of a field, for the name that it prints.
fn key(printed: &[u8]) -> &[u8] {
    match printed {
        b"ts" => b"timestamp",
        b"nmi-total" => b"nmi_total_ts",
        b"nmi-count" => b"nmi_count",
        other => other,
    }
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The event as `name key=value`.
    fn shown(text: &str) -> Option<String> {
        let mut fields = Vec::new();
        let Event::Fields(event) = super::event(text.as_bytes(), &mut fields)? else {
            return None;
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let fields = fields
            .iter()
            .map(|field| format!(" {}={}", text(field.key), field.value.shown()));
        Some(text(event.name) + &fields.collect::<String>())
    }

    #[test]
    fn rows_of_the_latency_tracers() {
        for (text, expected) in [
            (
                "1000000       3767  99.62330      19   1026      0   1000     31      4",
                "osnoise runtime=1000000 noise=3767 available=99.62330 max_sample=19 hw_count=1026 nmi_count=0 \
                 irq_count=1000 softirq_count=31 thread_count=4",
            ),
            (
                "#1     context    irq timer_latency       932 ns",
                "timerlat seqnum=1 context=irq timer_latency=932",
            ),
            (
                "#3     inner/outer(us):   16/9     ts:1581527494.889008092 count:1",
                "hwlat seqnum=3 duration=16 outer_duration=9 timestamp=1581527494.889008092 count=1",
            ),
            (
                "#12345 inner/outer(us): 4000/16000 ts:15.000000001 count:5 nmi-total:7 nmi-count:2",
                "hwlat seqnum=12345 duration=4000 outer_duration=16000 timestamp=15.000000001 count=5 \
                 nmi_total_ts=7 nmi_count=2",
            ),
        ] {
            assert_eq!(shown(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn texts_that_only_resemble_them() {
        for text in [
            "",
            "#",
            "#1",
            "#x context irq timer_latency 932 ns",
            "#1 context irq",
            "#1 inner/outer(us): 11",
            "1 2 3.0 4 5 6 7 8",
            "1 2 3.0 4 5 6 7 8 9 10",
            "1 2 x 4 5 6 7 8 9",
            "vfs_read called",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
    }
}
