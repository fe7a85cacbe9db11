//! Damaging files, as a bad cable, a full disk or a hostile sender would.

use crate::rng::Rng;

/// A damaged copy of `original`, with one to eight changes: flipped bits, overwritten bytes or numbers, cuts, copied or moved
/// ranges. At most twice as long as the original plus 4 KB.
pub fn mutate(original: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..rng.between(1, 9) {
        if bytes.is_empty() {
            break;
        }
        damage(&mut bytes, rng);
        bytes.truncate(original.len() * 2 + 4096);
    }
    bytes
}

fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let at = rng.index(bytes.len());
    let len = rng.between(1, 64).min((bytes.len() - at) as u64) as usize;
    match rng.below(12) {
        0..=3 => bytes[at] ^= 1 << rng.below(8),
        4..=5 => bytes[at] = rng.next_u64() as u8,
        6 => overwrite(bytes, at, &interesting(rng)),
        7 => bytes.truncate(at),
        8 => drop(bytes.drain(at..at + len)),
        9 => drop(bytes.drain(..at.min(4096))),
        10 => splice(bytes, at, len, rng),
        _ => bytes[at..at + len].fill(rng.next_u64() as u8),
    }
}

/// Numbers at the limits of their types, which make sums overflow and lengths wrong.
fn interesting(rng: &mut Rng) -> [u8; 4] {
    const VALUES: [u32; 8] = [0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF];
    VALUES[rng.index(VALUES.len())].to_le_bytes()
}

fn overwrite(bytes: &mut [u8], at: usize, with: &[u8]) {
    let len = with.len().min(bytes.len() - at);
    bytes[at..at + len].copy_from_slice(&with[..len]);
}

/// Copies a range to another position: duplicated lines, misplaced records.
fn splice(bytes: &mut Vec<u8>, at: usize, len: usize, rng: &mut Rng) {
    let piece = bytes[at..at + len].to_vec();
    let to = rng.index(bytes.len());
    bytes.splice(to..to, piece);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_repeatable_and_bounded() {
        let original: Vec<u8> = (0..=255).collect();
        for seed in 0..500 {
            let damaged = mutate(&original, &mut Rng::new(seed));
            assert_eq!(damaged, mutate(&original, &mut Rng::new(seed)));
            assert!(damaged.len() <= original.len() * 2 + 4096);
        }
        assert!(mutate(&[], &mut Rng::new(0)).is_empty());
    }
}
