//! Buffered output, with numbers formatted as by C's `printf`.
//!
//! A wide call graph prints millions of rows of five whole numbers, so these do not go through
//! `write!`, which takes several times as long.

use std::io::{self, Write};

use super::methods::Method;

/// The number of bytes that are collected before they are written.
const CHUNK: usize = 32 << 10;

/// A buffered writer. The other methods only append; [`Out::end_row`] and [`Out::flush`] write and
/// may fail.
pub(super) struct Out<'w> {
    sink: &'w mut dyn Write,
    buffer: Vec<u8>,
    /// Whether the output is HTML.
    pub html: bool,
    /// The text that pads numbers.
    pub blank: &'static str,
}

impl<'w> Out<'w> {
    pub fn new(sink: &'w mut dyn Write, html: bool) -> Self {
        Out {
            sink,
            buffer: Vec::with_capacity(CHUNK),
            html,
            blank: " ",
        }
    }

    /// Appends bytes as they are.
    #[inline]
    pub fn text(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.buffer.extend_from_slice(bytes.as_ref());
        self
    }

    /// Appends a text in HTML only.
    pub fn markup(&mut self, html: &str) -> &mut Self {
        self.text(if self.html { html } else { "" })
    }

    /// Appends a text of the trace, escaped in HTML.
    pub fn name(&mut self, text: &[u8]) -> &mut Self {
        if self.html {
            self.escaped(text)
        } else {
            self.text(text)
        }
    }

    /// Escapes `<`, `>` and `&`: as the original does, and sufficient outside of attributes.
    pub fn escaped(&mut self, text: &[u8]) -> &mut Self {
        let mut from = 0;
        for at in memchr::memchr3_iter(b'<', b'>', b'&', text) {
            self.text(&text[from..at]).text(match text[at] {
                b'<' => "&lt;",
                b'>' => "&gt;",
                _ => "&amp;",
            });
            from = at + 1;
        }
        self.text(&text[from..])
    }

    /// Appends `class.method`, `between`, `signature`; only the class of a method without a name.
    pub fn method(&mut self, method: &Method<'_>, between: &str) -> &mut Self {
        self.name(method.class);
        if let Some(name) = method.name {
            self.text(".")
                .name(name)
                .text(between)
                .name(method.signature);
        }
        self
    }

    /// `%d`, `%llu`.
    pub fn number(&mut self, value: impl itoa::Integer) -> &mut Self {
        self.text(itoa::Buffer::new().format(value))
    }

    /// `%*d`, `%*llu`: right-aligned in `width` characters, or more if needed.
    #[inline]
    pub fn right(&mut self, width: usize, value: impl itoa::Integer) -> &mut Self {
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(value);
        self.pad(width, digits.len()).text(digits)
    }

    /// `%-*d`: left-aligned.
    #[inline]
    pub fn left(&mut self, width: usize, value: impl itoa::Integer) -> &mut Self {
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(value);
        self.text(digits).pad(width, digits.len())
    }

    /// Appends the blanks that pad a text of `used` characters.
    pub fn pad(&mut self, width: usize, used: usize) -> &mut Self {
        let missing = width.saturating_sub(used);
        match self.blank {
            " " => self.buffer.resize(self.buffer.len() + missing, b' '),
            blank => (0..missing).for_each(|_| self.buffer.extend_from_slice(blank.as_bytes())),
        }
        self
    }

    /// `%*.1f`, `%*.2f`: one or two decimals.
    pub fn fraction(&mut self, width: usize, decimals: usize, value: f64) -> &mut Self {
        let scale = if decimals == 1 { 10 } else { 100 };
        let product = value * scale as f64;
        let whole = product as u64;
        let rest = product - whole as f64;
        // The product is rounded. If it ends in a half, the exact value may be less or more.
        if value.is_sign_negative() || !(0.0..1e15).contains(&product) || rest == 0.5 {
            return self.rare_fraction(width, decimals, value);
        }
        let units = whole + u64::from(rest > 0.5);
        let digits = [units / 10, units].map(|digit| b'0' + (digit % 10) as u8);
        self.right(width.saturating_sub(decimals + 1), units / scale);
        self.text(".").text(&digits[2 - decimals..])
    }

    /// Any number. Rust and C round the same way, and differ only in how they write NaN.
    #[cold]
    fn rare_fraction(&mut self, width: usize, decimals: usize, value: f64) -> &mut Self {
        let text = match (value.is_nan(), value.is_sign_negative()) {
            (false, _) if decimals == 1 => format!("{value:.1}"),
            (false, _) => format!("{value:.2}"),
            (true, true) => "-nan".to_owned(),
            (true, false) => "nan".to_owned(),
        };
        self.pad(width, text.len()).text(text)
    }

    /// The number of bytes that are not written yet.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// The output since [`len`](Self::len) was `start`, if it has not been written out yet.
    pub fn since(&self, start: usize) -> &[u8] {
        self.buffer.get(start..).unwrap_or_default()
    }

    /// Ends a row: writes the buffer if it is full.
    #[inline]
    pub fn end_row(&mut self) -> io::Result<()> {
        if self.buffer.len() >= CHUNK {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes everything out.
    pub fn flush(&mut self) -> io::Result<()> {
        self.sink.write_all(&self.buffer)?;
        self.buffer.clear();
        self.sink.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_rounded_as_the_standard_library_does() {
        let mut random = testkit::Rng::new(1);
        let random = std::iter::repeat_with(|| random.below(100_000) as f64 / 1024.0);
        let edges = [
            -1.0,
            -0.0,
            0.05,
            0.25,
            0.35,
            0.125,
            9.96,
            999.95,
            1e15,
            1e300,
            f64::INFINITY,
        ];
        for value in edges.into_iter().chain(random.take(100_000)) {
            let mut text = Vec::new();
            let mut out = Out::new(&mut text, false);
            out.fraction(5, 1, value)
                .fraction(7, 2, 100.0 * value / 99_991.0)
                .flush()
                .unwrap();
            let expected = format!("{value:5.1}{:7.2}", 100.0 * value / 99_991.0);
            assert_eq!(String::from_utf8(text).unwrap(), expected);
        }
    }
}
