//! ProtoLog: log messages whose format strings are in a separate config.
//!
//! ```text
//! config    message 7: "moved %s to %d", level INFO, group 1    group 1: "WM"
//! message   7, texts ["app"], numbers [3]                       WM INFO "moved app to 3"
//! ```

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, TraceBuilder};

use super::super::sequence::State;
use super::super::survey::Survey;
use super::super::wire::{Field, Fields, Value};
use super::messages::{Messages, doubles, zigzag};

/// Fields of `InternedData`.
const TEXTS: u32 = 36;
const STACKS: u32 = 37;

/// The names of levels, by number.
const LEVELS: [&str; 7] = [
    "UNKNOWN", "DEBUG", "VERBOSE", "INFO", "WARN", "ERROR", "WTF",
];

/// Placeholder for a value that is missing in the message.
const MISSING: &str = "[MISSING_PARAM]";

/// The maximum length of a line, bytes.
const MOST_TEXT: usize = 64 << 10;

/// Messages and format strings. Messages may precede their format strings, so all are collected first.
#[derive(Default)]
pub(super) struct Protolog<'s> {
    messages: Vec<(i64, State, &'s [u8])>,
    /// By message id. Several format strings may have the same id.
    texts: FxHashMap<u64, Vec<Text<'s>>>,
    groups: FxHashMap<u64, &'s [u8]>,
}

/// A format string: a `MessageData`.
#[derive(Clone, Copy, Default, PartialEq)]
struct Text<'s> {
    text: &'s [u8],
    level: usize,
    group: u64,
    location: Option<&'s [u8]>,
}

/// The values of a message.
#[derive(Default)]
struct Values<'s> {
    id: u64,
    texts: Vec<&'s [u8]>,
    numbers: Vec<i64>,
    reals: Vec<f64>,
    flags: Vec<bool>,
    stack: Option<&'s [u8]>,
}

impl<'s> Protolog<'s> {
    /// A `ProtoLogMessage`.
    pub fn message(&mut self, ts: i64, content: &'s [u8], state: State) {
        self.messages.push((ts, state, content));
    }

    /// A `ProtoLogViewerConfig`.
    pub fn config(&mut self, content: &'s [u8]) {
        for field in Fields::new(content) {
            match field.number {
                1 => self.text(field.fields()),
                2 => self.group(field.fields()),
                _ => {}
            }
        }
    }

    fn text(&mut self, fields: Fields<'s>) {
        let (mut id, mut text) = (0, Text::default());
        for field in fields {
            match field.number {
                1 => id = field.uint(),
                2 => text.text = field.bytes(),
                3 => text.level = field.uint() as usize,
                4 => text.group = field.uint(),
                5 => text.location = Some(field.bytes()),
                _ => {}
            }
        }
        let same = self.texts.entry(id).or_default();
        // Configs are often repeated. More than a few format strings with the same id are not accidental, so they are
        // ignored.
        if same.len() < 8 && !same.contains(&text) {
            same.push(text);
        }
    }

    /// A `Group`.
    fn group(&mut self, fields: Fields<'s>) {
        let (mut id, mut tag) = (0, &b""[..]);
        for field in fields {
            match field.number {
                1 => id = field.uint(),
                3 => tag = field.bytes(),
                _ => {}
            }
        }
        self.groups.entry(id).or_insert(tag);
    }

    /// Writes the rows.
    pub fn finish(
        self,
        survey: &'s Survey<'s>,
        messages: &mut Messages<'_>,
        out: &mut TraceBuilder,
    ) {
        for (ts, state, content) in &self.messages {
            let values = Values::read(content, state, survey);
            let cells = self.cells(&values, messages, out);
            out.record(*ts, "protolog", &cells);
        }
    }

    fn cells(
        &self,
        values: &Values<'s>,
        messages: &mut Messages<'_>,
        out: &mut TraceBuilder,
    ) -> Vec<(&'static str, ArgValue)> {
        let mut cells = Vec::new();
        let texts = self.texts.get(&values.id).map_or(&[][..], Vec::as_slice);
        // A short message can refer to a long text.
        let length = texts.iter().map(|text| text.text.len()).sum::<usize>();
        let values_length = values.texts.iter().map(|text| text.len()).sum::<usize>();
        if !messages.take(length + values_length.min(MOST_TEXT)) {
            return cells;
        }
        let mut push = |name, text: &[u8]| {
            cells.push((name, ArgValue::Text(out.intern(text))));
        };
        let fitting = texts.iter().find(|text| values.fit(text.text));
        // If several format strings have this id, only one that fits the values is used.
        let only = texts.first().filter(|_| texts.len() == 1);
        if let Some(text) = fitting.or(only) {
            let level = LEVELS.get(text.level).unwrap_or(&LEVELS[0]);
            let tag = self.groups.get(&text.group).copied();
            push("level", level.as_bytes());
            push("tag", tag.unwrap_or(b"<UNKNOWN>"));
            push("message", &values.put_into(text.text));
            if let Some(location) = text.location {
                push("location", location);
            }
            if let Some(stack) = values.stack {
                push("stacktrace", stack);
            }
        }
        cells
    }
}

impl<'s> Values<'s> {
    /// A `ProtoLogMessage`.
    fn read(content: &'s [u8], state: &State, survey: &'s Survey<'s>) -> Self {
        let interned = |field, iid| {
            let span = survey.sequences.interned(state, field, iid)?;
            let mut fields = Fields::new(survey.source.get(span));
            fields.find(|field| field.number == 2).map(Field::bytes)
        };
        let mut values = Self::default();
        for field in Fields::new(content) {
            match (field.number, field.value) {
                (1, _) => values.id = field.uint(),
                (2, _) => values.texts.extend(
                    field
                        .numbers()
                        .map(|iid| interned(TEXTS, iid).unwrap_or(b"<ERROR>")),
                ),
                (3, _) => values.numbers.extend(field.numbers().map(zigzag)),
                (4, Value::Number(bits)) => values.reals.push(f64::from_bits(bits)),
                (4, Value::Bytes(packed)) => values.reals.extend(doubles(packed)),
                (5, _) => values.flags.extend(field.numbers().map(|flag| flag != 0)),
                (6, _) => values.stack = interned(STACKS, field.uint()),
                _ => {}
            }
        }
        values
    }

    /// Whether a format string has as many placeholders of each type as there are values.
    fn fit(&self, text: &[u8]) -> bool {
        let mut counts = [0; 4];
        for part in parts(text) {
            match part {
                Part::Place(b's') => counts[0] += 1,
                Part::Place(b'd' | b'o' | b'x') => counts[1] += 1,
                Part::Place(b'f' | b'e' | b'g') => counts[2] += 1,
                Part::Place(b'b') => counts[3] += 1,
                _ => {}
            }
        }
        let own = [
            self.texts.len(),
            self.numbers.len(),
            self.reals.len(),
            self.flags.len(),
        ];
        counts == own
    }

    /// Formats the message.
    fn put_into(&self, text: &[u8]) -> Vec<u8> {
        let mut line = Vec::with_capacity(text.len());
        let (mut texts, mut numbers) = (self.texts.iter(), self.numbers.iter());
        let (mut reals, mut flags) = (self.reals.iter(), self.flags.iter());
        let missing = || MISSING.to_owned();
        for part in parts(text) {
            if line.len() > MOST_TEXT {
                break;
            }
            let value = match part {
                Part::Text(text) => {
                    line.extend_from_slice(text);
                    continue;
                }
                Part::Place(b's') => {
                    line.extend_from_slice(texts.next().copied().unwrap_or(MISSING.as_bytes()));
                    continue;
                }
                Part::Place(b'd') => numbers.next().map_or_else(missing, i64::to_string),
                Part::Place(b'o') => numbers.next().map_or_else(missing, |it| format!("{it:o}")),
                Part::Place(b'x') => numbers.next().map_or_else(missing, |it| format!("{it:x}")),
                Part::Place(b'f') => reals.next().map_or_else(missing, |it| format!("{it:.6}")),
                Part::Place(b'e') => reals.next().map_or_else(missing, |it| scientific(*it)),
                Part::Place(b'g') => reals.next().map_or_else(missing, |it| short(*it)),
                Part::Place(b'b') => flags.next().map_or_else(missing, bool::to_string),
                Part::Place(b'%') => "%".to_owned(),
                Part::Place(other) => {
                    line.extend_from_slice(&[b'%', other]);
                    continue;
                }
            };
            line.extend_from_slice(value.as_bytes());
        }
        line
    }
}

/// A part of a format string.
enum Part<'a> {
    Text(&'a [u8]),
    /// A placeholder: the letter after the percent sign.
    Place(u8),
}

fn parts(mut text: &[u8]) -> impl Iterator<Item = Part<'_>> {
    std::iter::from_fn(move || match text {
        [] => None,
        [b'%', letter, rest @ ..] => {
            text = rest;
            Some(Part::Place(*letter))
        }
        [_, rest @ ..] => {
            let end = rest.iter().position(|byte| *byte == b'%');
            let end = end.map_or(text.len(), |end| end + 1);
            let (part, rest) = text.split_at(end);
            text = rest;
            Some(Part::Text(part))
        }
    })
}

/// Formats a number like C's `%e`.
fn scientific(value: f64) -> String {
    let text = format!("{value:.6e}");
    let Some((digits, exponent)) = text.split_once('e') else {
        return text;
    };
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

/// Formats a number like C's `%g`: with six significant digits and without trailing zeros.
fn short(value: f64) -> String {
    let text = scientific_of(value);
    let exponent = text
        .rsplit_once('e')
        .and_then(|(_, it)| it.parse::<i32>().ok());
    let Some(exponent) = exponent else {
        return text;
    };
    if !(-4..6).contains(&exponent) {
        let text = scientific_of(value);
        let (digits, _) = text.split_once('e').unwrap_or((&text, ""));
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", without_zeros(digits), exponent.abs());
    }
    without_zeros(&six_digits(value, exponent)).to_owned()
}

/// Formats a number with six significant digits and without an exponent. `exponent` is the position of the first digit.
fn six_digits(value: f64, exponent: i32) -> String {
    match exponent {
        5 => format!("{value:.0}"),
        4 => format!("{value:.1}"),
        3 => format!("{value:.2}"),
        2 => format!("{value:.3}"),
        1 => format!("{value:.4}"),
        0 => format!("{value:.5}"),
        -1 => format!("{value:.6}"),
        -2 => format!("{value:.7}"),
        -3 => format!("{value:.8}"),
        _ => format!("{value:.9}"),
    }
}

/// Formats a number with six significant digits and an exponent.
fn scientific_of(value: f64) -> String {
    format!("{value:.5e}")
}

fn without_zeros(digits: &str) -> &str {
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    }
}
