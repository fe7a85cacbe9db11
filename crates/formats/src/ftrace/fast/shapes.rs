//! Remembers the common structure of each event's lines within a batch.
//!
//! The kernel prints an event with one format, so nearly all its lines have the same keys with the
//! same text between them. The general rule parses the first line of an event by searching for
//! keys. If its parts are as simple as these, the next lines are only compared:
//!
//! ```text
//! dev 254,0 ino 414522 pos 0        "dev " pair, " ino " pair, " pos " pair
//! bdi 254:0: ino=650409 index=8578  "bdi " pair, " ino=" key, " index=" key
//! ```
//!
//! A line that differs in any way is parsed by the general rule.

use crate::ftrace::digits::digits;
use crate::ftrace::event::{Field, NO_SHAPE, Value};
use crate::ftrace::fields::{SURE_PAIRS, begins_number, is_symbolic, trim_value, value, value_of};
use crate::ftrace::swar::{find_either, hash_ends, load8, same_bytes};

/// The maximum number of shapes in a batch. A trace has fewer kinds of events.
const MOST_SHAPES: usize = 128;

/// Size of the hash table. At least half of it stays empty.
const SLOTS: usize = 2 * MOST_SHAPES;

/// The shapes of the events of a batch so far.
#[derive(Clone, Debug)]
pub(crate) struct Shapes<'a> {
    /// Indices of shapes by the hash of the event's name; [`NO_SHAPE`] means empty.
    slots: Box<[u8; SLOTS]>,
    shapes: Vec<Shape<'a>>,
    /// Parts of all shapes.
    parts: Vec<Part<'a>>,
}

/// The keys of an event.
#[derive(Clone, Copy, Debug)]
struct Shape<'a> {
    event: &'a [u8],
    first: u32,
    count: u32,
    /// Whether lines can be parsed by comparing.
    is_plain: bool,
}

/// A key, and the text around it.
#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    key: &'a [u8],
    /// The text between the previous value and this one: a space, the key, a `=`.
    lead: Word<'a>,
    /// `key 1` or `key: 1`, not `key=1`.
    is_pair: bool,
    /// Whether the value may also be flags or a code location. This requires enough pairs with
    /// numbers before it.
    is_sure: bool,
    /// The last word that was not a number, and its value. Devices and flags repeat in many lines.
    last: Option<(Word<'a>, Value<'a>)>,
}

/// Bytes that are compared with the text at one position.
#[derive(Clone, Copy, Debug)]
struct Word<'a> {
    bytes: &'a [u8],
    /// The first bytes as a number, and the mask that selects them from eight.
    head: u64,
    mask: u64,
}

impl<'a> Word<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let mask = u64::MAX.checked_shr(64 - 8 * bytes.len().min(8) as u32);
        let mask = mask.unwrap_or(0);
        let head = load8(bytes, 0).unwrap_or(0) & mask;
        Self { bytes, head, mask }
    }

    /// The end of the word, if it is at `at`.
    #[inline(always)]
    fn end(&self, text: &[u8], at: usize) -> Option<usize> {
        let end = at + self.bytes.len();
        // Bytes after the end of the text are zero, and no word contains a zero.
        let is_there = load8(text, at)? & self.mask == self.head
            && (self.bytes.len() <= 8 || same_bytes(text.get(at..end)?, self.bytes));
        is_there.then_some(end)
    }
}

impl Default for Shapes<'_> {
    fn default() -> Self {
        Self {
            slots: Box::new([NO_SHAPE as u8; SLOTS]),
            shapes: Vec::new(),
            parts: Vec::new(),
        }
    }
}

impl<'a> Shapes<'a> {
    /// Forgets all shapes.
    pub fn clear(&mut self) {
        self.slots.fill(NO_SHAPE as u8);
        self.shapes.clear();
        self.parts.clear();
    }

    /// The shape of an event; [`NO_SHAPE`] before its first line.
    #[inline]
    pub fn find(&self, event: &[u8]) -> u32 {
        u32::from(self.slots[self.slot(event)])
    }

    /// The slot of an event's shape, or a free one.
    #[inline]
    fn slot(&self, event: &[u8]) -> usize {
        let mut slot = hash_ends(event) as usize;
        loop {
            match usize::from(self.slots[slot % SLOTS]).checked_sub(1) {
                Some(shape) if !same_bytes(self.shapes[shape].event, event) => slot += 1,
                _ => return slot % SLOTS,
            }
        }
    }

    /// Parses a payload of this shape. `None` means that it differs; `out` must then be discarded.
    #[inline]
    pub fn read(&mut self, shape: u32, text: &'a [u8], out: &mut Vec<Field<'a>>) -> Option<()> {
        let shape = self.shapes.get((shape as usize).checked_sub(1)?)?;
        if !shape.is_plain {
            return None;
        }
        let parts = &mut self.parts[shape.first as usize..][..shape.count as usize];
        read(parts, text, out)
    }

    /// `shape` if `fields` have its keys, otherwise [`NO_SHAPE`].
    pub fn matching(&self, shape: u32, fields: &[Field<'a>]) -> u32 {
        let known = (shape as usize).checked_sub(1);
        let Some(known) = known.and_then(|known| self.shapes.get(known)) else {
            return NO_SHAPE;
        };
        let parts = &self.parts[known.first as usize..][..known.count as usize];
        if keys_match(parts, fields) {
            shape
        } else {
            NO_SHAPE
        }
    }

    /// Learns the shape of an event from the `fields` that were found in `text`. `is_general` means
    /// that the general rule found them. Returns [`NO_SHAPE`] if there are too many shapes.
    pub fn learn(
        &mut self,
        event: &'a [u8],
        (text, is_general): (&'a [u8], bool),
        fields: &[Field<'a>],
    ) -> u32 {
        let slot = self.slot(event);
        if self.shapes.len() >= MOST_SHAPES {
            return NO_SHAPE;
        }
        let first = self.parts.len();
        let is_plain = is_general && plain_parts(text, fields, &mut self.parts);
        if !is_plain {
            self.parts.truncate(first);
            self.parts.extend(fields.iter().map(|field| Part {
                key: field.key,
                lead: Word::new(b""),
                is_pair: false,
                is_sure: false,
                last: None,
            }));
        }
        self.shapes.push(Shape {
            event,
            first: first as u32,
            count: fields.len() as u32,
            is_plain,
        });
        self.slots[slot] = self.shapes.len() as u8;
        self.shapes.len() as u32
    }
}

fn keys_match(parts: &[Part<'_>], fields: &[Field<'_>]) -> bool {
    let has_key = |(part, field): (&Part<'_>, &Field<'_>)| {
        std::ptr::eq(part.key, field.key) || part.key == field.key
    };
    parts.len() == fields.len() && parts.iter().zip(fields).all(has_key)
}

/// Adds the parts of a text in which the general rule found `fields`; `false` if it is not simple
/// enough.
fn plain_parts<'a>(text: &'a [u8], fields: &[Field<'a>], parts: &mut Vec<Part<'a>>) -> bool {
    let first = parts.len();
    let mut at = 0;
    for field in fields {
        let Some(mut part) = part(text, at, field.key) else {
            return false;
        };
        part.is_sure = parts.len() - first >= SURE_PAIRS;
        let follows_key = parts[first..].last().is_some_and(|part| !part.is_pair);
        if part.is_pair && follows_key {
            return false;
        }
        match value_end(text, at + part.lead.bytes.len()) {
            Some(end) => at = end,
            None => return false,
        }
        parts.push(part);
    }
    let mut again = Vec::with_capacity(fields.len());
    let is_read = read(&mut parts[first..], text, &mut again).is_some();
    is_read && !fields.is_empty() && again == fields
}

/// The part with this key at `at`, preceded by a space unless it is the first.
fn part<'a>(text: &'a [u8], at: usize, key: &'a [u8]) -> Option<Part<'a>> {
    let space: &[u8] = if at > 0 { b" " } else { b"" };
    let behind_key = text.get(at..)?.strip_prefix(space)?.strip_prefix(key)?;
    let (gap, is_pair) = match behind_key {
        _ if key.is_empty() => return None,
        [b'=', ..] => (1, false),
        [b' ', ..] => (1, true),
        [b':', b' ', ..] => (2, true),
        _ => return None,
    };
    Some(Part {
        key,
        lead: Word::new(&text[at..at + space.len() + key.len() + gap]),
        is_pair,
        is_sure: false,
        last: None,
    })
}

/// Parses a text that has exactly these parts, with one space between them.
///
/// The result equals that of the general rule: values contain no space and no `=`, so it finds the
/// same pairs and keys, and no value begins with a byte that it treats specially.
#[inline]
fn read<'a>(parts: &mut [Part<'a>], text: &'a [u8], out: &mut Vec<Field<'a>>) -> Option<()> {
    let mut at = 0;
    for part in parts {
        let start = part.lead.end(text, at)?;
        let (value, end) = match part.repeated_value(text, start) {
            Some(repeated) => repeated,
            None => part.fresh_value(text, start)?,
        };
        out.push(Field {
            key: part.key,
            value,
        });
        at = end;
    }
    (at == text.len()).then_some(())
}

/// Whether a word ends at `at`.
#[inline(always)]
fn is_end(text: &[u8], at: usize) -> bool {
    matches!(text.get(at), None | Some(b' '))
}

impl<'a> Part<'a> {
    /// The value at `start` and its end, if it equals the previous one.
    #[inline(always)]
    fn repeated_value(&self, text: &[u8], start: usize) -> Option<(Value<'a>, usize)> {
        let (word, value) = self.last.as_ref()?;
        let end = word.end(text, start)?;
        is_end(text, end).then_some((*value, end))
    }

    /// The value at `start`, and its end.
    #[inline(always)]
    fn fresh_value(&mut self, text: &'a [u8], start: usize) -> Option<(Value<'a>, usize)> {
        match digits(text, start) {
            // Most values are plain numbers.
            Some((number, end)) if is_end(text, end) => Some((Value::Int(number as i64), end)),
            _ => self.word(text, start),
        }
    }

    /// [`fresh_value`](Self::fresh_value) of anything but a plain number.
    fn word(&mut self, text: &'a [u8], start: usize) -> Option<(Value<'a>, usize)> {
        let end = value_end(text, start)?;
        let word = &text[start..end];
        let value = self.value(word)?;
        self.last = (!word.contains(&0)).then(|| (Word::new(word), value));
        Some((value, end))
    }

    fn value(&self, word: &'a [u8]) -> Option<Value<'a>> {
        let first = *word.first()?;
        if self.is_pair {
            // After the last pair, the general rule removes one more comma.
            let is_value = begins_number(first) || self.is_sure && is_symbolic(word);
            let is_whole = word.last() != Some(&b',');
            return (is_value && is_whole).then(|| value(trim_value(word)));
        }
        let is_looked_at = matches!(first, b'{' | b'(' | b'"' | b'>' | b'\t');
        (!is_looked_at).then(|| value_of(self.key, trim_value(word)))
    }
}

/// The end of the word at `at`; `None` if it contains a `=`.
#[inline]
fn value_end(text: &[u8], at: usize) -> Option<usize> {
    match find_either(text, at, *b" =") {
        Some(end) => (text[end] == b' ').then_some(end),
        None => Some(text.len()),
    }
}

#[cfg(test)]
mod tests;
