//! Appending text, numbers and attributes to a string.

/// Appends to a picture or a label. Each method returns the string, so that calls chain.
pub(crate) trait Pen {
    /// Appends `text` as it is.
    fn put(&mut self, text: &str) -> &mut Self;

    /// Appends `text`, escaped for XML. It must not contain control characters.
    fn xml(&mut self, text: &str) -> &mut Self;

    /// Appends a whole number.
    fn count(&mut self, number: u64) -> &mut Self;

    /// Appends a number with this many decimals. Zero has no sign.
    fn fixed(&mut self, value: f64, decimals: u32) -> &mut Self;

    /// Appends a length with as many decimals as the picture needs.
    fn px(&mut self, value: f64) -> &mut Self {
        self.fixed(value, 1)
    }

    /// Appends an attribute that is a length.
    fn length(&mut self, name: &str, value: f64) -> &mut Self {
        self.put(" ").put(name).put("=\"").px(value).put("\"")
    }

    /// Appends an attribute whose value needs no escapes.
    fn attribute(&mut self, name: &str, value: &str) -> &mut Self {
        self.put(" ").put(name).put("=\"").put(value).put("\"")
    }
}

impl Pen for String {
    fn put(&mut self, text: &str) -> &mut Self {
        self.push_str(text);
        self
    }

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

    fn count(&mut self, number: u64) -> &mut Self {
        self.put(&number.to_string())
    }

    fn fixed(&mut self, value: f64, decimals: u32) -> &mut Self {
        let unit = 10f64.powi(decimals as i32);
        // Adding zero drops the sign of a zero.
        let rounded = (value * unit).round_ties_even() / unit + 0.0;
        self.put(&match decimals {
            0 => format!("{rounded:.0}"),
            1 => format!("{rounded:.1}"),
            2 => format!("{rounded:.2}"),
            _ => format!("{rounded:.3}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_and_zero_has_no_sign() {
        let fixed = |value, decimals| String::new().fixed(value, decimals).clone();
        assert_eq!([fixed(-0.04, 1), fixed(-0.0, 0)], ["0.0", "0"]);
        assert_eq!([fixed(0.25, 1), fixed(-12.75, 1)], ["0.2", "-12.8"]);
        assert_eq!(fixed(1234567.891, 3), "1234567.891");
        assert_eq!(fixed(3e9, 0), "3000000000");
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
