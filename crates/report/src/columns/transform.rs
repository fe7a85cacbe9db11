//! Transforms a column's numbers to smaller ones before they are packed.

use super::bytes::{Input, put_varint, unzigzag, zigzag};
use super::pack::{Numbers, Packed, pack, unpack};

/// The transform of a column's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Transform {
    /// None.
    Plain = 0,
    /// Differences to the previous number.
    Delta = 1,
    /// For ids that mostly increase: 0 means none, other values are differences to the previous id.
    Last = 2,
    /// Floats without a fraction, as whole numbers.
    Whole = 3,
    /// Floats without a fraction, as differences to the previous number.
    WholeDelta = 4,
    /// Durations that mostly extend to the start of the next row.
    Next = 5,
    /// Durations and CPU times of nested slices, see `nest.rs`.
    Nest = 6,
    /// Parents, as the difference to the innermost enclosing slice.
    Parent = 7,
}

impl Transform {
    pub fn from_code(code: u8) -> Option<Self> {
        const ALL: [Transform; 8] = [
            Transform::Plain,
            Transform::Delta,
            Transform::Last,
            Transform::Whole,
            Transform::WholeDelta,
            Transform::Next,
            Transform::Nest,
            Transform::Parent,
        ];
        ALL.get(usize::from(code)).copied()
    }
}

/// Chooses the transform that packs these numbers best. Returns it with the packed numbers.
pub(crate) fn choose(values: &[i64], is_float: bool) -> (Transform, Vec<u8>) {
    if is_float && let Some(whole) = whole_numbers(values) {
        let (plain, delta) = (pack(&whole), packed_delta(&whole));
        return if plain.likely <= delta.likely {
            (Transform::Whole, plain.bytes)
        } else {
            (Transform::WholeDelta, delta.bytes)
        };
    }
    let mut best = (Transform::Plain, pack(values));
    let mut consider = |transform, packed: Packed| {
        if packed.likely < best.1.likely {
            best = (transform, packed);
        }
    };
    consider(Transform::Delta, packed_delta(values));
    if values.contains(&-1)
        && let Some(codes) = last_codes(values)
    {
        consider(Transform::Last, pack(&codes));
    }
    (best.0, best.1.bytes)
}

fn packed_delta(values: &[i64]) -> Packed {
    let mut before = values.first().copied().unwrap_or(0);
    let mut bytes = Vec::new();
    put_varint(&mut bytes, zigzag(before));
    let deltas: Vec<i64> = values
        .iter()
        .map(|&value| value.wrapping_sub(std::mem::replace(&mut before, value)))
        .collect();
    let packed = pack(&deltas);
    bytes.extend(packed.bytes);
    Packed {
        bytes,
        likely: packed.likely + 2.0,
    }
}

/// The codes of [`Transform::Last`]. `None` if a step is too large for one.
fn last_codes(values: &[i64]) -> Option<Vec<i64>> {
    let mut last = 0i64;
    let code = |&value: &i64| {
        if value == -1 {
            return Some(0);
        }
        match value.wrapping_sub(std::mem::replace(&mut last, value)) {
            step @ 0.. => step.checked_add(1),
            step => Some(step),
        }
    };
    values.iter().map(code).collect()
}

fn last_values(codes: &mut [i64]) {
    let mut last = 0i64;
    for code in codes {
        *code = match *code {
            0 => -1,
            step => {
                last = last.wrapping_add(if step > 0 { step - 1 } else { step });
                last
            }
        };
    }
}

/// Converts floats to integers if none has a fraction.
fn whole_numbers(bits: &[i64]) -> Option<Vec<i64>> {
    let whole = |&bits: &i64| {
        let value = f64::from_bits(bits as u64) as i64;
        ((value as f64).to_bits() == bits as u64).then_some(value)
    };
    bits.iter().map(whole).collect()
}

/// Restores the original numbers, for transforms that need no other column.
pub(crate) fn undo(transform: Transform, input: &mut Input<'_>, rows: usize) -> Option<Numbers> {
    let is_delta = matches!(transform, Transform::Delta | Transform::WholeDelta);
    let is_whole = matches!(transform, Transform::Whole | Transform::WholeDelta);
    let first = if is_delta {
        unzigzag(input.varint()?)
    } else {
        0
    };
    let numbers = unpack(input, rows)?;
    // One value for all rows stays one value, unless it is a non-zero difference.
    let one_for_all = match numbers {
        Numbers::Same(number) => number == 0 || !is_delta && transform != Transform::Last,
        Numbers::Each(_) | Numbers::Small(_) => false,
    };
    let mut values = numbers.each(if one_for_all { 1 } else { rows });
    if is_delta {
        running_sums(&mut values, first);
    }
    if transform == Transform::Last {
        last_values(&mut values);
    }
    if is_whole {
        let float = |value: &mut i64| *value = (*value as f64).to_bits() as i64;
        values.iter_mut().for_each(float);
    }
    Some(if one_for_all {
        Numbers::Same(values[0])
    } else {
        Numbers::Each(values)
    })
}

fn running_sums(deltas: &mut [i64], first: i64) {
    let mut sum = first;
    for delta in deltas {
        sum = sum.wrapping_add(*delta);
        *delta = sum;
    }
}

/// Packs numbers with gaps: the positions of the gaps, then the numbers with 0 in the gaps.
pub(crate) fn pack_with_gaps(values: &[i64], gaps: &[u32]) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(&mut out, gaps.len() as u64);
    let mut before = 0;
    for &gap in gaps {
        put_varint(&mut out, u64::from(gap - before));
        before = gap;
    }
    out.extend(pack(values).bytes);
    out
}

/// The numbers and the positions of the gaps.
pub(crate) fn unpack_with_gaps(input: &mut Input<'_>, rows: usize) -> Option<(Numbers, Vec<u32>)> {
    let count = input.varint()?;
    if count > input.0.len() as u64 {
        return None;
    }
    // Bounded: each number has at least one byte.
    let mut gaps = Vec::with_capacity(count as usize);
    let mut at = 0u64;
    for _ in 0..count {
        at = at.checked_add(input.varint()?)?;
        gaps.push((at < rows as u64).then_some(at as u32)?);
    }
    Some((unpack(input, rows)?, gaps))
}

/// Durations as their difference from the distance to the next row with the same key. Rows are
/// sorted by key.
///
/// ```text
/// key 7:   |-- dur --|-- dur --|  gap  |-- dur --|      0, 0, -gap
/// ```
pub(crate) fn next_residuals(durs: &[i64], ts: &[i64], keys: &[i64]) -> Vec<u8> {
    let mut gaps = Vec::new();
    let mut residual = |row: usize| {
        if durs[row] == -1 {
            gaps.push(row as u32);
            return 0;
        }
        durs[row].wrapping_sub(to_next(row, ts, keys))
    };
    let values: Vec<i64> = (0..durs.len()).map(&mut residual).collect();
    pack_with_gaps(&values, &gaps)
}

/// The inverse of [`next_residuals`].
pub(crate) fn next_durations(input: &mut Input<'_>, ts: &[i64], keys: &[i64]) -> Option<Vec<i64>> {
    let (numbers, gaps) = unpack_with_gaps(input, ts.len())?;
    let mut values = numbers.each(ts.len());
    for (row, value) in values.iter_mut().enumerate() {
        *value = value.wrapping_add(to_next(row, ts, keys));
    }
    gaps.iter().for_each(|&gap| values[gap as usize] = -1);
    Some(values)
}

fn to_next(row: usize, ts: &[i64], keys: &[i64]) -> i64 {
    match keys.get(row + 1) {
        Some(next) if *next == keys[row] => ts[row + 1].wrapping_sub(ts[row]),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_transform_comes_back() {
        let cases: [&[i64]; 8] = [
            &[-1, -1, 0, 1, -1, 2, 3, 3, -1, 2],
            &[-1; 4],
            &[5, 6, 7, 8],
            &[i64::MIN, -1, i64::MAX, 0],
            &[-1, i64::MAX],
            &[-1, -5, i64::MAX - 5],
            &[1000, 2000, 2000, 9000],
            &[],
        ];
        for values in cases {
            let (transform, bytes) = choose(values, false);
            let back = undo(transform, &mut Input(&bytes), values.len()).unwrap();
            assert_eq!(back.each(values.len()), values);
            let Some(codes) = last_codes(values) else {
                continue;
            };
            let codes = pack(&codes).bytes;
            let back = undo(Transform::Last, &mut Input(&codes), values.len()).unwrap();
            assert_eq!(back.each(values.len()), values);
        }
    }

    #[test]
    fn floats_come_back_bit_by_bit() {
        for floats in [[1.0, 2.0, -3.0], [1.5, -0.0, f64::NAN], [-0.0, 0.0, 1e300]] {
            let bits = floats.map(|float: f64| float.to_bits() as i64);
            let (transform, bytes) = choose(&bits, true);
            let back = undo(transform, &mut Input(&bytes), 3).unwrap();
            assert_eq!(back.each(3), bits);
        }
    }

    #[test]
    fn lengths_that_touch_vanish() {
        let (ts, keys) = ([10, 25, 70, 5], [7, 7, 7, 9]);
        let durs = [15, 45, -1, 3];
        let bytes = next_residuals(&durs, &ts, &keys);
        assert_eq!(
            next_durations(&mut Input(&bytes), &ts, &keys).unwrap(),
            durs
        );
    }
}
