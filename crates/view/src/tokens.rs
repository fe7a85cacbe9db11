//! The little of JavaScript's grammar that joining modules takes: where words, strings, templates,
//! regular expressions and comments begin and end.

/// What a stretch of source is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Blanks and line ends.
    Space,
    /// A comment of either form.
    Comment,
    /// A name, keyword or number.
    Word,
    /// A string, a piece of a template, a regular expression.
    Text,
    /// One character of punctuation.
    Mark,
}

/// A stretch of source: `start..end` in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// What does not end: its name and where it starts.
pub(crate) type Open = (&'static str, usize);

/// Cuts `source` into tokens that cover every byte of it.
pub(crate) fn tokens(source: &str) -> Result<Vec<Token>, Open> {
    let mut scan = Scan {
        bytes: source.as_bytes(),
        at: 0,
        tokens: Vec::new(),
        brackets: Vec::new(),
        value_before: false,
    };
    while scan.at < scan.bytes.len() {
        scan.step()?;
    }
    Ok(scan.tokens)
}

/// What an open bracket was opened by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Plain,
    /// The condition of an `if`, `while`, `for`, `with`: a statement follows it, not an operator.
    Condition,
    /// `${` of a template.
    Hole,
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
    brackets: Vec<Bracket>,
    /// Whether a value ended just before, so that a slash divides.
    value_before: bool,
}

impl Scan<'_> {
    fn step(&mut self) -> Result<(), Open> {
        let start = self.at;
        let kind = match self.bytes[start] {
            b' ' | b'\t' | b'\r' | b'\n' => {
                self.skip(|byte| byte.is_ascii_whitespace());
                Kind::Space
            }
            b'/' => return self.slash(),
            b'"' | b'\'' => {
                self.quoted(self.bytes[start], "a string")?;
                Kind::Text
            }
            b'`' => {
                self.template(start)?;
                Kind::Text
            }
            b'}' if self.brackets.last() == Some(&Bracket::Hole) => {
                self.brackets.pop();
                self.template(start)?;
                Kind::Text
            }
            byte if is_word(byte) => {
                // A number's point belongs to it: `1.5`, but `a.b` is three tokens.
                let number = byte.is_ascii_digit();
                self.skip(|byte| is_word(byte) || (number && byte == b'.'));
                Kind::Word
            }
            byte => {
                self.at += 1;
                self.mark(byte);
                Kind::Mark
            }
        };
        self.push(kind, start);
        Ok(())
    }

    fn push(&mut self, kind: Kind, start: usize) {
        let end = self.at;
        match kind {
            Kind::Word => self.value_before = !wants_operand(&self.bytes[start..end]),
            Kind::Text => self.value_before = self.bytes[end - 1] != b'{',
            Kind::Space | Kind::Comment | Kind::Mark => {}
        }
        self.tokens.push(Token { kind, start, end });
    }

    fn skip(&mut self, more: impl Fn(u8) -> bool) {
        while self.bytes.get(self.at).is_some_and(|&byte| more(byte)) {
            self.at += 1;
        }
    }

    fn slash(&mut self) -> Result<(), Open> {
        let start = self.at;
        let kind = match self.bytes.get(start + 1) {
            Some(b'/') => {
                self.skip(|byte| byte != b'\n');
                Kind::Comment
            }
            Some(b'*') => {
                let rest = &self.bytes[start + 2..];
                let close = rest.windows(2).position(|two| two == b"*/");
                self.at += 4 + close.ok_or(("a comment", start))?;
                Kind::Comment
            }
            _ if self.value_before => {
                self.at += 1;
                self.value_before = false;
                Kind::Mark
            }
            _ => {
                self.regex()?;
                Kind::Text
            }
        };
        self.push(kind, start);
        // A regular expression is a value whatever its last byte.
        self.value_before |= kind == Kind::Text;
        Ok(())
    }

    /// Past a text that `quote` closes on the same line.
    fn quoted(&mut self, quote: u8, what: &'static str) -> Result<(), Open> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                None | Some(b'\n') => return Err((what, start)),
                Some(b'\\') => self.at += 2,
                Some(&byte) => {
                    self.at += 1;
                    if byte == quote {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn regex(&mut self) -> Result<(), Open> {
        let start = self.at;
        let mut class = false;
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                None | Some(b'\n') => return Err(("a regular expression", start)),
                Some(b'\\') => self.at += 1,
                Some(b'[') => class = true,
                Some(b']') => class = false,
                Some(b'/') if !class => break,
                Some(_) => {}
            }
            self.at += 1;
        }
        self.at += 1;
        self.skip(|byte| byte.is_ascii_alphabetic());
        Ok(())
    }

    /// Past a piece of a template: to its end, or to the `${` that interrupts it.
    fn template(&mut self, start: usize) -> Result<(), Open> {
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                None => return Err(("a template", start)),
                Some(b'\\') => self.at += 2,
                Some(b'`') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'$') if self.bytes.get(self.at + 1) == Some(&b'{') => {
                    self.at += 2;
                    self.brackets.push(Bracket::Hole);
                    return Ok(());
                }
                Some(_) => self.at += 1,
            }
        }
    }

    /// Keeps count of brackets, and of whether a value ended.
    fn mark(&mut self, byte: u8) {
        match byte {
            b'(' if self.after_condition_word() => self.brackets.push(Bracket::Condition),
            b'(' | b'[' | b'{' => self.brackets.push(Bracket::Plain),
            b')' | b']' | b'}' => {
                let opened = self.brackets.pop();
                self.value_before = opened != Some(Bracket::Condition);
                return;
            }
            // `a++ / b`: after a doubled sign what stood before it counts.
            b'+' | b'-' if self.at >= 2 && self.bytes[self.at - 2] == byte => {
                self.value_before = true;
                return;
            }
            _ => {}
        }
        self.value_before = false;
    }

    fn after_condition_word(&self) -> bool {
        let blank = |token: &&Token| !matches!(token.kind, Kind::Space | Kind::Comment);
        let last = self.tokens.iter().rev().find(blank);
        last.is_some_and(|token| {
            let word = &self.bytes[token.start..token.end];
            matches!(word, b"if" | b"while" | b"for" | b"with")
        })
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#') || byte >= 0x80
}

/// Keywords after which a slash begins a regular expression.
fn wants_operand(word: &[u8]) -> bool {
    const WORDS: [&[u8]; 14] = [
        b"return",
        b"typeof",
        b"case",
        b"in",
        b"of",
        b"delete",
        b"void",
        b"throw",
        b"new",
        b"instanceof",
        b"do",
        b"else",
        b"yield",
        b"await",
    ];
    WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kinds of all but blanks, one letter each.
    fn kinds(source: &str) -> String {
        let letter = |token: &Token| match token.kind {
            Kind::Space => "",
            Kind::Comment => "c",
            Kind::Word => "w",
            Kind::Text => "t",
            Kind::Mark => "m",
        };
        tokens(source).unwrap().iter().map(letter).collect()
    }

    #[test]
    fn slashes() {
        assert_eq!(kinds("a / b / c"), "wmwmw");
        assert_eq!(kinds("x = /a[/\"]b/gi.test(y)"), "wmtmwmwm");
        assert_eq!(kinds("if (a) /b/.test(c)"), "wmwmtmwmwm");
        assert_eq!(kinds("(a) / b /c"), "mwmmwmw");
        assert_eq!(kinds("return /a'/"), "wt");
        assert_eq!(kinds("i++ / 2 // half"), "wmmmwc");
        assert_eq!(kinds("1.5 / 2 /* c */"), "wmwc");
    }

    #[test]
    fn templates() {
        assert_eq!(kinds("`a${b}c`"), "twt");
        assert_eq!(kinds("`a${f({x: `${y}`})}` / 2"), "twmmwmtwtmmtmw");
        assert_eq!(kinds(r"`\`` + '\'' + `${/}/}`"), "tmtmttt");
    }

    #[test]
    fn what_does_not_end_is_an_error() {
        assert_eq!(tokens("a 'b").unwrap_err(), ("a string", 2));
        assert_eq!(tokens("/*").unwrap_err(), ("a comment", 0));
        assert_eq!(tokens("x = `${a").map(|_| ()), Ok(()));
        assert_eq!(tokens("x = `a").unwrap_err(), ("a template", 4));
    }
}
