//! Splits chunks into complete lines.

/// Holds an incomplete line until its end arrives.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    carry: Vec<u8>,
}

impl Lines {
    /// Passes on each line that `bytes` completes, including its line end.
    pub fn feed(&mut self, bytes: &[u8], mut line: impl FnMut(&[u8])) {
        let mut rest = bytes;
        while let Some(newline) = memchr::memchr(b'\n', rest) {
            let (head, tail) = rest.split_at(newline + 1);
            if self.carry.is_empty() {
                line(head);
            } else {
                self.carry.extend_from_slice(head);
                line(&self.carry);
                self.carry.clear();
            }
            rest = tail;
        }
        self.carry.extend_from_slice(rest);
    }

    /// Passes on a last line without a line end.
    pub fn finish(&mut self, line: impl FnOnce(&[u8])) {
        let last = std::mem::take(&mut self.carry);
        if !last.is_empty() {
            line(&last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn chunks_end_anywhere() {
        let text = b"a\nbb\r\n\n\nccc";
        for size in 1..=text.len() {
            let mut lines = Lines::default();
            let mut found: Vec<Vec<u8>> = Vec::new();
            for chunk in text.chunks(size) {
                lines.feed(chunk, |line| found.push(line.to_vec()));
            }
            lines.finish(|line| found.push(line.to_vec()));
            assert_eq!(found.concat(), text);
            assert_eq!(found.len(), 5, "{size}");
        }
    }
}
