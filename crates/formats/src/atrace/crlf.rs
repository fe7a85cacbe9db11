//! Undoes the conversion of line ends by adb's pseudo-terminal.

/// The number of line ends that are checked. In an undamaged compressed stream, one line feed in
/// 256 follows a carriage return.
const SAMPLES: usize = 4;

/// Removes the carriage returns that old versions of `adb shell` put before every line feed, in text and in compressed
/// data: `\n` became `\r\n`, and on Windows `\r\r\n`.
///
/// One line feed without a carriage return proves that nothing was converted. Bytes are held back until such a line
/// feed, or until [`SAMPLES`] line ends, were seen.
#[derive(Debug)]
pub(super) struct CrlfUndo {
    verdict: Option<usize>,
    /// The smallest number of carriage returns before a line end so far, and the number of line ends.
    fewest: usize,
    seen: usize,
    waiting: Vec<u8>,
    /// How much of `waiting` has been searched.
    looked: usize,
    /// Carriage returns at the end that may belong to a line feed in the next bytes.
    returns: usize,
    undone: u64,
}

impl CrlfUndo {
    /// For data after a line that ended with this many carriage returns and a line feed.
    pub fn after_line_end(returns: Option<usize>) -> Self {
        let mut undo = Self {
            verdict: None,
            fewest: usize::MAX,
            seen: 0,
            waiting: Vec::new(),
            looked: 0,
            returns: 0,
            undone: 0,
        };
        if let Some(returns) = returns {
            undo.sample(returns);
        }
        undo
    }

    /// Whether it is certain that nothing was converted.
    pub fn is_clean(&self) -> bool {
        self.verdict == Some(0) && self.waiting.is_empty()
    }

    /// The number of repaired line ends.
    pub fn undone(&self) -> u64 {
        self.undone
    }

    /// Takes bytes; appends those that are decided to `plain`.
    pub fn push(&mut self, bytes: &[u8], plain: &mut Vec<u8>) {
        if self.verdict.is_some() {
            return self.pass(bytes, plain);
        }
        self.waiting.extend_from_slice(bytes);
        self.look();
        if self.verdict.is_some() {
            self.release(plain);
        }
    }

    /// Ends the input. `is_whole` checks whether the bytes are valid without a conversion.
    pub fn finish(&mut self, plain: &mut Vec<u8>, is_whole: impl FnOnce(&[u8]) -> bool) {
        if self.verdict.is_none() {
            let as_is = self.seen == 0 || is_whole(&self.waiting);
            self.verdict = Some(if as_is { 0 } else { self.fewest });
            self.release(plain);
        }
        let returns = std::mem::take(&mut self.returns);
        plain.extend(std::iter::repeat_n(b'\r', returns));
    }

    fn sample(&mut self, returns: usize) {
        self.fewest = self.fewest.min(returns);
        self.seen += 1;
        if returns == 0 || self.seen == SAMPLES {
            self.verdict = Some(self.fewest);
        }
    }

    fn look(&mut self) {
        while self.verdict.is_none() {
            let rest = &self.waiting[self.looked..];
            let Some(end) = memchr::memchr(b'\n', rest) else {
                break;
            };
            let returns = rest[..end]
                .iter()
                .rev()
                .take_while(|&&byte| byte == b'\r')
                .count();
            self.looked += end + 1;
            self.sample(returns);
        }
    }

    fn release(&mut self, plain: &mut Vec<u8>) {
        let waiting = std::mem::take(&mut self.waiting);
        self.pass(&waiting, plain);
    }

    fn pass(&mut self, bytes: &[u8], plain: &mut Vec<u8>) {
        let taken = self.verdict.unwrap_or(0);
        if taken == 0 {
            return plain.extend_from_slice(bytes);
        }
        for &byte in bytes {
            if byte == b'\r' {
                self.returns += 1;
                continue;
            }
            let mut returns = std::mem::take(&mut self.returns);
            if byte == b'\n' && returns >= taken {
                returns -= taken;
                self.undone += 1;
            }
            plain.extend(std::iter::repeat_n(b'\r', returns));
            plain.push(byte);
        }
    }
}
