//! Texts and numbers at the end of a string, without the standard library's formatting: a report
//! carries this code.

use traceloom_trace::push_decimal;

/// What writes labels and pictures.
pub(super) trait Pen {
    /// Adds a text as it is.
    fn put(&mut self, text: &str) -> &mut Self;

    /// Adds a text, escaped for XML. It has no control characters any more.
    fn xml(&mut self, text: &str) -> &mut Self;

    /// Adds a whole number.
    fn count(&mut self, number: u64) -> &mut Self;

    /// Adds a number of moderate size with so many decimals, at most 3.
    fn fixed(&mut self, value: f64, decimals: u32) -> &mut Self;

    /// Adds a number in hexadecimal digits, so many or as many as it takes.
    fn hex(&mut self, number: u32, digits: u32) -> &mut Self;

    /// Adds a length with as many decimals as pictures need.
    fn px(&mut self, value: f64) -> &mut Self;

    /// Adds an attribute that is a length.
    fn length(&mut self, name: &str, value: f64) -> &mut Self;

    /// Adds an attribute that is a text of ours, which needs no escapes.
    fn attribute(&mut self, name: &str, value: &str) -> &mut Self;
}

// Not inlined: a picture is made of little else.
impl Pen for String {
    #[inline(never)]
    fn put(&mut self, text: &str) -> &mut Self {
        self.push_str(text);
        self
    }

    #[inline(never)]
    fn xml(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            match c {
                '<' => self.push_str("&lt;"),
                '>' => self.push_str("&gt;"),
                '&' => self.push_str("&amp;"),
                '"' => self.push_str("&quot;"),
                '\'' => self.push_str("&#39;"),
                c => self.push(c),
            }
        }
        self
    }

    #[inline(never)]
    fn count(&mut self, number: u64) -> &mut Self {
        push_decimal(self, number, 0);
        self
    }

    #[inline(never)]
    fn fixed(&mut self, value: f64, decimals: u32) -> &mut Self {
        let unit = 10_u32.pow(decimals);
        let scaled = (value * f64::from(unit)).round_ties_even() as i64;
        if scaled < 0 {
            self.push('-');
        }
        push_decimal(self, scaled.unsigned_abs(), decimals);
        self
    }

    #[inline(never)]
    fn hex(&mut self, number: u32, digits: u32) -> &mut Self {
        let most = 8 - number.leading_zeros() / 4;
        for place in (0..most.max(digits)).rev() {
            let digit = char::from_digit(number >> (4 * place) & 15, 16);
            self.push(digit.unwrap_or_default());
        }
        self
    }

    #[inline(never)]
    fn px(&mut self, value: f64) -> &mut Self {
        self.fixed(value, 1)
    }

    #[inline(never)]
    fn length(&mut self, name: &str, value: f64) -> &mut Self {
        self.put(" ").put(name).put("=\"").px(value).put("\"")
    }

    #[inline(never)]
    fn attribute(&mut self, name: &str, value: &str) -> &mut Self {
        self.put(" ").put(name).put("=\"").put(value).put("\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_standard_library_writes_them() {
        for value in [
            0.0,
            0.04,
            0.25,
            0.96,
            1.0,
            -12.75,
            -0.5,
            99.95,
            1234567.891,
            3e9,
        ] {
            let fixed = |decimals| String::new().fixed(value, decimals).clone();
            let std = |decimals| match format!("{value:.decimals$}") {
                // A whole number of units has no sign without them.
                zero if zero.trim_matches(['-', '0', '.']).is_empty() => zero.replace('-', ""),
                number => number,
            };
            assert_eq!(fixed(0), std(0));
            assert_eq!(fixed(1), std(1));
            assert_eq!(fixed(3), std(3));
        }
        for number in [0, 1, 15, 16, 0x1b, 0x202e, 0x10ffff, u32::MAX] {
            assert_eq!(*String::new().hex(number, 1), format!("{number:x}"));
            assert_eq!(*String::new().hex(number, 6), format!("{number:06x}"));
        }
    }

    #[test]
    fn elements() {
        let mut out = String::from("<a");
        out.length("x", 1.25)
            .attribute("y", "z")
            .put(">")
            .xml("<'&\">")
            .count(7);
        assert_eq!(out, "<a x=\"1.2\" y=\"z\">&lt;&#39;&amp;&quot;&gt;7");
    }
}
