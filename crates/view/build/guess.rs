//! Packs bytes by guessing each bit: the guesses of several contexts are mixed by how well they
//! did before, and an arithmetic coder spends the fewer bits the surer the guess was. A sixth less
//! than LZMA takes. `web/source/unpack.js` makes the same guesses from what it has unpacked.
//!
//! ```text
//! contexts of the byte ─► slots: odds of its next bit ─┐
//! what followed here before (a match) ─────────────────┼─► mixed by three sets of weights
//!                                                      │   ─► corrected by what such odds meant
//!                             the bit itself ◄─────────┴── ─► 1 to 65,535 of 65,536
//! ```
//!
//! Numbers are f64 and only added, multiplied and divided, which every machine and every browser
//! rounds alike.

/// What a byte is, where it is no part of code: names, data, a script.
pub const TEXT: usize = 10;
const KINDS: usize = TEXT + 1;
/// Bits of a context's number of slots.
const SLOT_BITS: u32 = 19;
const MOST_CONTEXTS: usize = 10;
/// Contexts, the match, and a guess that is always the same.
const INPUTS: usize = MOST_CONTEXTS + 2;
/// Of each kind and beginning of a byte; of each length of a match and kind; of each operation
/// before.
const SETS: [usize; 3] = [KINDS << 8, 32 * KINDS, 512];
/// Bytes that a match must have.
const LEAST_MATCH: usize = 6;
const MATCH_BITS: u32 = 18;
const MIX: u32 = 0x2f0b_4c47;

/// For operations, operands and text: how many of the last operations, bytes of the same kind,
/// bytes of any kind and local variables a context is made of; 1 at the end: the word so far too.
const CONTEXTS: [&str; 3] = [
    "10000 20000 30000 40000 60000 20200 00400 30020 80000 10010",
    "10000 01000 02000 03000 30000 21000 00400 42000 10020 31000",
    "00000 01000 02000 03000 04000 05000 06000 01001",
];

/// What was seen so far, and what it makes likely.
struct Model {
    contexts: [Vec<[u8; 5]>; 3],
    /// The bytes of each kind.
    own: [Vec<u8>; KINDS],
    bytes: Vec<u8>,
    kinds: Vec<u8>,
    /// Bytes since the last operation.
    place: u32,
    word: u32,
    /// Odds in 16 bits (half as zero), eight bits that tell contexts apart, how often it was seen.
    slots: Vec<u32>,
    weights: Vec<f64>,
    stretched: Vec<f64>,
    meant: Vec<f64>,
    /// Where a match goes on, how long it is already, and how sure one of that length is.
    matched: usize,
    length: usize,
    trust: [f64; 32],
    last_at: Vec<u32>,
}

/// A number as odds.
fn squashed(x: f64) -> f64 {
    let mut e = 1.0 - x.clamp(-12.0, 12.0) / 1024.0;
    for _ in 0..10 {
        e *= e;
    }
    1.0 / (1.0 + e)
}

impl Model {
    fn new() -> Self {
        let digits = |one: &str| {
            let digits: Vec<u8> = one.bytes().map(|digit| digit - b'0').collect();
            [digits[0], digits[1], digits[2], digits[3], digits[4]]
        };
        let mut k = -1200;
        let stretched = (0..4096).map(|odds| {
            while k < 1200 && squashed(f64::from(k) / 100.0) * 4096.0 < f64::from(odds) {
                k += 1;
            }
            f64::from(k) / 100.0
        });
        let meant = (0..33).map(|at| squashed((f64::from(at) - 16.0) / 1.5));
        let meant: Vec<f64> = meant.collect();
        Self {
            contexts: CONTEXTS.map(|list| list.split(' ').map(digits).collect()),
            own: Default::default(),
            bytes: Vec::new(),
            kinds: Vec::new(),
            place: 0,
            word: 0,
            slots: vec![0; MOST_CONTEXTS << SLOT_BITS],
            weights: vec![0.25; SETS.iter().sum::<usize>() * INPUTS],
            stretched: stretched.collect(),
            meant: meant.repeat(KINDS << 8),
            matched: 0,
            length: 0,
            trust: [0.5; 32],
            last_at: vec![0; 1 << MATCH_BITS],
        }
    }

    /// The hash of a context.
    fn hash(&self, nth: usize, kind: usize, [operations, own, all, locals, word]: [u8; 5]) -> u32 {
        let mut hash = (nth as u32 + 1).wrapping_mul(MIX).wrapping_add(kind as u32 * 4);
        if kind > 0 && kind < TEXT {
            hash = hash.wrapping_add(self.place.min(3));
        }
        let mut mix = |value: u32| {
            let mixed = hash.wrapping_add(value).wrapping_add(1);
            hash = mixed.wrapping_mul(MIX).rotate_left(9);
        };
        let lists = [&self.own[0], &self.own[kind], &self.bytes, &self.own[1]];
        for (list, count) in lists.into_iter().zip([operations, own, all, locals]) {
            for back in 1..=usize::from(count) {
                let at = list.len().checked_sub(back);
                mix(at.map_or(0, |at| list[at].into()));
            }
            mix(300);
        }
        if word > 0 {
            mix(self.word);
        }
        hash ^ hash >> 15
    }

    /// Codes a byte: calls `code` with the odds that each of its bits is 1, of 65,536.
    fn byte(&mut self, kind: usize, byte: u8, code: &mut dyn FnMut(u32, bool)) {
        let list = self.contexts[if kind == 0 { 0 } else if kind < TEXT { 1 } else { 2 }].clone();
        let hash = |(nth, context): (usize, &[u8; 5])| self.hash(nth, kind, *context);
        let hashes: Vec<u32> = list.iter().enumerate().map(hash).collect();
        let goes_on = self.length > 0 && self.kinds[self.matched] == kind as u8;
        let expected = match goes_on {
            true => 256 | usize::from(self.bytes[self.matched]),
            false => 0,
        };
        let sure = self.length.min(31);
        let operation = self.own[0].last().copied().unwrap_or(0);
        let mut node = 1;
        for shift in (0..8).rev() {
            let bit = byte >> shift & 1 != 0;
            let is_expected = expected >> (shift + 1) == node;
            let length = if is_expected { sure } else { 0 };
            let sets = [
                kind << 8 | node,
                SETS[0] + length * KINDS + kind,
                SETS[0] + SETS[1] + usize::from(operation) * 2 + usize::from(kind == 0),
            ];
            let says = expected >> shift & 1 != 0;
            self.bit(&hashes, node, sets, is_expected.then_some((sure, says)), bit, code);
            node = node * 2 + usize::from(bit);
        }
        if goes_on && node != expected {
            self.length = 0;
        }
        self.see(kind, byte);
    }

    fn bit(
        &mut self,
        hashes: &[u32],
        node: usize,
        sets: [usize; 3],
        expected: Option<(usize, bool)>,
        bit: bool,
        code: &mut dyn FnMut(u32, bool),
    ) {
        let mut inputs = [0.0; INPUTS];
        let mut places = [0; MOST_CONTEXTS];
        for (nth, hash) in hashes.iter().enumerate() {
            let mut mixed = hash.wrapping_add((node as u32).wrapping_mul(0x9e37_79b1));
            mixed = (mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca6b);
            places[nth] = nth << SLOT_BITS | (mixed >> (32 - SLOT_BITS)) as usize;
            let slot = &mut self.slots[places[nth]];
            if *slot >> 8 & 255 != mixed & 255 {
                *slot = (mixed & 255) << 8;
            }
            inputs[nth] = self.stretched[((*slot >> 20) ^ 2048) as usize];
        }
        if let Some((sure, says)) = expected {
            let trust = self.stretched[(self.trust[sure] * 4095.0) as usize];
            inputs[MOST_CONTEXTS] = if says { trust } else { -trust };
        }
        inputs[INPUTS - 1] = 0.3;
        let mut dots = [0.0; 3];
        for (dot, set) in dots.iter_mut().zip(sets) {
            for (nth, input) in inputs.iter().enumerate() {
                *dot += self.weights[set * INPUTS + nth] * input;
            }
        }
        let dot = (dots[0] + dots[1] + dots[2]) / 3.0;
        let place = dot.clamp(-10.6, 10.6) * 1.5 + 16.0;
        let part = place - place.floor();
        let at = sets[0] * 33 + place.floor() as usize;
        let meant = self.meant[at] * (1.0 - part) + self.meant[at + 1] * part;
        let odds = ((squashed(dot) + meant) * 32768.0).floor();
        code(odds.clamp(1.0, 65535.0) as u32, bit);

        let one = if bit { 1.0 } else { 0.0 };
        self.meant[at] += (one - self.meant[at]) * 0.02 * (1.0 - part);
        self.meant[at + 1] += (one - self.meant[at + 1]) * 0.02 * part;
        for (dot, set) in dots.into_iter().zip(sets) {
            let error = (one - squashed(dot)) * 0.01;
            for (nth, input) in inputs.iter().enumerate() {
                self.weights[set * INPUTS + nth] += error * input;
            }
        }
        for place in &places[..hashes.len()] {
            let slot = self.slots[*place];
            let (odds, seen) = (f64::from(slot >> 16 ^ 32768), slot & 255);
            let odds = odds + (one * 65535.0 - odds) / (f64::from(seen) + 1.5);
            let seen = (seen + 1).min(12);
            self.slots[*place] = (odds as u32 ^ 32768) << 16 | slot & 0xff00 | seen;
        }
        if let Some((sure, says)) = expected {
            let right = if says == bit { 1.0 } else { 0.0 };
            self.trust[sure] += (right - self.trust[sure]) * 0.02;
        }
    }

    /// Takes a byte into account.
    fn see(&mut self, kind: usize, byte: u8) {
        self.own[kind].push(byte);
        self.bytes.push(byte);
        self.kinds.push(kind as u8);
        self.place = if kind == 0 { 0 } else { self.place + 1 };
        let is_word = byte.is_ascii_alphanumeric() || byte == b'_' || byte > 127;
        let word = self.word.wrapping_add(byte.into()).wrapping_add(1);
        self.word = if is_word { word.wrapping_mul(MIX) } else { 0 };
        if self.length > 0 {
            self.matched += 1;
            self.length += 1;
        }
        let end = self.bytes.len();
        if end < LEAST_MATCH {
            return;
        }
        let last = self.bytes[end - LEAST_MATCH..].iter().rev();
        let hash = last.fold(0u32, |hash, byte| {
            hash.wrapping_mul(MIX).wrapping_add(u32::from(*byte) + 1)
        });
        let place = (hash ^ hash >> 16).wrapping_mul(0x9e37_79b1) >> (32 - MATCH_BITS);
        if self.length == 0 {
            self.matched = self.last_at[place as usize] as usize;
            let (before, now) = (&self.bytes[..self.matched], &self.bytes);
            let same = before.iter().rev().zip(now.iter().rev());
            let same = same.take(32).take_while(|(one, other)| one == other).count();
            self.length = if same < LEAST_MATCH { 0 } else { same };
        }
        self.last_at[place as usize] = end as u32;
    }
}

/// Packs bytes, each with its kind.
pub fn packed(bytes: impl IntoIterator<Item = (usize, u8)>) -> Vec<u8> {
    let mut model = Model::new();
    let (mut low, mut high, mut out) = (0u32, u32::MAX, Vec::new());
    let mut code = |odds: u32, bit: bool| {
        let middle = low + ((u64::from(high - low) * u64::from(odds)) >> 16) as u32;
        match bit {
            true => high = middle,
            false => low = middle + 1,
        }
        while (low ^ high) >> 24 == 0 {
            out.push((high >> 24) as u8);
            (low, high) = (low << 8, high << 8 | 255);
        }
    };
    for (kind, byte) in bytes {
        model.byte(kind, byte, &mut code);
    }
    out.extend(high.to_be_bytes());
    out
}
