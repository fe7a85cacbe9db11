//! Mixes predictions: each has a weight, learned for the situation that it is in.

use crate::logistic::{MOST, Odds, Probability};

/// Situations that have weights of their own.
pub const SETS: usize = 2048;
/// What a weight is at first, of 16384.
const FIRST_WEIGHT: i32 = 3_000;
/// How much is learned from an error.
const RATE: i32 = 10;

/// Weights of `INPUTS` predictions.
pub struct Mixer<const INPUTS: usize>([[i32; INPUTS]; SETS]);

impl<const INPUTS: usize> Mixer<INPUTS> {
    /// Starts with equal weights.
    pub fn begin(&mut self) {
        self.0 = [[FIRST_WEIGHT; INPUTS]; SETS];
    }

    /// The odds that the predictions give in a situation.
    #[inline]
    pub fn mix(&self, set: usize, inputs: &[Odds; INPUTS]) -> Odds {
        let weights = &self.0[set & (SETS - 1)];
        let mut sum = 0_i32;
        for i in 0..INPUTS {
            sum = sum.wrapping_add(weights[i].wrapping_mul(inputs[i]));
        }
        (sum >> 14).clamp(-MOST, MOST)
    }

    /// Learns from what came, where `expected` had been.
    #[inline]
    pub fn learn(&mut self, set: usize, inputs: &[Odds; INPUTS], expected: Probability, bit: u32) {
        let error = (((bit as i32) << 12) - expected) * RATE;
        let weights = &mut self.0[set & (SETS - 1)];
        for i in 0..INPUTS {
            weights[i] = weights[i].wrapping_add((inputs[i] * error + 0x8000) >> 16);
        }
    }
}
