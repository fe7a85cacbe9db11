//! Encodes the parts of Protocol Buffers (<https://protobuf.dev/programming-guides/encoding/>) that stacks and profiles
//! need.

/// The wire types.
const NUMBER: u64 = 0;
const BYTES: u64 = 2;

/// Appends a number.
pub(super) fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a field with a number.
pub(super) fn number(field: u64, value: u64, out: &mut Vec<u8>) {
    varint(field << 3 | NUMBER, out);
    varint(value, out);
}

/// Appends a field with a text or a message.
pub(super) fn bytes(field: u64, value: &[u8], out: &mut Vec<u8>) {
    varint(field << 3 | BYTES, out);
    varint(value.len() as u64, out);
    out.extend(value);
}

/// Appends a field with several numbers.
pub(super) fn packed(field: u64, values: impl Iterator<Item = u64>, out: &mut Vec<u8>) {
    let mut all = Vec::new();
    values.for_each(|value| varint(value, &mut all));
    bytes(field, &all, out);
}

/// The texts and messages in one field of a message; `None` if it has other fields, or is damaged.
pub(super) fn repeated(field: u64, mut message: &[u8]) -> Option<Vec<&[u8]>> {
    let mut found = Vec::new();
    while !message.is_empty() {
        if take_varint(&mut message)? != field << 3 | BYTES {
            return None;
        }
        let length = usize::try_from(take_varint(&mut message)?).ok()?;
        let (value, rest) = message.split_at_checked(length)?;
        found.push(value);
        message = rest;
    }
    Some(found)
}

fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(value);
        }
    }
    None
}
