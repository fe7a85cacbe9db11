//! A script whose tokens change.

use std::borrow::Cow;

use super::code::Code;
use crate::tokens::Open;

/// Does one thing to a script.
pub(super) fn pass(script: &str, step: &dyn Fn(&mut Edit<'_>)) -> Result<String, Open> {
    let code = Code::new(script)?;
    let mut edit = Edit {
        texts: (0..code.tokens.len())
            .map(|at| code.text(at).into())
            .collect(),
        code,
    };
    step(&mut edit);
    Ok(edit.written())
}

/// A script and what its tokens shall be.
pub(super) struct Edit<'a> {
    pub code: Code<'a>,
    pub texts: Vec<Cow<'a, str>>,
}

impl Edit<'_> {
    pub fn set(&mut self, at: usize, text: &'static str) {
        self.texts[at] = text.into();
    }

    /// The tokens, with only the blanks and line ends between them that mean something.
    fn written(&self) -> String {
        let mut out = String::with_capacity(self.code.source.len());
        let mut last = None;
        for (at, text) in self.texts.iter().enumerate() {
            if text.is_empty() {
                continue;
            }
            if self.code.line_before[at] {
                out.push('\n');
            } else if let Some(last) = last
                && self.is_blank_needed(last, at)
            {
                out.push(' ');
            }
            out += text;
            last = Some(at);
        }
        out
    }

    fn is_blank_needed(&self, last: usize, at: usize) -> bool {
        let (end, start) = (self.texts[last].as_bytes(), self.texts[at].as_bytes());
        let (&end, &start) = (end.last().unwrap_or(&b' '), start.first().unwrap_or(&b' '));
        let is_word =
            |byte: u8| byte.is_ascii_alphanumeric() || b"_$#".contains(&byte) || byte >= 0x80;
        let tokens = &self.code.tokens;
        let is_apart = last + 1 != at
            || tokens[last].end < tokens[at].start
            || self.texts[at] != self.code.text(at);
        match (end, start) {
            // Also the flags of a regular expression.
            _ if is_word(end) && is_word(start) => true,
            // `a + +b`, `a / /b/`; `a < !--b` would be a comment, `a < /script/` mean something to HTML.
            (b'+', b'+') | (b'-', b'-') | (b'/', b'/') | (b'<', b'!' | b'/') => is_apart,
            _ => false,
        }
    }
}
