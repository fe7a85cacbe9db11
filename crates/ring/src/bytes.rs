//! Little-endian numbers in bytes. Reads beyond the end give 0.

#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk());
    found.map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

#[inline]
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk());
    found.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

pub(crate) fn put_u32(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

pub(crate) fn put_u64(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

/// Text up to its first NUL.
pub(crate) fn text(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&byte| byte == 0);
    &bytes[..end.unwrap_or(bytes.len())]
}

/// `text` as a fixed-length field of the file: cut to `N` bytes or padded with NULs.
pub fn fixed<const N: usize>(text: &[u8]) -> [u8; N] {
    let mut fixed = [0; N];
    let length = text.len().min(N);
    fixed[..length].copy_from_slice(&text[..length]);
    fixed
}
