//! What followed in each context: for every context a line of fifteen slots, one for each way
//! four bits can begin, found by the context's hash.

use crate::context::CONTEXTS;

/// Lines of a table; a power of two. More would pack a little better, and take longer: most of
/// the time goes with waiting for memory.
const LINES: usize = 1 << 18;
/// How often a slot counts at most: from there on the latest fifteenth says as much.
const LONGEST: i32 = 14;
/// A slot of a context that was never met: half of 4096, counted 0 times.
const FRESH: u16 = 0x8000;

/// Twelve bits of probability and four of how often it was met; kept apart from [`FRESH`], so that
/// zeros are fresh. The first of a line is the line's mark.
pub struct Slots([[u16; 16]; LINES]);

/// How fast a slot learns by how often it was met, of 65536.
const RATES: [i32; 16] = {
    let mut rates = [0; 16];
    let mut met = 0;
    while met < 16 {
        rates[met] = 65536 * 2 / (2 * met as i32 + 3);
        met += 1;
    }
    rates
};

impl Slots {
    /// The lines of contexts. What other contexts left there is forgotten.
    pub fn find(&mut self, hashes: &[u32; CONTEXTS], lines: &mut [u32; CONTEXTS]) {
        let mut marks = [0; CONTEXTS];
        // All are looked at before the first is judged: so memory is waited for once, and not
        // once for each.
        for i in 0..CONTEXTS {
            lines[i] = hashes[i] >> 14;
            marks[i] = self.0[lines[i] as usize & (LINES - 1)][0];
        }
        for i in 0..CONTEXTS {
            let mark = hashes[i] as u16 | 1;
            if marks[i] != mark {
                let line = &mut self.0[lines[i] as usize & (LINES - 1)];
                *line = [0; 16];
                line[0] = mark;
            }
        }
    }

    /// What the slots say whose half of a byte began so.
    #[inline]
    pub fn look(&self, lines: &[u32; CONTEXTS], begun: u32) -> [i32; CONTEXTS] {
        let mut said = [0; CONTEXTS];
        for i in 0..CONTEXTS {
            let line = &self.0[lines[i] as usize & (LINES - 1)];
            said[i] = i32::from(line[begun as usize & 15] ^ FRESH);
        }
        said
    }

    /// Teaches the slots that said this what came.
    #[inline]
    pub fn learn(&mut self, lines: &[u32; CONTEXTS], begun: u32, said: &[i32; CONTEXTS], bit: u32) {
        // Rounded away from where it was, or it would stop short of certainty.
        let (goal, round) = if bit == 1 {
            (4095, 40_000)
        } else {
            (0, 25_535)
        };
        for i in 0..CONTEXTS {
            let (probability, met) = (said[i] >> 4, said[i] & 15);
            let learned = ((goal - probability) * RATES[met as usize] + round) >> 16;
            let slot = (probability + learned) << 4 | (met + 1).min(LONGEST);
            let line = &mut self.0[lines[i] as usize & (LINES - 1)];
            line[begun as usize & 15] = slot as u16 ^ FRESH;
        }
    }
}
