//! Predicts that what followed the same bytes before follows them again.

use crate::logistic::{Logistic, Odds};
use crate::model::MOST;

/// Longer repetitions are as sure as these.
const LONGEST: usize = 31;

/// What came before, and where it is being repeated.
pub struct Repeat {
    bytes: [u8; MOST as usize],
    /// Where the last bytes with a hash ended.
    places: [u32; 1 << 18],
    /// Where the byte is that is expected.
    place: u32,
    /// Bytes that were the same; 0 if nothing is repeated.
    same: usize,
    /// How likely repetitions go on, of 65536: by their length and the bit that is expected.
    known: [u16; 2 * (LONGEST + 1)],
    /// Which of them was asked for.
    asked: usize,
}

impl Repeat {
    pub fn begin(&mut self) {
        self.known = [0x8000; 2 * (LONGEST + 1)];
    }

    /// How long what is repeated is, at most [`LONGEST`].
    pub fn length(&self) -> usize {
        self.same.min(LONGEST)
    }

    /// What the bit behind `begun` will be, where a byte is expected that begins so.
    pub fn odds(&mut self, begun: u32, logistic: &Logistic) -> Odds {
        self.asked = 0;
        let bits = 31 - begun.leading_zeros();
        let expected = u32::from(self.bytes[(self.place & (MOST - 1)) as usize]) | 256;
        if self.same == 0 || expected >> (8 - bits) != begun {
            self.same = 0;
            return 0;
        }
        let bit = expected >> (7 - bits) & 1;
        self.asked = self.length() << 1 | bit as usize;
        logistic.stretch(i32::from(self.known[self.asked] >> 4))
    }

    pub fn learn(&mut self, bit: u32) {
        if self.asked > 0 {
            let came = i32::from(bit == 1) * 65_535;
            let known = &mut self.known[self.asked];
            *known = (i32::from(*known) + ((came - i32::from(*known)) >> 6)) as u16;
        }
    }

    /// Takes the byte that came, the `at`th, and the hash of the last six.
    pub fn put(&mut self, byte: u8, at: u32, hash: u32) {
        self.bytes[(at & (MOST - 1)) as usize] = byte;
        let end = at + 1;
        if self.same > 0 {
            self.place += 1;
            self.same += 1;
        }
        let known = (hash >> 14) as usize;
        if self.same == 0 {
            self.place = self.places[known];
            self.same = self.same_before(self.place, end);
        }
        self.places[known] = end;
    }

    fn byte_before(&self, end: u32) -> u8 {
        self.bytes[(end.wrapping_sub(1) & (MOST - 1)) as usize]
    }

    /// How many bytes before the two places are the same.
    fn same_before(&self, place: u32, end: u32) -> usize {
        let mut same = 0;
        while same < place.min(LONGEST as u32)
            && self.byte_before(place - same) == self.byte_before(end - same)
        {
            same += 1;
        }
        same as usize
    }
}
