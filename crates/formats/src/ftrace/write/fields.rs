//! Prints the fields of a kernel event, in the kernel's own format if it is irregular.

use std::io::{self, Write};

use traceloom_trace::{ArgSetId, Trace};

use super::kernel::{BEGIN_ONLY, END_ONLY};
use crate::ftrace::event::Field;
use crate::ftrace::fields::{fields as parse, pattern_keys, print_by_pattern};
use crate::ftrace::pairs::{BEGIN_EVENT, END_EVENT, uses};

/// The fields of a slice that an event has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    All,
    /// The fields of the event that begins the slice. The value is the name of the event that ends it.
    Begin(&'static str),
    /// The fields of the event that ends the slice. The value is the name of the event that begins it.
    End(&'static str),
    /// All fields, with the values of the second event.
    Last,
}

impl Part {
    fn has(self, event: &str, key: &str) -> bool {
        match self {
            // f2fs has it in the second event.
            Self::End(_) if key == "datasync" => event.starts_with("f2fs_"),
            Self::End(_) if key == "success" => event == "mmap_lock_acquire_returned",
            Self::All | Self::Last => true,
            Self::Begin(end) => match [prints(event, key), prints(end, key)] {
                [Some(true), _] | [_, Some(false)] => true,
                [Some(false), _] => false,
                [None, Some(true)] => agrees(event, key),
                [None, None] => !END_ONLY.contains(&key),
            },
            Self::End(begin) => match [prints(event, key), prints(begin, key)] {
                [Some(true), _] | [_, Some(false)] => true,
                [Some(false), _] => false,
                _ => !BEGIN_ONLY.contains(&key) || agrees(event, key),
            },
        }
    }
}

/// Whether an event prints this field; `None` if its fields are not known.
fn prints(event: &str, key: &str) -> Option<bool> {
    let mut keys = pattern_keys(event)?;
    Some(keys.any(|known| known == key.as_bytes()))
}

/// Whether this field is used to match the end of a slice.
fn agrees(event: &str, key: &str) -> bool {
    let keys = uses(event.as_bytes()).iter().flat_map(|one| one.pair.keys);
    keys.into_iter()
        .any(|keys| keys.split('|').any(|one| one == key))
}

/// Writes the payload of event `name`. A slice may have two values of a field, one of each event.
pub(super) fn write_fields(
    trace: &Trace,
    name: &str,
    args: ArgSetId,
    part: Part,
    out: &mut impl Write,
) -> io::Result<()> {
    let all = trace.args.set(args).map(|(key, value)| {
        let text = value.display(&trace.strings);
        (trace.strings.get(key), text.replace(['\n', '\r'], " "))
    });
    let fields = match part {
        Part::All => all.collect(),
        Part::Begin(_) => first_fields(name, part, all),
        Part::End(_) | Part::Last => last_fields(name, part, all.collect()),
    };
    out.write_all(&payload(name, &fields))
}

/// The fields of the first event of a slice. They come before those that only the second has.
fn first_fields<'t>(
    event: &str,
    part: Part,
    all: impl Iterator<Item = (&'t str, String)>,
) -> Vec<(&'t str, String)> {
    let mut fields: Vec<(&str, String)> = Vec::new();
    for (key, text) in all {
        let is_known = fields.iter().any(|(known, _)| *known == key);
        if is_known || [BEGIN_EVENT, END_EVENT].contains(&key) || !part.has(event, key) {
            break;
        }
        fields.push((key, text));
    }
    fields
}

/// The fields of the second event of a slice, with the last value of each. A field with two values has one from each
/// event.
fn last_fields<'t>(event: &str, part: Part, all: Vec<(&'t str, String)>) -> Vec<(&'t str, String)> {
    let mut fields: Vec<(&str, String)> = Vec::new();
    let keys: Vec<&str> = all.iter().map(|(key, _)| *key).collect();
    for (key, text) in all {
        let is_repeated = || keys.iter().filter(|known| **known == key).count() > 1;
        if [BEGIN_EVENT, END_EVENT].contains(&key) || !part.has(event, key) && !is_repeated() {
            continue;
        }
        match fields.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = text,
            None => fields.push((key, text)),
        }
    }
    fields
}

/// The text of the fields, in the first form that is read back as the same fields.
fn payload(event: &str, fields: &[(&str, String)]) -> Vec<u8> {
    if let Some(text) =
        print_by_pattern(event, fields).filter(|text| reads_back(event, fields, text))
    {
        return text;
    }
    let first = Shape::choose(event, fields);
    let mut text = Vec::new();
    for shape in [
        first,
        Shape::Keyed,
        Shape::Pairs,
        Shape::Spaced,
        Shape::Colons,
    ] {
        shape.print(event, fields, &mut text);
        if reads_back(event, fields, &text) {
            return text;
        }
    }
    first.print(event, fields, &mut text);
    text
}

/// Whether the reader gets these fields from the text.
fn reads_back(event: &str, fields: &[(&str, String)], text: &[u8]) -> bool {
    let mut read = Vec::new();
    parse(event.as_bytes(), text, &mut read);
    let is_same = |(read, (key, text)): (&Field<'_>, &(&str, String))| {
        read.key == key.as_bytes() && read.value.shown() == text.as_str()
    };
    read.len() == fields.len() && read.iter().zip(fields).all(is_same)
}

/// The format of an event's fields. The formats are those of `include/trace/events/*.h`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// `key=value`.
    Keyed,
    /// `dev 8,0 …` by position: `8,0 WS 4096 () 12345 + 8 [comm]`.
    Block,
    /// `work struct 00000000b1a1e8a5: function vmstat_update`.
    Workqueue,
    /// `vec=9 [action=RCU]`.
    Softirq,
    /// `(Rescheduling interrupts)`.
    Ipi,
    /// `gcc_clk state=1 cpu_id=3`, `gcc_clk 200000000`.
    Clock,
    /// `dev 8,13 ino 58 pos 0`.
    Pairs,
    /// `dev = (7,0), ino = 8`.
    Spaced,
    /// `reason: waiting, state: 3`.
    Colons,
}

impl Shape {
    fn choose(event: &str, fields: &[(&str, String)]) -> Self {
        let is_number = |text: &String| text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        match event {
            "softirq_entry" | "softirq_exit" | "softirq_raise" => Self::Softirq,
            "ipi_entry" | "ipi_exit" => Self::Ipi,
            "clock_set_rate" | "clock_enable" | "clock_disable" => Self::Clock,
            _ if event.starts_with("clk_") => Self::Clock,
            _ if event.starts_with("block_") => Self::Block,
            "workqueue_execute_start" | "workqueue_execute_end" | "workqueue_activate_work" => {
                Self::Workqueue
            }
            _ if event.starts_with("f2fs_") => Self::Spaced,
            _ if event.starts_with("ext4_") && fields.iter().all(|(_, text)| is_number(text)) => {
                Self::Pairs
            }
            _ => Self::Keyed,
        }
    }

    fn separator(self) -> &'static [u8] {
        match self {
            Self::Spaced | Self::Colons => b", ",
            Self::Workqueue => b": ",
            _ => b" ",
        }
    }

    fn print(self, event: &str, fields: &[(&str, String)], out: &mut Vec<u8>) {
        out.clear();
        for (n, (key, text)) in fields.iter().enumerate() {
            if n > 0 {
                out.extend_from_slice(self.separator());
            }
            // Writing to memory cannot fail.
            _ = self.field(key, text, out);
            if *key == "size" && event.starts_with("rss_stat") {
                out.push(b'B');
            }
        }
    }

    fn field(self, key: &str, text: &str, out: &mut impl Write) -> io::Result<()> {
        match (self, key) {
            (_, "") => write!(out, "{text}"),
            (Self::Block, "dev" | "rwbs" | "bytes") => write!(out, "{text}"),
            (Self::Block, "sector") => write!(out, "() {text}"),
            (Self::Block, "nr_sector") => write!(out, "+ {text}"),
            (Self::Block, "comm" | "error") => write!(out, "[{text}]"),
            (Self::Workqueue, "work") => {
                let digits = text.trim_start_matches("0x");
                write!(out, "work struct {digits:0>16}")
            }
            (Self::Workqueue, "function") => write!(out, "function {text}"),
            (Self::Softirq, "action") => write!(out, "[action={text}]"),
            (Self::Ipi, "reason") => write!(out, "({text})"),
            (Self::Clock, "name" | "rate") => write!(out, "{text}"),
            (Self::Pairs, _) => write!(out, "{key} {text}"),
            (Self::Spaced, _) => write!(out, "{key} = {text}"),
            (Self::Colons, _) => write!(out, "{key}: {text}"),
            _ => write!(out, "{key}={text}"),
        }
    }
}
