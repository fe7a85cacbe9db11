//! Records: words in, words out.

use crate::bytes::u64_at;
use crate::events::{Name, What};
use crate::layout::{DELTA_BITS, KIND_BITS, MARK_CONTINUES, MARK_GOES_ON};

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $number:literal, $value:literal, $text:literal;)*) => {
        /// What kind of record it is.
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

            /// Whether a word with a value stands behind the first.
            pub const fn has_value(self) -> bool {
                match self { $(Self::$kind => $value,)* }
            }

            /// Whether text stands at the end.
            pub const fn has_text(self) -> bool {
                match self { $(Self::$kind => $text,)* }
            }

            /// The letter of the mark that says the same, `B` in `B|123|name`; methods are sections there.
            pub const fn mark_letter(self) -> Option<u8> {
                Some(match self {
                    Self::Begin | Self::BeginNamed | Self::Enter | Self::EnterCpu => b'B',
                    Self::End | Self::Exit | Self::ExitCpu => b'E',
                    Self::Counter | Self::CounterNamed => b'C',
                    Self::Instant | Self::InstantNamed => b'I',
                    Self::AsyncBegin | Self::AsyncBeginNamed => b'S',
                    Self::AsyncEnd | Self::AsyncEndNamed => b'F',
                    Self::Time | Self::Mark => return None,
                })
            }
        }
    };
}

kinds! {
    /// The clock itself; later records count from it.
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
    /// What a program wrote to `trace_marker`.
    Mark = 17, false, true;
}

/// The largest time between two records that a record can say, ticks.
pub const MAX_DELTA: u64 = (1 << DELTA_BITS) - 1;

/// The first word of a record; `delta` must fit into its bits.
#[inline]
pub const fn word(kind: Kind, delta: u64, argument: u32) -> u64 {
    kind as u64 | delta << KIND_BITS | (argument as u64) << 32
}

/// What an event is made of: kind, argument, value and text. `None` for a mark, which may need
/// several records.
pub fn pieces<'a>(what: &What<'a>) -> Option<(Kind, u32, u64, &'a [u8])> {
    let named = |name: &Name<'a>, plain: Kind, with_text: Kind, value: u64| match *name {
        Name::Id(id) => (plain, id, value, &b""[..]),
        Name::Text(text) => (with_text, text.len() as u32, value, text),
    };
    let method = |plain, with_cpu, id, cpu_ns: Option<u64>| match cpu_ns {
        None => (plain, id, 0, &b""[..]),
        Some(cpu_ns) => (with_cpu, id, cpu_ns, &b""[..]),
    };
    Some(match what {
        What::Begin(name) => named(name, Kind::Begin, Kind::BeginNamed, 0),
        What::End => (Kind::End, 0, 0, b""),
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

/// A record as it stands in a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<'a> {
    pub kind: Kind,
    /// The clock.
    pub ticks: u64,
    pub argument: u32,
    /// 0 where the kind has none.
    pub value: u64,
    pub text: &'a [u8],
    /// Where it begins in the chunk's records, bytes.
    pub at: usize,
}

/// The records of a chunk, one after the other.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    body: &'a [u8],
    at: usize,
    ticks: u64,
}

impl<'a> Words<'a> {
    /// The committed records in `body`, counting from `base`.
    pub fn new(body: &'a [u8], base: u64) -> Self {
        Self {
            body,
            at: 0,
            ticks: base,
        }
    }

    /// Bytes that are no record, once there are no more.
    pub fn torn_bytes(&self) -> usize {
        self.body.len() - self.at
    }

    /// The clock after the last record that was taken.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Passes over all records.
    pub fn to_end(&mut self) {
        while self.next_record().is_some() {}
    }

    /// The next record; the clock itself is taken in and not told.
    #[inline]
    pub(crate) fn next_record(&mut self) -> Option<Record<'a>> {
        loop {
            let record = self.any()?;
            if record.kind != Kind::Time {
                return Some(record);
            }
        }
    }

    #[inline]
    fn any(&mut self) -> Option<Record<'a>> {
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

/// How much text a record with this argument has.
fn text_bytes(kind: Kind, argument: u32) -> usize {
    match kind {
        Kind::Mark => (argument & !(MARK_GOES_ON | MARK_CONTINUES)) as usize,
        _ => argument as usize,
    }
}

/// Bytes of the record that begins with `first`; `None` if it is none.
pub fn record_bytes(first: u64) -> Option<usize> {
    let kind = Kind::from_number((first & ((1 << KIND_BITS) - 1)) as u8)?;
    let text = if kind.has_text() {
        text_bytes(kind, (first >> 32) as u32).checked_next_multiple_of(8)?
    } else {
        0
    };
    text.checked_add(8 + usize::from(kind.has_value()) * 8)
}

/// Whether the record that begins with `first` is an event of its own: not a time, nor a later part of a mark.
pub fn is_event(first: u64) -> bool {
    match Kind::from_number((first & ((1 << KIND_BITS) - 1)) as u8) {
        Some(Kind::Mark) => (first >> 32) as u32 & MARK_CONTINUES == 0,
        Some(kind) => kind != Kind::Time,
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_kinds_is_true() {
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
        assert_eq!(seen, 17);
        assert_eq!(Kind::from_number(18), None);
    }

    #[test]
    fn a_record_that_is_not_whole_ends_the_chunk() {
        let mut body = word(Kind::Begin, 5, 7).to_le_bytes().to_vec();
        body.extend(word(Kind::BeginNamed, 5, 9).to_le_bytes());
        body.extend(b"12345678");
        let mut words = Words::new(&body, 100);
        let first = words.next_record().unwrap();
        assert_eq!((first.ticks, first.argument), (105, 7));
        assert_eq!(words.next_record(), None);
        assert_eq!(words.torn_bytes(), 16);
        let first = word(Kind::BeginNamed, 5, 9);
        assert_eq!((record_bytes(first), is_event(first)), (Some(24), true));
    }
}
