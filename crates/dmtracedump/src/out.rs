//! Buffered output, with numbers formatted as C's `printf` formats them.
//!
//! A wide call graph prints millions of rows of six numbers, so the numbers do not go through
//! `write!`, which takes several times as long.

use std::io::{self, Write};

use super::methods::{Method, MethodIndex};

/// Bytes collected before they are written.
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

    /// Escapes `<`, `>` and `&`: as the original, and enough outside of attributes.
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

    /// Appends `class.method`, `between`, `signature`; just the class of a method without a name.
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

    /// Appends as many blanks as a text of `used` characters lacks.
    #[inline]
    pub fn pad(&mut self, width: usize, used: usize) -> &mut Self {
        let missing = width.saturating_sub(used);
        if self.blank == " " {
            let end = self.buffer.len() + missing;
            // A fixed number is copied faster than the few that are missing.
            self.buffer.extend_from_slice(&[b' '; 16]);
            self.buffer.resize(end, b' ');
        } else {
            self.text(self.blank.repeat(missing));
        }
        self
    }

    /// `%*.1f`.
    #[inline]
    pub fn tenths(&mut self, width: usize, value: f64) -> &mut Self {
        self.fixed(width, 1, value)
    }

    /// `%*.2f`.
    #[inline]
    pub fn hundredths(&mut self, width: usize, value: f64) -> &mut Self {
        self.fixed(width, 2, value)
    }

    /// One or two decimals.
    #[inline]
    fn fixed(&mut self, width: usize, decimals: usize, value: f64) -> &mut Self {
        let scale = if decimals == 1 { 10 } else { 100 };
        let Some(units) = rounded(value, scale) else {
            return self.unusual(width, decimals, value);
        };
        let whole = units / u64::from(scale);
        let [tens, ones] = [units / 10, units].map(|digit| b'0' + (digit % 10) as u8);
        self.right(width.saturating_sub(decimals + 1), whole);
        let fraction = [tens, ones];
        self.text(".").text(&fraction[2 - decimals..])
    }

    /// A number that is infinite, negative, huge or none.
    #[cold]
    fn unusual(&mut self, width: usize, decimals: usize, value: f64) -> &mut Self {
        let text = match value {
            v if v.is_nan() => if v.is_sign_negative() { "-nan" } else { "nan" }.to_string(),
            v if decimals == 1 => format!("{v:.1}"),
            v => format!("{v:.2}"),
        };
        self.pad(width, text.len()).text(text)
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

/// What [`Out::method`] prints of each method in a row's end, built once: a method has many rows.
pub(super) struct Labels {
    text: Vec<u8>,
    /// By method; a label starts where the one before ends.
    ends: Vec<usize>,
}

impl Labels {
    pub fn new(methods: &[Method<'_>], html: bool) -> Self {
        let mut sink = io::sink();
        let mut out = Out::new(&mut sink, html);
        let label = |method| {
            out.method(method, " ").text("\n");
            out.buffer.len()
        };
        let ends = methods.iter().map(label).collect();
        let text = out.buffer;
        Labels { text, ends }
    }

    /// The method's name and signature, and the end of the line.
    #[inline]
    pub fn of(&self, method: MethodIndex) -> &[u8] {
        let at = method as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[at]]
    }
}

/// `value · scale` rounded to a whole number as C rounds when it prints: to the nearest, halves to
/// even, by the exact binary value. None if it is negative, huge or no number.
#[inline]
fn rounded(value: f64, scale: u32) -> Option<u64> {
    let scale = f64::from(scale);
    let product = value * scale;
    if product.is_sign_negative() || !(0.0..1e15).contains(&product) {
        return None;
    }
    let whole = product as u64;
    let rest = product - whole as f64;
    let up = if rest == 0.5 {
        // The product was rounded itself; by how much is exact.
        let error = value.mul_add(scale, -product);
        error > 0.0 || (error == 0.0 && whole % 2 == 1)
    } else {
        rest > 0.5
    };
    Some(whole + u64::from(up))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(print: impl Fn(&mut Out<'_>)) -> String {
        let mut text = Vec::new();
        let mut out = Out::new(&mut text, false);
        print(&mut out);
        out.flush().unwrap();
        String::from_utf8(text).unwrap()
    }

    /// The standard library also rounds the exact binary value, halves to even.
    #[test]
    fn fractions_round_as_the_exact_value_does() {
        let mut values = vec![
            0.0, 0.05, 0.25, 0.35, 0.125, 0.375, 99.995, 1e15, 4.6e15, 1e300, -1.0, -0.0,
        ];
        values.extend([5e-324, 1e-20, 0.005, 0.015, 2.5, 9.95, 9.96, 999.95]);
        let mut random = testkit::Rng::new(1);
        for _ in 0..200_000 {
            let (a, b) = (random.below(100_000), random.below(99_991) + 1);
            values.push(100.0 * a as f64 / b as f64);
            values.push(a as f64 / 1024.0);
        }
        for v in values {
            let text = printed(|out| {
                out.tenths(5, v).text(" ").hundredths(6, v);
            });
            assert_eq!(text, format!("{v:5.1} {v:6.2}"));
        }
        let odd = |value| {
            printed(|out| {
                out.tenths(5, value);
            })
        };
        assert_eq!(odd(f64::INFINITY), "  inf");
        assert_eq!(odd(-f64::NAN), " -nan");
    }
}
