//! Text in memory, put together from short pieces.

use std::ops::Range;

/// Bytes one after another, and behind them room for more. Most pieces have less than a hundred
/// bytes, which are copied here without a call of the C library.
#[derive(Default)]
pub(super) struct Buffer {
    /// What is gathered, then the room.
    bytes: Vec<u8>,
    len: usize,
}

impl Buffer {
    /// For so many bytes; more make it grow.
    pub fn with_room(bytes: usize) -> Self {
        Buffer {
            bytes: vec![0; bytes],
            len: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// What is gathered.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Forgets what is gathered and keeps the room.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends bytes as they are. Inlined always: most texts are literals, whose copy is then a move
    /// or two.
    #[inline(always)]
    pub fn text(&mut self, text: &[u8]) {
        let end = self.len + text.len();
        if end > self.bytes.len() {
            self.grow(end);
        }
        copy(&mut self.bytes[self.len..][..text.len()], text);
        self.len = end;
    }

    /// Appends a part of another buffer that has hardly ever more than `N` bytes: so many are copied, whatever its
    /// length, since a branch on that would be guessed wrong every other time. What is too much is overwritten by
    /// the next.
    #[inline(always)]
    pub fn part<const N: usize>(&mut self, from: &Buffer, part: Range<usize>) {
        let source = from
            .bytes
            .get(part.start..)
            .and_then(<[u8]>::first_chunk::<N>);
        let room = self
            .bytes
            .get_mut(self.len..)
            .and_then(<[u8]>::first_chunk_mut);
        match (source, room) {
            (Some(source), Some(room)) if part.len() <= N => {
                *room = *source;
                self.len += part.len();
            }
            _ => self.text(&from.bytes()[part]),
        }
    }

    #[cold]
    fn grow(&mut self, least: usize) {
        self.bytes.resize(least.next_power_of_two(), 0);
    }
}

/// Copies a text that is hardly ever long: two pieces of fixed length that may overlap are copied
/// where a call would take longer than the copy.
#[inline(always)]
fn copy(to: &mut [u8], from: &[u8]) {
    match from.len() {
        32..=64 => copy_ends::<32>(to, from),
        16..32 => copy_ends::<16>(to, from),
        8..16 => copy_ends::<8>(to, from),
        4..8 => copy_ends::<4>(to, from),
        2..4 => copy_ends::<2>(to, from),
        1 => to[0] = from[0],
        0 => {}
        _ => copy_long(to, from),
    }
}

/// Names of methods with their classes are often a bit longer; code for them need not be everywhere.
#[inline(never)]
fn copy_long(to: &mut [u8], from: &[u8]) {
    match from.len() {
        65..=128 => copy_ends::<64>(to, from),
        _ => to.copy_from_slice(from),
    }
}

/// Copies the first and the last `N` bytes of texts that have so many, and no more than twice.
#[inline(always)]
fn copy_ends<const N: usize>(to: &mut [u8], from: &[u8]) {
    if let (Some(to), Some(from)) = (to.first_chunk_mut::<N>(), from.first_chunk()) {
        *to = *from;
    }
    if let (Some(to), Some(from)) = (to.last_chunk_mut::<N>(), from.last_chunk()) {
        *to = *from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_length_arrive() {
        let text: Vec<u8> = (0..200).collect();
        let mut buffer = Buffer::with_room(100);
        let mut want = Vec::new();
        for len in 0..=text.len() {
            buffer.text(&text[..len]);
            want.extend_from_slice(&text[..len]);
        }
        assert_eq!(buffer.bytes(), want);
        buffer.clear();
        buffer.text(b"again");
        assert_eq!(buffer.bytes(), b"again");
    }
}
