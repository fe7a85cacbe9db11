//! A fast hash of integer keys with a seed of its own in every process: traces come from
//! strangers, and nobody shall be able to choose method ids that all land in one place. No output
//! depends on it.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Mixes 64-bit keys; also a [`BuildHasher`] for maps keyed by integers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seeded {
    seed: u64,
    /// A random odd number.
    factor: u64,
}

impl Seeded {
    /// A hash nobody can foresee.
    pub fn new() -> Self {
        let seed = RandomState::new().hash_one(0u64);
        Seeded {
            seed,
            factor: 0x9e37_79b9_7f4a_7c15 ^ (seed << 1),
        }
    }

    /// Both halves of a product: every key bit reaches every bit.
    #[inline]
    pub fn mix(self, key: u64) -> u64 {
        let wide = u128::from(key ^ self.seed) * u128::from(self.factor);
        (wide as u64) ^ ((wide >> 64) as u64)
    }
}

impl BuildHasher for Seeded {
    type Hasher = SeededHasher;
    fn build_hasher(&self) -> SeededHasher {
        SeededHasher {
            seeded: *self,
            state: 0,
        }
    }
}

/// The [`Hasher`] of [`Seeded`].
pub(super) struct SeededHasher {
    seeded: Seeded,
    state: u64,
}

impl Hasher for SeededHasher {
    fn finish(&self) -> u64 {
        self.state
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }
    fn write_u64(&mut self, value: u64) {
        self.state = self.seeded.mix(self.state ^ value);
    }
}
