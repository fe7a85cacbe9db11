//! Standard output without control sequences for a terminal.
//!
//! The names in a trace may come from anyone. A terminal executes control sequences in them: they
//! move the cursor, hide text, or change the window's title. Files and pipes get every byte as it
//! is.

use std::io::{self, IsTerminal, Stdout, StdoutLock, Write};

/// Standard output. On a terminal, control characters become visible escapes.
#[derive(Debug)]
pub enum Screen {
    /// A terminal.
    Terminal(Visible<StdoutLock<'static>>),
    /// A file or a pipe.
    Plain(StdoutLock<'static>),
}

impl Screen {
    /// Locks standard output.
    pub fn lock(stdout: &Stdout) -> Self {
        let lock = stdout.lock();
        if stdout.is_terminal() {
            Self::Terminal(Visible::new(lock))
        } else {
            Self::Plain(lock)
        }
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Terminal(out) => out.write(bytes),
            Self::Plain(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Terminal(out) => out.flush(),
            Self::Plain(out) => out.flush(),
        }
    }
}

/// Makes control characters visible, except for line ends and tabs: ESC becomes `\u{1b}`. The same goes
/// for characters that change the direction of text. Bytes that are not UTF-8 become `\xNN`.
#[derive(Debug)]
pub struct Visible<W: Write> {
    out: W,
    /// The beginning of a character whose end has not arrived, at most three bytes.
    held: Vec<u8>,
}

impl<W: Write> Visible<W> {
    /// Text is written to `out`.
    pub fn new(out: W) -> Self {
        let held = Vec::new();
        Self { out, held }
    }

    /// Escapes whole characters; returns the incomplete rest.
    fn escape(bytes: &[u8], text: &mut String) -> Vec<u8> {
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            for c in chunk.valid().chars() {
                if is_command(c) && c != '\n' && c != '\t' {
                    text.extend(c.escape_default());
                } else {
                    text.push(c);
                }
            }
            let rest = chunk.invalid();
            let is_cut = std::str::from_utf8(rest).is_err_and(|why| why.error_len().is_none());
            if is_cut && chunks.peek().is_none() {
                return rest.to_vec();
            }
            rest.iter()
                .for_each(|byte| *text += &format!("\\x{byte:02x}"));
        }
        Vec::new()
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = String::new();
        self.held.extend_from_slice(bytes);
        let held = std::mem::take(&mut self.held);
        self.held = Self::escape(&held, &mut text);
        self.out.write_all(text.as_bytes())?;
        Ok(bytes.len())
    }

    /// The text ends here, so the bytes of an incomplete character are escaped.
    fn flush(&mut self) -> io::Result<()> {
        for byte in std::mem::take(&mut self.held) {
            write!(self.out, "\\x{byte:02x}")?;
        }
        self.out.flush()
    }
}

/// Whether a terminal does something other than showing the character: a control character, or one that changes the
/// direction of text.
pub fn is_command(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_become_visible_wherever_pieces_end() {
        let text =
            b"a\x1b[2Jb\tc\nd\r\xc2\x9bm \xc3\xa9\xe2\x80\xae \x9b \x7f \xf0\x9f\x91\xa9 \xd8\x9c\xff";
        let expected = "a\\u{1b}[2Jb\tc\nd\\r\\u{9b}m \u{e9}\\u{202e} \\x9b \\u{7f} \u{1f469} \\u{61c}\\xff\\xe2\\x80";
        for piece in 1..text.len() {
            let mut out = Visible::new(Vec::new());
            for piece in text.chunks(piece) {
                out.write_all(piece).unwrap();
            }
            out.write_all(b"\xe2\x80").unwrap();
            out.flush().unwrap();
            assert_eq!(String::from_utf8(out.out).unwrap(), expected);
        }
    }
}
