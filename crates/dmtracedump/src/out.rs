//! Output through one big buffer, with numbers laid out as C's `printf` lays them out.

use std::io::{self, Write};

use super::buffer::Buffer;

/// Bytes gathered before they are written. A call of the kernel costs what copying a few hundred
/// bytes does; a fresh page of memory costs more.
const CHUNK: usize = 16 << 10;

/// Room for the row that fills the buffer; longer ones make it grow. Bytes.
const LAST_ROW: usize = 1 << 10;

/// A buffered writer. Rows are put together with the infallible methods; [`Out::row`] ends one
/// and is where writing, and so failing, happens.
pub(super) struct Out<W> {
    sink: W,
    buffer: Buffer,
}

impl<W: Write> Out<W> {
    pub fn new(sink: W) -> Self {
        Out {
            sink,
            buffer: Buffer::with_room(CHUNK + LAST_ROW),
        }
    }

    /// Appends bytes as they are.
    #[inline(always)]
    pub fn text(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.buffer.text(bytes.as_ref());
        self
    }

    /// The row so far, to be appended to.
    #[inline]
    pub fn buffer(&mut self) -> &mut Buffer {
        &mut self.buffer
    }

    /// `%*d`: right-aligned in `WIDTH` bytes, or more if need be.
    #[inline]
    pub fn right<const WIDTH: usize>(&mut self, cell: &Cell) -> &mut Self {
        match cell.bytes.last_chunk::<WIDTH>() {
            Some(field) if cell.bytes().len() <= WIDTH => self.text(field),
            _ => self.text(cell.bytes()),
        }
    }

    /// `%-*d`: left-aligned in `WIDTH` bytes, or more if need be.
    #[inline]
    pub fn left<const WIDTH: usize>(&mut self, cell: &Cell) -> &mut Self {
        let digits = cell.bytes();
        self.text(digits);
        self.text(&[b' '; WIDTH][digits.len().min(WIDTH)..])
    }

    /// `%llu`.
    #[inline]
    pub fn number(&mut self, value: u64) -> &mut Self {
        self.text(Cell::unsigned(value).bytes())
    }

    /// What was gathered since it was last written out.
    pub fn into_buffer(self) -> Buffer {
        self.buffer
    }

    /// Writes a big block without copying it first.
    pub fn block(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.flush()?;
        self.sink.write_all(bytes)
    }

    /// Ends a row: hands the buffer on if it is full.
    #[inline]
    pub fn row(&mut self) -> io::Result<()> {
        if self.buffer.len() >= CHUNK {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes everything out.
    pub fn flush(&mut self) -> io::Result<()> {
        self.sink.write_all(self.buffer.bytes())?;
        self.buffer.clear();
        self.sink.flush()
    }

    /// Writes everything out, for the last time, and gives back what it was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.sink)
    }
}

/// A formatted number, with spaces in front of it.
pub(super) struct Cell {
    bytes: [u8; Cell::ROOM],
    start: usize,
}

/// The numbers 00 to 99, two digits each.
static PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut i = 0;
    while i < 100 {
        pairs[i] = [b'0' + (i / 10) as u8, b'0' + (i % 10) as u8];
        i += 1;
    }
    pairs
};

impl Cell {
    /// Enough for any percentage of sums of 64-bit numbers.
    const ROOM: usize = 40;

    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    #[inline]
    fn empty() -> Self {
        Cell {
            bytes: [b' '; Cell::ROOM],
            start: Cell::ROOM,
        }
    }

    #[inline]
    fn push_front(&mut self, byte: u8) {
        self.start -= 1;
        self.bytes[self.start] = byte;
    }

    #[inline]
    fn push_number(&mut self, mut value: u64) {
        while value >= 10 {
            let pair = PAIRS[(value % 100) as usize];
            if value < 100 {
                self.push_front(pair[1]);
                self.push_front(pair[0]);
                return;
            }
            self.start -= 2;
            self.bytes[self.start..self.start + 2].copy_from_slice(&pair);
            value /= 100;
        }
        self.push_front(b'0' + value as u8);
    }

    /// `%llu`.
    #[inline]
    pub fn unsigned(value: u64) -> Self {
        let mut cell = Cell::empty();
        cell.push_number(value);
        cell
    }

    /// `%d`.
    #[inline]
    pub fn signed(value: i32) -> Self {
        let mut cell = Cell::unsigned(u64::from(value.unsigned_abs()));
        if value < 0 {
            cell.push_front(b'-');
        }
        cell
    }

    /// `%.1f`.
    #[inline]
    pub fn tenths(value: f64) -> Self {
        match scaled(value, 10) {
            Some(scaled) => {
                let mut cell = Cell::empty();
                cell.push_front(b'0' + (scaled % 10) as u8);
                cell.push_front(b'.');
                cell.push_number(scaled / 10);
                cell
            }
            None => Cell::odd(value, 1),
        }
    }

    /// `%.2f`.
    #[inline]
    pub fn hundredths(value: f64) -> Self {
        match scaled(value, 100) {
            Some(scaled) => {
                let mut cell = Cell::empty();
                let pair = PAIRS[(scaled % 100) as usize];
                cell.push_front(pair[1]);
                cell.push_front(pair[0]);
                cell.push_front(b'.');
                cell.push_number(scaled / 100);
                cell
            }
            None => Cell::odd(value, 2),
        }
    }

    /// Infinite, not a number, negative or huge.
    #[cold]
    fn odd(value: f64, digits: usize) -> Self {
        let text = match value {
            v if v.is_nan() => if v.is_sign_negative() { "-nan" } else { "nan" }.to_string(),
            v if v.is_infinite() => if v < 0.0 { "-inf" } else { "inf" }.to_string(),
            v => format!("{v:.digits$}"),
        };
        let mut cell = Cell::empty();
        for &byte in text.as_bytes().iter().rev().take(Cell::ROOM) {
            cell.push_front(byte);
        }
        cell
    }
}

/// `value · scale` rounded to a whole number exactly as C rounds when it prints: to the nearest,
/// halves to even, judged on the double's own binary value. `None` if it has no fraction bits (so
/// is huge), is negative or is no number.
///
/// ```text
/// value = mantissa · 2^-shift      mantissa·scale = [ whole | fraction ]
///                                                           ◄─shift──►
/// ```
#[inline]
pub(super) fn scaled(value: f64, scale: u64) -> Option<u64> {
    let bits = value.to_bits();
    let exponent = (bits >> 52) as i32; // with the sign as its top bit
    if exponent >= 1075 {
        return None;
    }
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, shift) = match exponent {
        0 => (fraction, 1074),
        _ => (fraction | 1 << 52, 1075 - exponent),
    };
    let product = mantissa * scale; // below 2^60
    if shift > 62 {
        return Some(0);
    }
    let whole = product >> shift;
    let rest = product & ((1 << shift) - 1);
    let half = 1u64 << (shift - 1);
    let up = rest > half || rest == half && whole & 1 == 1;
    Some(whole + u64::from(up))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn str_of(cell: &Cell) -> &str {
        std::str::from_utf8(cell.bytes()).unwrap()
    }

    #[test]
    fn whole_numbers() {
        for n in [0, 9, 10, 99, 100, 101, 12345, u64::MAX, 1 << 63] {
            assert_eq!(str_of(&Cell::unsigned(n)), n.to_string());
        }
        for n in [0, -1, i32::MIN, i32::MAX] {
            assert_eq!(str_of(&Cell::signed(n)), n.to_string());
        }
    }

    /// The standard library also rounds the exact binary value, halves to even.
    #[test]
    fn fractions_round_as_the_exact_value_does() {
        let mut values = vec![
            0.0, 0.05, 0.25, 0.35, 0.125, 0.375, 99.995, 1e15, 4.6e15, 1e300,
        ];
        values.extend([5e-324, 1e-20, 0.005, 0.015, 2.5, 9.95, 9.96, 999.95]);
        let mut state = 88172645463325252u64;
        for _ in 0..200_000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let (a, b) = (state % 100_000, (state >> 32) % 99_991 + 1);
            values.push(100.0 * a as f64 / b as f64);
            values.push(a as f64 / 1024.0);
        }
        for v in values {
            if v < 1e30 {
                assert_eq!(str_of(&Cell::tenths(v)), format!("{v:.1}"));
                assert_eq!(str_of(&Cell::hundredths(v)), format!("{v:.2}"));
            }
        }
        assert_eq!(str_of(&Cell::tenths(f64::INFINITY)), "inf");
        assert_eq!(str_of(&Cell::tenths(-f64::NAN)), "-nan");
    }

    #[test]
    fn padding_goes_left_or_right() {
        let mut out = Out::new(Vec::new());
        out.right::<5>(&Cell::unsigned(42))
            .left::<4>(&Cell::signed(-7));
        out.text("|").right::<2>(&Cell::unsigned(123));
        out.flush().unwrap();
        assert_eq!(out.sink, b"   42-7  |123");
    }
}
