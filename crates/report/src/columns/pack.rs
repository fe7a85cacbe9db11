//! Packs numbers into bytes that deflate well.
//!
//! ```text
//! numbers ─> divided by their common divisor ─> zigzag if any is negative ─┬─> one for all rows
//!                                                                          ├─> LEB128 for each
//!                                                                          └─> planes: all first
//!                                                                              bytes, all second …
//! ```
//! Of the last two, the one with the lower entropy is used, because Huffman coding comes close to
//! it.

use super::bytes::{Input, put_varint, unzigzag, zigzag};

const SAME: u8 = 0;
const VARINTS: u8 = 1;
const PLANES: u8 = 2;
/// Flag: the numbers are zigzag-encoded.
const SIGNED: u8 = 0x10;
/// Flag: the numbers were divided; the divisor follows.
const DIVIDED: u8 = 0x20;

/// The numbers of a column, or one number for all rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Numbers {
    Same(i64),
    Each(Vec<i64>),
    /// One number per row, in half the memory.
    Small(Vec<i32>),
}

impl Numbers {
    /// The number of a row.
    pub fn at(&self, row: usize) -> i64 {
        match self {
            Self::Same(value) => *value,
            Self::Each(values) => values[row],
            Self::Small(values) => values[row].into(),
        }
    }

    /// The smallest and the largest number; 0 if there are no rows.
    pub fn extremes(&self) -> (i64, i64) {
        match self {
            Self::Same(value) => (*value, *value),
            Self::Each(values) => extremes(values),
            Self::Small(values) => {
                let (least, most) = extremes(values);
                (least.into(), most.into())
            }
        }
    }

    /// The same numbers in the least memory.
    pub fn smallest(values: Vec<i64>) -> Self {
        let (least, most) = extremes(&values);
        if i32::try_from(least).is_err() || i32::try_from(most).is_err() {
            return Self::Each(values);
        }
        Self::Small(values.iter().map(|&value| value as i32).collect())
    }

    /// One number per row.
    pub fn each(self, rows: usize) -> Vec<i64> {
        match self {
            Self::Same(value) => vec![value; rows],
            Self::Each(values) => values,
            Self::Small(values) => values.into_iter().map(i64::from).collect(),
        }
    }
}

fn extremes<T: Copy + Ord + Default>(values: &[T]) -> (T, T) {
    let first = values.first().copied().unwrap_or_default();
    let wider = |(least, most): (T, T), value: &T| (least.min(*value), most.max(*value));
    values.iter().fold((first, first), wider)
}

/// Packed numbers, and their estimated size after deflate.
pub(crate) struct Packed {
    pub bytes: Vec<u8>,
    pub likely: f64,
}

/// Packs numbers.
pub(crate) fn pack(values: &[i64]) -> Packed {
    let first = values.first().copied().unwrap_or(0);
    if values.iter().all(|&value| value == first) {
        let mut bytes = vec![SAME | SIGNED];
        put_varint(&mut bytes, zigzag(first));
        return Packed { bytes, likely: 2.0 };
    }
    let divisor = common_divisor(values).max(1);
    let signed = values.iter().any(|&value| value < 0);
    let numbers: Vec<u64> = values
        .iter()
        .map(|&value| match (divisor, signed) {
            (1, false) => value as u64,
            (1, true) => zigzag(value),
            (divisor, false) => value as u64 / divisor,
            // The smallest i64 has a divisor, 2^63, that does not fit into i64.
            (divisor, true) => zigzag(match i64::try_from(divisor) {
                Ok(divisor) => value / divisor,
                Err(_) => value.signum(),
            }),
        })
        .collect();
    let (varints, planes) = (varints(&numbers), planes(&numbers));
    let likely = [
        likely_bytes(&varints, 1),
        likely_bytes(&planes[1..], planes[0].into()),
    ];
    let (kind, body, likely) = if likely[0] <= likely[1] {
        (VARINTS, varints, likely[0])
    } else {
        (PLANES, planes, likely[1])
    };
    let signed = if signed { SIGNED } else { 0 };
    let mut bytes = vec![kind | signed | if divisor > 1 { DIVIDED } else { 0 }];
    if divisor > 1 {
        put_varint(&mut bytes, divisor);
    }
    bytes.extend(body);
    Packed { bytes, likely }
}

/// The greatest common divisor. Times of most formats are whole microseconds.
fn common_divisor(values: &[i64]) -> u64 {
    let mut divisor = 0u64;
    for value in values {
        let (mut a, mut b) = (divisor, value.unsigned_abs());
        if a != 0 && b.is_multiple_of(a) {
            continue;
        }
        while b != 0 {
            (a, b) = (b, a % b);
        }
        divisor = a;
        if divisor == 1 {
            break;
        }
    }
    divisor
}

fn varints(numbers: &[u64]) -> Vec<u8> {
    let mut out = Vec::with_capacity(numbers.len() * 2);
    numbers
        .iter()
        .for_each(|&number| put_varint(&mut out, number));
    out
}

/// The size of the largest number in bytes, then all lowest bytes, all second lowest bytes ….
fn planes(numbers: &[u64]) -> Vec<u8> {
    let biggest = numbers.iter().fold(0, |all, number| all | number);
    let width = (8 - biggest.leading_zeros() / 8).max(1);
    let mut out = Vec::with_capacity(numbers.len() * width as usize + 1);
    out.push(width as u8);
    for plane in 0..width {
        out.extend(numbers.iter().map(|number| (number >> (8 * plane)) as u8));
    }
    out
}

/// The estimated compressed size of the bytes, from the entropy of each of `parts` equal parts.
fn likely_bytes(bytes: &[u8], parts: usize) -> f64 {
    let part = bytes.len().div_ceil(parts.max(1)).max(1);
    bytes.chunks(part).map(entropy_bytes).sum()
}

fn entropy_bytes(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    bytes
        .iter()
        .for_each(|&byte| counts[usize::from(byte)] += 1);
    let all = bytes.len() as f64;
    let bits = |&count: &u32| f64::from(count) * (all / f64::from(count)).log2();
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(bits)
        .sum::<f64>()
        / 8.0
}

/// Whether the packed numbers are one value for all rows, so that the column needs no space.
pub(crate) fn is_same(payload: &[u8]) -> bool {
    payload.first().is_some_and(|head| head & 0x0f == SAME)
}

/// Unpacks `rows` numbers; `None` if there are too few bytes or the encoding is unknown.
pub(crate) fn unpack(input: &mut Input<'_>, rows: usize) -> Option<Numbers> {
    let head = input.byte()?;
    let divisor = match head & DIVIDED {
        0 => 1,
        _ => input.varint()? as i64,
    };
    let signed = head & SIGNED != 0;
    let number = |raw: u64| {
        let value = if signed { unzigzag(raw) } else { raw as i64 };
        value.wrapping_mul(divisor)
    };
    match head & 0x0f {
        SAME => Some(Numbers::Same(number(input.varint()?))),
        VARINTS => {
            // Each number needs at least one byte, so this is an upper bound.
            let mut values = Vec::with_capacity(rows.min(input.0.len()));
            for _ in 0..rows {
                values.push(number(input.varint()?));
            }
            Some(Numbers::Each(values))
        }
        PLANES => {
            let width = usize::from(input.byte()?);
            let bytes = input.bytes(rows.checked_mul(width)? as u64)?;
            if !(1..=8).contains(&width) {
                return None;
            }
            Some(Numbers::Each(from_planes(bytes, width, number)))
        }
        _ => None,
    }
}

fn from_planes(bytes: &[u8], width: usize, number: impl Fn(u64) -> i64) -> Vec<i64> {
    let rows = bytes.len() / width;
    let mut raw: Vec<i64> = bytes[..rows].iter().map(|&byte| byte.into()).collect();
    for plane in 1..width {
        let bytes = &bytes[plane * rows..][..rows];
        for (value, &byte) in raw.iter_mut().zip(bytes) {
            *value |= i64::from(byte) << (8 * plane);
        }
    }
    raw.iter_mut()
        .for_each(|value| *value = number(*value as u64));
    raw
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let cases: [&[i64]; 8] = [
            &[],
            &[7, 7, 7],
            &[i64::MIN; 3],
            &[0, 1, 2, 300],
            &[-1000, 4000, 0],
            &[i64::MIN, i64::MAX, 0],
            &[i64::MIN, 0, i64::MIN],
            &[1, -1, 1 << 40],
        ];
        for values in cases {
            let packed = pack(values).bytes;
            let mut input = Input(&packed);
            let back = unpack(&mut input, values.len()).unwrap().each(values.len());
            assert_eq!(back, values);
            assert!(input.0.is_empty());
        }
    }

    #[test]
    fn whole_microseconds_are_counted_in_microseconds() {
        let packed = pack(&[1000, 5000, 3000]).bytes;
        assert_eq!(packed, [VARINTS | DIVIDED, 0xe8, 0x07, 1, 5, 3]);
    }
}
