//! Records: encoding and decoding.

use crate::bytes::u64_at;
use crate::events::{Name, What};
use crate::layout::{DELTA_BITS, KIND_BITS, MARK_CONTINUES, MARK_GOES_ON, chunk_at};

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $number:literal, $value:literal, $text:literal;)*) => {
        /// The kind of a record.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum Kind {
            $($(#[$doc])* $kind = $number,)*
        }

        impl Kind {
            fn from_number(number: u8) -> Option<Self> {
                match number {
                    $($number => Some(Self::$kind),)*
                    _ => None,
                }
            }

            /// Whether a word with a value follows the first word.
            pub const fn has_value(self) -> bool {
                match self { $(Self::$kind => $value,)* }
            }

            /// Whether the record ends with text.
            pub const fn has_text(self) -> bool {
                match self { $(Self::$kind => $text,)* }
            }

            /// The first letter of the equivalent `trace_marker` text, such as `B` in `B|123|name`. Methods become
            /// sections.
            pub const fn mark_letter(self) -> Option<u8> {
                Some(match self {
                    Self::Begin | Self::BeginNamed | Self::Enter | Self::EnterCpu => b'B',
                    Self::End | Self::Exit | Self::ExitCpu => b'E',
                    Self::Counter | Self::CounterNamed => b'C',
                    Self::Instant | Self::InstantNamed => b'I',
                    Self::AsyncBegin | Self::AsyncBeginNamed => b'S',
                    Self::AsyncEnd | Self::AsyncEndNamed => b'F',
                    Self::Time | Self::Mark | Self::Owner => return None,
                })
            }
        }
    };
}

kinds! {
    /// The absolute time; later records count from it.
    Time = 1, true, false;
    /// A section begins.
    Begin = 2, false, false;
    /// A section ends.
    End = 3, false, false;
    /// A method is entered.
    Enter = 4, false, false;
    /// A method is left.
    Exit = 5, false, false;
    /// A method is entered, with the thread's CPU time.
    EnterCpu = 6, true, false;
    /// A method is left, with the thread's CPU time.
    ExitCpu = 7, true, false;
    /// A counter's value.
    Counter = 8, true, false;
    /// A point in time.
    Instant = 9, false, false;
    /// An async section begins.
    AsyncBegin = 10, true, false;
    /// An async section ends.
    AsyncEnd = 11, true, false;
    /// A section begins, with its name.
    BeginNamed = 12, false, true;
    /// A counter's value, with its name.
    CounterNamed = 13, true, true;
    /// A point in time, with its name.
    InstantNamed = 14, false, true;
    /// An async section begins, with its name.
    AsyncBeginNamed = 15, true, true;
    /// An async section ends, with its name.
    AsyncEndNamed = 16, true, true;
    /// Text that a program wrote to `trace_marker`.
    Mark = 17, false, true;
    /// The next records in the chunk are from another thread. The text is the header of this part.
    Owner = 18, false, true;
}

/// The largest time since the previous record that fits into a record, ticks. Beyond it, a [`Kind::Time`] record is
/// needed.
pub const MAX_DELTA: u64 = (1 << DELTA_BITS) - 1;

/// The first word of a record. `delta` is in ticks, at most [`MAX_DELTA`].
#[inline]
pub const fn first_word(kind: Kind, delta: u64, argument: u32) -> u64 {
    kind as u64 | delta << KIND_BITS | (argument as u64) << 32
}

/// Kind, delta in ticks, and argument of the first word of a record.
pub fn parts_of(first: u64) -> (Option<Kind>, u64, u32) {
    let kind = Kind::from_number((first & ((1 << KIND_BITS) - 1)) as u8);
    (kind, first >> KIND_BITS & MAX_DELTA, (first >> 32) as u32)
}

/// The parts of a record.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    pub kind: Kind,
    pub argument: u32,
    pub value: u64,
    pub text: &'a [u8],
}

impl<'a> Fields<'a> {
    fn new(kind: Kind, argument: u32, value: u64) -> Self {
        Self {
            kind,
            argument,
            value,
            text: b"",
        }
    }

    fn named(name: &Name<'a>, by_id: Kind, by_text: Kind, value: u64) -> Self {
        match *name {
            Name::Id(id) => Self::new(by_id, id, value),
            Name::Text(text) => Self {
                text,
                ..Self::new(by_text, text.len() as u32, value)
            },
        }
    }
}

/// The record of an event. `None` for a mark, which may need several records.
pub(crate) fn fields<'a>(what: &What<'a>) -> Option<Fields<'a>> {
    let named = Fields::named;
    let method = |plain, with_cpu, id, cpu_ns: Option<u64>| match cpu_ns {
        None => Fields::new(plain, id, 0),
        Some(cpu_ns) => Fields::new(with_cpu, id, cpu_ns),
    };
    Some(match what {
        What::Begin(name) => named(name, Kind::Begin, Kind::BeginNamed, 0),
        What::End => Fields::new(Kind::End, 0, 0),
        What::Enter { id, cpu_ns } => method(Kind::Enter, Kind::EnterCpu, *id, *cpu_ns),
        What::Exit { id, cpu_ns } => method(Kind::Exit, Kind::ExitCpu, *id, *cpu_ns),
        What::Counter(name, value) => named(name, Kind::Counter, Kind::CounterNamed, *value as u64),
        What::Instant(name) => named(name, Kind::Instant, Kind::InstantNamed, 0),
        What::AsyncBegin(name, cookie) => named(
            name,
            Kind::AsyncBegin,
            Kind::AsyncBeginNamed,
            *cookie as u64,
        ),
        What::AsyncEnd(name, cookie) => {
            named(name, Kind::AsyncEnd, Kind::AsyncEndNamed, *cookie as u64)
        }
        What::Mark(_) => return None,
    })
}

/// A record of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Record<'a> {
    pub kind: Kind,
    /// Absolute time, ticks.
    pub ticks: u64,
    pub argument: u32,
    /// 0 if the kind has none.
    pub value: u64,
    pub text: &'a [u8],
    /// Offset in the records of the chunk, bytes.
    pub at: usize,
}

/// Reads the records of a chunk, one after the other.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    body: &'a [u8],
    at: usize,
    ticks: u64,
}

impl<'a> Records<'a> {
    /// The committed records in `body`. Times count from `base`, ticks.
    pub fn new(body: &'a [u8], base: u64) -> Self {
        Self {
            body,
            at: 0,
            ticks: base,
        }
    }

    /// The number of bytes not read yet. Once there are no more records, these bytes are not a record.
    pub(crate) fn torn_bytes(&self) -> usize {
        self.body.len() - self.at
    }

    /// The time of the last record, ticks.
    pub fn last_ticks(mut self) -> u64 {
        while self.next_record().is_some() {}
        self.ticks
    }

    /// The next record that changes the thread: its offset, the header that it holds, and the offset of the records
    /// after it.
    pub(crate) fn next_owner(&mut self) -> Option<(usize, &'a [u8], usize)> {
        loop {
            let record = self.next_of_any_kind()?;
            if record.kind == Kind::Owner {
                return Some((record.at, record.text, self.at));
            }
        }
    }

    /// The next record. Time records are applied and skipped.
    #[inline]
    pub(crate) fn next_record(&mut self) -> Option<Record<'a>> {
        loop {
            let record = self.next_of_any_kind()?;
            if record.kind != Kind::Time {
                return Some(record);
            }
        }
    }

    #[inline]
    fn next_of_any_kind(&mut self) -> Option<Record<'a>> {
        let at = self.at;
        let rest = self.body.get(at..)?;
        let first = u64::from_le_bytes(*rest.first_chunk()?);
        let kind = Kind::from_number((first & ((1 << KIND_BITS) - 1)) as u8)?;
        let argument = (first >> 32) as u32;
        let mut length = 8;
        let mut value = 0;
        if kind.has_value() {
            value = u64_at(rest, length);
            length += 8;
        }
        let mut text = &b""[..];
        if kind.has_text() {
            let bytes = text_bytes(kind, argument);
            text = rest.get(length..)?.get(..bytes)?;
            length += bytes.next_multiple_of(8);
        }
        if length > rest.len() {
            return None;
        }
        self.at = at + length;
        self.ticks = match kind {
            Kind::Time => value,
            Kind::Owner => u64_at(text, chunk_at::BASE),
            _ => self.ticks.wrapping_add(first >> KIND_BITS & MAX_DELTA),
        };
        Some(Record {
            kind,
            ticks: self.ticks,
            argument,
            value,
            text,
            at,
        })
    }
}

/// Length of the text of a record with this argument.
fn text_bytes(kind: Kind, argument: u32) -> usize {
    match kind {
        Kind::Mark => (argument & !(MARK_GOES_ON | MARK_CONTINUES)) as usize,
        _ => argument as usize,
    }
}

/// Size in bytes of the record that begins with the word `first`; `None` if that is not a record.
fn record_bytes(first: u64) -> Option<usize> {
    let kind = Kind::from_number((first & ((1 << KIND_BITS) - 1)) as u8)?;
    let text = if kind.has_text() {
        text_bytes(kind, (first >> 32) as u32).checked_next_multiple_of(8)?
    } else {
        0
    };
    text.checked_add(8 + usize::from(kind.has_value()) * 8)
}

/// Whether the record that begins with the word `first` is an event. Times, changes of the thread and later parts of a
/// mark are not events.
fn is_event(first: u64) -> bool {
    match Kind::from_number((first & ((1 << KIND_BITS) - 1)) as u8) {
        Some(Kind::Mark) => (first >> 32) as u32 & MARK_CONTINUES == 0,
        Some(kind) => !matches!(kind, Kind::Time | Kind::Owner),
        None => false,
    }
}

/// Counts the events in `words` words of records.
pub fn count_events(words: usize, read: impl Fn(usize) -> u64) -> u64 {
    let (mut count, mut at) = (0, 0);
    while at < words {
        let first = read(at);
        let Some(bytes) = record_bytes(first) else {
            break;
        };
        count += u64::from(is_event(first));
        at += bytes / 8;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_kinds_matches_the_code() {
        let source = include_str!("layout.rs");
        let rows = source
            .lines()
            .filter_map(|line| line.strip_prefix("//! | "));
        let rows = rows.filter(|row| row.starts_with(|c: char| c.is_ascii_digit()));
        let mut seen = 0;
        for row in rows {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            for number in cells[0].split(", ") {
                let kind = Kind::from_number(number.parse().unwrap()).unwrap();
                assert_eq!(kind.has_value(), !cells[3].is_empty(), "{kind:?}");
                assert_eq!(kind.has_text(), !cells[4].is_empty(), "{kind:?}");
                seen += 1;
            }
        }
        assert_eq!(seen, 18);
        assert_eq!(Kind::from_number(19), None);
    }

    #[test]
    fn an_incomplete_record_ends_the_chunk() {
        let mut body = first_word(Kind::Begin, 5, 7).to_le_bytes().to_vec();
        body.extend(first_word(Kind::BeginNamed, 5, 9).to_le_bytes());
        body.extend(b"12345678");
        let mut records = Records::new(&body, 100);
        let first = records.next_record().unwrap();
        assert_eq!((first.ticks, first.argument), (105, 7));
        assert_eq!(records.next_record(), None);
        assert_eq!(records.torn_bytes(), 16);
        let first = first_word(Kind::BeginNamed, 5, 9);
        assert_eq!((record_bytes(first), is_event(first)), (Some(24), true));
    }
}
