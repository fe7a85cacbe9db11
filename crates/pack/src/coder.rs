//! The arithmetic coder: a bit of probability p narrows a range by p.

use crate::model::Model;

/// Where the range of a set bit ends. `probability` is of 65536.
#[inline]
fn split(low: u32, high: u32, probability: u32) -> u32 {
    low + ((u64::from(high - low) * u64::from(probability)) >> 16) as u32
}

/// Gives back the bits.
pub struct Decoder<'a> {
    rest: core::slice::Iter<'a, u8>,
    low: u32,
    high: u32,
    value: u32,
}

impl<'a> Decoder<'a> {
    pub fn new(coded: &'a [u8]) -> Self {
        let mut decoder = Decoder {
            rest: coded.iter(),
            low: 0,
            high: u32::MAX,
            value: 0,
        };
        for _ in 0..4 {
            decoder.shift();
        }
        decoder
    }

    fn shift(&mut self) {
        self.low <<= 8;
        self.high = self.high << 8 | 255;
        let next = self.rest.next().copied().unwrap_or(0);
        self.value = self.value << 8 | u32::from(next);
    }

    /// The next byte, whose bits the model learns.
    pub fn byte(&mut self, model: &mut Model) -> u8 {
        let mut byte = 0;
        for _ in 0..8 {
            byte = byte << 1 | self.bit(model);
        }
        byte as u8
    }

    // Called, and not part of one long loop: browsers swap quick code for good code at calls.
    #[inline(never)]
    fn bit(&mut self, model: &mut Model) -> u32 {
        let split = split(self.low, self.high, model.expect());
        let bit = u32::from(self.value <= split);
        match bit {
            1 => self.high = split,
            _ => self.low = split + 1,
        }
        model.learn(bit);
        while (self.low ^ self.high) >> 24 == 0 {
            self.shift();
        }
        bit
    }
}

/// Takes the bits.
#[cfg(feature = "pack")]
pub struct Encoder {
    coded: Vec<u8>,
    low: u32,
    high: u32,
}

#[cfg(feature = "pack")]
impl Encoder {
    /// Codes behind what is there already.
    pub fn new(coded: Vec<u8>) -> Self {
        Encoder {
            coded,
            low: 0,
            high: u32::MAX,
        }
    }

    pub fn byte(&mut self, model: &mut Model, byte: u8) {
        for place in (0..8).rev() {
            self.bit(model, u32::from(byte >> place & 1));
        }
    }

    fn bit(&mut self, model: &mut Model, bit: u32) {
        let split = split(self.low, self.high, model.expect());
        match bit {
            1 => self.high = split,
            _ => self.low = split + 1,
        }
        model.learn(bit);
        while (self.low ^ self.high) >> 24 == 0 {
            self.coded.push((self.high >> 24) as u8);
            self.low <<= 8;
            self.high = self.high << 8 | 255;
        }
    }

    /// All that was coded. Zeros behind it are understood.
    pub fn end(mut self) -> Vec<u8> {
        self.coded.push((self.high >> 24) as u8);
        self.coded
    }
}
