//! Formats text for a chunk. Nothing here allocates, because signal handlers record too. Therefore
//! numbers are formatted by hand.

use traceloom_ring::Kind;

/// A text in three parts.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a>([&'a [u8]; 3]);

impl<'a> Parts<'a> {
    /// No text.
    pub const NONE: Parts<'static> = Parts([b"", b"", b""]);

    /// A text in one part.
    pub fn one(text: &'a [u8]) -> Self {
        Self([text, b"", b""])
    }

    /// The `trace_marker` text of a record of this kind. Numbers are written into `buffers`.
    pub fn as_mark(
        kind: Kind,
        pid: u32,
        value: u64,
        text: &'a [u8],
        buffers: (&'a mut [u8; 16], &'a mut [u8; 24]),
    ) -> Self {
        let Some(letter) = kind.mark_letter() else {
            return Self::one(text);
        };
        let (front, back) = buffers;
        front[0] = letter;
        front[1] = b'|';
        let end = decimal(front, 2, pid.into());
        front[end] = b'|';
        let front = &front[..=end];
        if !kind.has_value() {
            return Self([front, text, b""]);
        }
        back[0] = b'|';
        let end = decimal(back, 1, value as i64);
        Self([front, text, &back[..end]])
    }

    /// Length, bytes.
    pub fn len(&self) -> usize {
        self.0.iter().map(|part| part.len()).sum()
    }

    /// `length` bytes, starting at `from`.
    pub fn slice(&self, from: usize, length: usize) -> Self {
        let (mut skip, mut left) = (from, length);
        Self(self.0.map(|part| {
            let start = skip.min(part.len());
            skip -= start;
            let end = (start + left).min(part.len());
            left -= end - start;
            &part[start..end]
        }))
    }

    /// Calls `take` with each part.
    pub fn each(&self, take: impl FnMut(&'a [u8])) {
        self.0.into_iter().for_each(take);
    }
}

/// Writes a number at `at` and returns its end. The buffers are large enough for every number.
fn decimal<const N: usize>(buffer: &mut [u8; N], at: usize, number: i64) -> usize {
    let mut digits = [0; 20];
    let mut first = digits.len();
    let mut rest = number.unsigned_abs();
    loop {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        first -= 1;
        digits[first] = b'-';
    }
    let digits = &digits[first..];
    buffer[at..at + digits.len()].copy_from_slice(digits);
    at + digits.len()
}

/// Packs bytes into words, the last padded with zeros.
pub(crate) struct Words<F> {
    put: F,
    word: u64,
    bytes: u32,
}

impl<F: FnMut(u64)> Words<F> {
    pub fn new(put: F) -> Self {
        Self {
            put,
            word: 0,
            bytes: 0,
        }
    }

    pub fn push(&mut self, text: &[u8]) {
        let mut rest = text;
        if self.bytes == 0 {
            while let Some((whole, after)) = rest.split_first_chunk() {
                (self.put)(u64::from_le_bytes(*whole));
                rest = after;
            }
        }
        for &byte in rest {
            self.word |= u64::from(byte) << (self.bytes * 8);
            self.bytes += 1;
            if self.bytes == 8 {
                (self.put)(std::mem::take(&mut self.word));
                self.bytes = 0;
            }
        }
    }

    pub fn finish(mut self) {
        if self.bytes > 0 {
            (self.put)(self.word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(parts: Parts<'_>) -> String {
        let mut text = Vec::new();
        parts.each(|part| text.extend_from_slice(part));
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn marks_of_records() {
        let mark = |kind, value: i64| {
            let (mut front, mut back) = ([0; 16], [0; 24]);
            let buffers = (&mut front, &mut back);
            text(Parts::as_mark(
                kind,
                u32::MAX,
                value as u64,
                b"name",
                buffers,
            ))
        };
        assert_eq!(mark(Kind::BeginNamed, 0), "B|4294967295|name");
        assert_eq!(
            mark(Kind::CounterNamed, i64::MIN),
            "C|4294967295|name|-9223372036854775808"
        );
        assert_eq!(mark(Kind::AsyncEndNamed, 0), "F|4294967295|name|0");
        assert_eq!(mark(Kind::Mark, 0), "name");
    }

    #[test]
    fn slices_may_span_several_parts() {
        let parts = Parts([b"abc", b"defgh", b"ij"]);
        for from in 0..=10 {
            for length in 0..=10 - from {
                let slice = text(parts.slice(from, length));
                assert_eq!(slice, "abcdefghij"[from..from + length]);
            }
        }
    }

    #[test]
    fn words_may_span_several_parts() {
        let mut words = Vec::new();
        let mut into = Words::new(|word: u64| words.extend(word.to_le_bytes()));
        into.push(b"abc");
        into.push(b"defghijklmnop");
        into.push(b"q");
        into.finish();
        assert_eq!(words, b"abcdefghijklmnopq\0\0\0\0\0\0\0");
    }
}
