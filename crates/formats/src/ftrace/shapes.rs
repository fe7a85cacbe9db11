//! What the lines of one event have in common, remembered within a piece.
//!
//! The kernel prints an event by one format, so that nearly every line of it has the same keys with
//! the same text between them. The first line of an event is read by the general rule, which
//! searches for keys. Where its parts are as plain as these, the next lines are only compared:
//!
//! ```text
//! dev 254,0 ino 414522 pos 0        "dev " pair, " ino " pair, " pos " pair
//! bdi 254:0: ino=650409 index=8578  "bdi " pair, " ino=" key, " index=" key
//! ```
//!
//! A line that differs in any way goes to the general rule, so what is remembered changes nothing
//! but the speed.

use super::digits::{digits, eight_times, zero_bytes};
use super::event::{Field, Value};
use super::fields::{trim_value, value, value_of};

/// No shape.
pub(crate) const NO_SHAPE: u32 = 0;

/// Shapes of a piece at most; more than a trace has kinds of events.
const MOST_SHAPES: usize = 128;

/// Slots by a hash of the name: half of them stay empty.
const SLOTS: usize = 2 * MOST_SHAPES;

/// Shapes of the events of a piece so far.
#[derive(Clone, Debug)]
pub(crate) struct Shapes<'a> {
    /// The number of a shape by the hash of its event's name; [`NO_SHAPE`] where there is none.
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
    /// Lines can be read by comparing.
    is_plain: bool,
}

/// A key and what stands between it and its value.
#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    key: &'a [u8],
    lead: &'a [u8],
    /// The lead's first bytes as a number, and the mask that cuts them out of eight.
    head: u64,
    mask: u64,
    /// `key 1` or `key: 1`, not `key=1`.
    is_pair: bool,
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

    /// The number of the shape of an event; [`NO_SHAPE`] before its first line.
    #[inline]
    pub fn of(&self, event: &[u8]) -> u32 {
        u32::from(self.slots[self.slot(event)])
    }

    /// Where the shape of an event stands, or has room.
    #[inline]
    fn slot(&self, event: &[u8]) -> usize {
        let mut slot = hash(event);
        loop {
            match usize::from(self.slots[slot % SLOTS]).checked_sub(1) {
                Some(shape) if self.shapes[shape].event != event => slot += 1,
                _ => return slot % SLOTS,
            }
        }
    }

    /// Reads a payload of this shape. `None` says that it is not quite of this shape: `out` then
    /// has fields that are none.
    #[inline]
    pub fn read(&self, shape: u32, text: &'a [u8], out: &mut Vec<Field<'a>>) -> Option<()> {
        let shape = self.shapes.get((shape as usize).checked_sub(1)?)?;
        if !shape.is_plain {
            return None;
        }
        let parts = &self.parts[shape.first as usize..][..shape.count as usize];
        read(parts, text, out)
    }

    /// Remembers the shape of an event from the `fields` that the general rule found in `text`. The
    /// number of the shape, if this is the first line of the event or has the keys of the first.
    pub fn learn(
        &mut self,
        event: &'a [u8],
        (text, is_general): (&'a [u8], bool),
        fields: &[Field<'a>],
    ) -> u32 {
        let slot = self.slot(event);
        let known = self.slots[slot];
        if let Some(shape) = usize::from(known).checked_sub(1) {
            let shape = self.shapes[shape];
            let parts = &self.parts[shape.first as usize..][..shape.count as usize];
            return match keys_match(parts, fields) {
                true => u32::from(known),
                false => NO_SHAPE,
            };
        }
        if self.shapes.len() >= MOST_SHAPES {
            return NO_SHAPE;
        }
        let first = self.parts.len();
        let is_plain = is_general && plain_parts(text, fields, &mut self.parts);
        if !is_plain {
            self.parts.truncate(first);
            self.parts.extend(fields.iter().map(|field| Part {
                key: field.key,
                lead: b"",
                head: 0,
                mask: 0,
                is_pair: false,
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

#[inline]
fn hash(event: &[u8]) -> usize {
    let ends = match (event.first_chunk(), event.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from_le_bytes(*first).rotate_left(5) ^ u64::from_le_bytes(*last)
        }
        _ => event
            .iter()
            .fold(0, |all, byte| all << 8 | u64::from(*byte)),
    };
    ((ends ^ event.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
}

fn keys_match(parts: &[Part<'_>], fields: &[Field<'_>]) -> bool {
    let is_same = |(part, field): (&Part<'_>, &Field<'_>)| {
        std::ptr::eq(part.key, field.key) || part.key == field.key
    };
    parts.len() == fields.len() && parts.iter().zip(fields).all(is_same)
}

/// The parts of a text in which the general rule found `fields`; `false` where it is not plain.
fn plain_parts<'a>(text: &'a [u8], fields: &[Field<'a>], parts: &mut Vec<Part<'a>>) -> bool {
    let first = parts.len();
    let mut at = 0;
    for field in fields {
        let start = at + usize::from(at > 0);
        let Some(part) = part(text, start, field.key) else {
            return false;
        };
        let follows_key = parts[first..].last().is_some_and(|part| !part.is_pair);
        if part.is_pair && follows_key {
            return false;
        }
        match value_end(text, start + part.lead.len()) {
            Some(end) => at = end,
            None => return false,
        }
        parts.push(part);
    }
    let mut again = Vec::with_capacity(fields.len());
    let is_read = read(&parts[first..], text, &mut again).is_some();
    is_read && !fields.is_empty() && again == fields
}

/// The part that begins at `at` with this key.
fn part<'a>(text: &'a [u8], at: usize, key: &'a [u8]) -> Option<Part<'a>> {
    let (gap, is_pair) = match text.get(at..)?.strip_prefix(key)? {
        _ if key.is_empty() => return None,
        [b'=', ..] => (1, false),
        [b' ', ..] => (1, true),
        [b':', b' ', ..] => (2, true),
        _ => return None,
    };
    let lead = &text[at..at + key.len() + gap];
    let mut head = [0; 8];
    let mut mask = [0; 8];
    for ((head, mask), byte) in head.iter_mut().zip(&mut mask).zip(lead) {
        (*head, *mask) = (*byte, 0xff);
    }
    Some(Part {
        key,
        lead,
        head: u64::from_le_bytes(head),
        mask: u64::from_le_bytes(mask),
        is_pair,
    })
}

/// Reads a text that has exactly these parts, with one space between them.
///
/// The general rule reads it the same: its values hold no space and no `=`, so that pairs are pairs
/// and each key found is one of these; and no value begins with what the general rule looks at.
#[inline]
fn read<'a>(parts: &[Part<'a>], text: &'a [u8], out: &mut Vec<Field<'a>>) -> Option<()> {
    let mut at = 0;
    for part in parts {
        if at > 0 {
            (text.get(at) == Some(&b' ')).then_some(())?;
            at += 1;
        }
        let start = part.behind_lead(text, at)?;
        let value = match digits(text, start) {
            // What most of them are.
            Some((number, end)) if matches!(text.get(end), None | Some(b' ')) => {
                at = end;
                Value::Int(number as i64)
            }
            _ => {
                at = value_end(text, start)?;
                part.value(&text[start..at])?
            }
        };
        let key = part.key;
        out.push(Field { key, value });
    }
    (at == text.len()).then_some(())
}

impl Part<'_> {
    /// Where the value begins, if the lead stands at `at`.
    #[inline]
    fn behind_lead(&self, text: &[u8], at: usize) -> Option<usize> {
        let rest = text.get(at..)?;
        let is_there = match rest.first_chunk() {
            Some(eight) if self.lead.len() <= 8 => {
                u64::from_le_bytes(*eight) & self.mask == self.head
            }
            _ => rest.starts_with(self.lead),
        };
        is_there.then_some(at + self.lead.len())
    }

    #[inline]
    fn value<'v>(&self, word: &'v [u8]) -> Option<Value<'v>> {
        let first = *word.first()?;
        if self.is_pair {
            // Behind the last pair the general rule takes off one comma more.
            let is_number = matches!(first, b'0'..=b'9' | b'-') && word.last() != Some(&b',');
            return is_number.then(|| value(trim_value(word)));
        }
        let is_looked_at = matches!(first, b'{' | b'(' | b'"' | b'>' | b'\t');
        (!is_looked_at).then(|| value_of(self.key, trim_value(word)))
    }
}

/// Where the word at `at` ends; `None` where it holds a `=`.
#[inline]
fn value_end(text: &[u8], at: usize) -> Option<usize> {
    let mut end = at;
    while let Some(eight) = text.get(end..).and_then(|rest| rest.first_chunk()) {
        let word = u64::from_le_bytes(*eight);
        let found = zero_bytes(word ^ eight_times(b' ')) | zero_bytes(word ^ eight_times(b'='));
        if found != 0 {
            end += found.trailing_zeros() as usize / 8;
            return (text[end] == b' ').then_some(end);
        }
        end += 8;
    }
    while let Some(byte) = text.get(end).filter(|byte| **byte != b' ') {
        if *byte == b'=' {
            return None;
        }
        end += 1;
    }
    Some(end)
}

#[cfg(test)]
mod tests;
