//! Predicts the next bit.
//!
//! ```text
//! contexts ───────────────► slots ─► odds ─┐
//! the same bytes before ─► repeat ─► odds ─┴─► two mixers ─► mean ─► probability
//! ```

use crate::code::{Code, Field, Out};
use crate::coder::Coder;
use crate::context::{CONTEXTS, Text, hash, lowest};
use crate::logistic::{Logistic, Odds, Probability};
use crate::mixer::Mixer;
use crate::repeat::Repeat;
use crate::slots::Slots;

/// Predictions that are mixed: two of each context, one of a repetition, and a constant; as many
/// as are reckoned four at a time.
const INPUTS: usize = 2 * CONTEXTS + 4;
/// Bytes that a model takes at most.
pub const MOST: u32 = 1 << 20;

/// All that is known of what came so far: some 10 MB, which start as zeros. What is small stands
/// first, where it takes few bytes to say where it is.
#[repr(C)]
pub struct Model {
    /// The last eight bytes, the latest lowest.
    recent: u64,
    /// Bytes so far.
    at: u32,
    /// The bits of the byte so far, behind a 1; and those of its half.
    byte: u32,
    half: u32,
    is_text: bool,
    contexts: [u32; CONTEXTS],
    lines: [u32; CONTEXTS],
    inputs: [Odds; INPUTS],
    sets: [usize; 2],
    expected: [Probability; 2],
    said: [i32; CONTEXTS],
    code: Code,
    text: Text,
    logistic: Logistic,
    mixer: Mixer<INPUTS>,
    repeat: Repeat,
    slots: Slots,
}

impl Model {
    /// Starts a model of zeros. A text has no functions.
    pub fn begin(&mut self, functions: u32, head: u32) {
        self.is_text = functions == 0;
        self.logistic.begin();
        self.mixer.begin();
        self.repeat.begin();
        self.code = Code::new(functions, head);
    }

    /// Codes a byte, or gives back the one that was coded; what it means goes to `out`. `known`
    /// is the byte where it is being coded.
    // Called, and not part of one long loop: browsers swap quick code for good code at calls.
    #[inline(never)]
    pub fn byte(&mut self, coder: &mut impl Coder, known: u8, out: &mut Out<'_>) {
        let byte = self.bits(coder, known);
        self.code.put(byte, out);
        self.text.put(byte);
        self.recent = self.recent << 8 | u64::from(byte);
        self.repeat.put(byte, self.at, lowest(6, self.recent));
        self.at += 1;
    }

    fn bits(&mut self, coder: &mut impl Coder, known: u8) -> u8 {
        self.contexts = if self.is_text {
            self.text.contexts(self.recent)
        } else {
            self.code.contexts(self.recent)
        };
        (self.byte, self.half) = (1, 1);
        self.find_lines();
        for place in (0..8).rev() {
            let probability = self.expect();
            let bit = coder.bit(probability, u32::from(known >> place & 1));
            self.learn(bit);
        }
        self.byte as u8
    }

    /// The probability that the next bit is set, of 65536; never 0 nor all.
    #[inline]
    fn expect(&mut self) -> u32 {
        self.said = self.slots.look(&self.lines, self.half);
        for i in 0..CONTEXTS {
            self.inputs[i] = self.logistic.stretch(self.said[i] >> 4);
        }
        for i in 0..CONTEXTS {
            // What was met often may be believed.
            let (probability, met) = (self.said[i] >> 4, self.said[i] & 15);
            self.inputs[CONTEXTS + i] = ((probability - 2048) * met) >> 5;
        }
        self.inputs[2 * CONTEXTS] = self.repeat.odds(self.byte, &self.logistic);
        self.inputs[2 * CONTEXTS + 1] = 256;
        self.sets = self.situations();
        let [a, b] = self.sets;
        let (a, b) = (
            self.mixer.mix(a, &self.inputs),
            self.mixer.mix(b, &self.inputs),
        );
        self.expected = [self.logistic.squash(a), self.logistic.squash(b)];
        let odds = (a + b) >> 1;
        let probability = (self.logistic.squash(odds) as u32) << 4;
        probability.clamp(16, 65_535 - 16)
    }

    /// What the two mixers tell apart.
    fn situations(&self) -> [usize; 2] {
        let code = &self.code;
        let last = self.recent as usize & 255;
        let repeated = 512 + code.field as usize * 8 + self.repeat.length() / 4;
        match (self.is_text, code.field) {
            (true, _) => [self.byte as usize, 256 + last],
            (_, Field::Operation) => [repeated, 1024 + code.operations as usize % 256],
            _ => [repeated, 1280 + self.byte as usize],
        }
    }

    /// Learns what the bit was that [`expect`](Self::expect) was asked for.
    #[inline]
    fn learn(&mut self, bit: u32) {
        self.slots.learn(&self.lines, self.half, &self.said, bit);
        let ([a, b], [expected_a, expected_b]) = (self.sets, self.expected);
        self.mixer.learn(a, &self.inputs, expected_a, bit);
        self.mixer.learn(b, &self.inputs, expected_b, bit);
        self.repeat.learn(bit);
        self.byte = self.byte << 1 | bit;
        self.half = self.half << 1 | bit;
        if self.byte & 0xf0 == 0x10 {
            self.half = 1;
            self.find_lines();
        }
    }

    fn find_lines(&mut self) {
        let mut hashes = [0; CONTEXTS];
        for (i, found) in hashes.iter_mut().enumerate() {
            // The same reading of two contexts is not the same.
            *found = hash(self.contexts[i], self.byte << 8 | i as u32);
        }
        self.slots.find(&hashes, &mut self.lines);
    }
}
