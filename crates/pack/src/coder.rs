//! The arithmetic coder: a bit of probability p narrows a range by p.

/// Where the range of a set bit ends. `probability` is of 65536.
#[inline]
fn split(low: u32, high: u32, probability: u32) -> u32 {
    low + ((u64::from(high - low) * u64::from(probability)) >> 16) as u32
}

/// What codes bits, or gives back those that were coded.
pub trait Coder {
    /// The next bit, which is set with a probability of 65536. `known` is the bit where it is
    /// being coded.
    fn bit(&mut self, probability: u32, known: u32) -> u32;
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
}

impl Coder for Decoder<'_> {
    fn bit(&mut self, probability: u32, _: u32) -> u32 {
        let split = split(self.low, self.high, probability);
        let bit = u32::from(self.value <= split);
        match bit {
            1 => self.high = split,
            _ => self.low = split + 1,
        }
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

    /// All that was coded. Zeros behind it are understood.
    pub fn end(mut self) -> Vec<u8> {
        self.coded.push((self.high >> 24) as u8);
        self.coded
    }
}

#[cfg(feature = "pack")]
impl Coder for Encoder {
    fn bit(&mut self, probability: u32, known: u32) -> u32 {
        let split = split(self.low, self.high, probability);
        match known {
            1 => self.high = split,
            _ => self.low = split + 1,
        }
        while (self.low ^ self.high) >> 24 == 0 {
            self.coded.push((self.high >> 24) as u8);
            self.low <<= 8;
            self.high = self.high << 8 | 255;
        }
        known
    }
}
