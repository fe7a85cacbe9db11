//! What the next byte is predicted from: four readings of what stood before it, each as a hash.

use crate::code::{Code, Field};

/// Readings.
pub const CONTEXTS: usize = 4;

/// Mixes two numbers so that each bit of them tells in every bit of the result.
#[inline]
pub fn hash(a: u32, b: u32) -> u32 {
    let mixed = (a ^ b.wrapping_mul(0x297a_2d39)).wrapping_mul(0x2c1b_3c6d);
    mixed ^ mixed >> 15
}

/// The hash of the lowest bytes of a number.
pub fn lowest(bytes: u32, of: u64) -> u32 {
    let of = of & (u64::MAX >> (64 - 8 * bytes));
    hash(hash(of as u32, bytes), (of >> 32) as u32)
}

/// What a text said so far, beyond its last bytes.
pub struct Text {
    /// Hash of the word that is being written; 0 between words.
    word: u32,
    /// The innermost bracket, and whether a comma or semicolon stood in it.
    bracket: u16,
    /// Those around it; deeper ones share places.
    brackets: [u16; 64],
    depth: usize,
}

impl Text {
    /// Takes a byte.
    pub fn put(&mut self, byte: u8) {
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            self.word = hash(self.word, u32::from(byte) + 1);
            return;
        }
        self.word = 0;
        match byte {
            b'(' | b'[' | b'{' => {
                self.brackets[self.depth & 63] = self.bracket;
                self.depth = self.depth.wrapping_add(1);
                self.bracket = u16::from(byte) << 8;
            }
            b')' | b']' | b'}' => {
                self.depth = self.depth.wrapping_sub(1);
                self.bracket = self.brackets[self.depth & 63];
            }
            b',' | b';' => self.bracket |= 1,
            _ => {}
        }
    }

    /// The readings of a text whose last bytes are these, the latest lowest.
    pub fn contexts(&self, recent: u64) -> [u32; CONTEXTS] {
        let last = |bytes| lowest(bytes, recent);
        let bracket = u32::from(self.bracket);
        [last(2), last(3), self.word, hash(bracket, last(1))]
    }
}

impl Code {
    /// The readings of a module whose last bytes are these.
    pub fn contexts(&self, recent: u64) -> [u32; CONTEXTS] {
        let values = match self.field {
            Field::Plain => plain(recent),
            _ => self.inside(recent),
        };
        let begun = self.value & 0xffff | self.bits << 16;
        let what = (self.field as u32) << 1 | u32::from(self.odd);
        let base = hash(begun, what + 1);
        let mut contexts = values;
        for context in &mut contexts {
            *context = hash(base, *context);
        }
        contexts
    }

    fn inside(&self, recent: u64) -> [u32; CONTEXTS] {
        let operations = |count| lowest(count, self.operations);
        let last = self.last[self.field as usize];
        [
            hash(operations(2), last),
            operations(5),
            0,
            lowest(2, recent),
        ]
    }
}

/// The readings of a module's data and lists: words of four bytes, and texts.
fn plain(recent: u64) -> [u32; CONTEXTS] {
    let last = |bytes| lowest(bytes, recent);
    let above = (recent >> 24) as u32 & 255;
    [
        last(1),
        last(2),
        last(4),
        (recent >> 56) as u32 | above << 8,
    ]
}
