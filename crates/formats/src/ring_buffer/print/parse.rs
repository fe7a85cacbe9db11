//! Parses C expressions.

use super::super::format::EventFormat;
use super::args::literal;
use super::constants::CONSTANTS;
use super::expr::Operator::{self, *};
use super::expr::{Expr, Names, cut};

/// The operators with their precedence, longest first.
const OPERATORS: &[(&str, Operator, u8)] = &[
    ("||", Or, 1),
    ("&&", And, 2),
    ("==", Equal, 6),
    ("!=", NotEqual, 6),
    ("<<", ShiftLeft, 8),
    (">>", ShiftRight, 8),
    ("<=", LessEqual, 7),
    (">=", GreaterEqual, 7),
    ("|", BitOr, 3),
    ("^", BitXor, 4),
    ("&", BitAnd, 5),
    ("<", Less, 7),
    (">", Greater, 7),
    ("+", Plus, 9),
    ("-", Minus, 9),
    ("*", Times, 10),
    ("/", Divide, 10),
    ("%", Rest, 10),
];

/// The maximum nesting depth. The kernel's macros stay below it.
const DEEPEST: u32 = 64;

/// The maximum number of values and operators outside tables of names. The limit is needed because
/// the expressions are evaluated for each event.
const MOST_PARTS: u32 = 400;

impl Expr {
    /// Parses an expression; `None` if it uses an unknown construct.
    pub fn parse(text: &str, format: &EventFormat) -> Option<Self> {
        let mut parser = Parser {
            rest: text,
            format,
            depth: 0,
            parts: 0,
        };
        let expr = parser.choice()?;
        parser.rest.trim().is_empty().then_some(expr)
    }
}

struct Parser<'t> {
    rest: &'t str,
    format: &'t EventFormat,
    depth: u32,
    parts: u32,
}

impl<'t> Parser<'t> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, token: &str) -> Option<()> {
        self.space();
        self.rest = self.rest.strip_prefix(token)?;
        Some(())
    }

    fn word(&mut self) -> Option<&'t str> {
        self.space();
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let end = self.rest.find(|letter| !is_word(letter));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        (!word.is_empty()).then(|| self.rest = rest)?;
        Some(word)
    }

    /// Parses `condition ? a : b`, or a plain expression.
    fn choice(&mut self) -> Option<Expr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let condition = self.binary(0)?;
        let expr = if self.take("?").is_some() {
            let then = self.choice()?;
            self.take(":")?;
            let other = self.choice()?;
            Expr::Choice(Box::new([condition, then, other]))
        } else {
            condition
        };
        self.depth -= 1;
        Some(expr)
    }

    fn binary(&mut self, weakest: u8) -> Option<Expr> {
        let mut left = self.unary()?;
        loop {
            self.space();
            let mut operators = OPERATORS.iter();
            let next = operators.find(|(token, ..)| self.rest.starts_with(token));
            let Some(&(token, operator, strength)) = next.filter(|next| next.2 > weakest) else {
                return Some(left);
            };
            self.rest = &self.rest[token.len()..];
            let right = self.binary(strength)?;
            left = Expr::binary(operator, left, right);
        }
    }

    fn unary(&mut self) -> Option<Expr> {
        self.depth += 1;
        self.parts += 1;
        if self.depth > DEEPEST || self.parts > MOST_PARTS {
            return None;
        }
        let expr = self.unary_or_primary()?;
        self.depth -= 1;
        Some(expr)
    }

    fn unary_or_primary(&mut self) -> Option<Expr> {
        self.space();
        let first = self.rest.chars().next()?;
        // All operators below are one byte long.
        let rest = self.rest.get(1..).unwrap_or_default();
        let inner = |parser: &mut Self| {
            parser.rest = rest;
            parser.unary()
        };
        Some(match first {
            '-' => Expr::binary(Minus, Expr::Int(0), inner(self)?),
            '+' => inner(self)?,
            '!' => match inner(self)? {
                Expr::Int(value) => Expr::Int((value == 0).into()),
                other => Expr::Not(Box::new(other)),
            },
            '~' => match inner(self)? {
                Expr::Int(value) => Expr::Int(!value),
                other => Expr::Invert(Box::new(other)),
            },
            '(' => return self.bracket(),
            '"' => return self.text(),
            '0'..='9' => return self.number(),
            '\'' => return self.character(),
            _ => return self.named(),
        })
    }

    /// Parses `(type) x` or `(x)`.
    fn bracket(&mut self) -> Option<Expr> {
        if let Some((size, signed)) = self.cast() {
            let inner = self.unary()?;
            return Some(match (size, inner) {
                (8, inner) => inner,
                (size, Expr::Int(value)) => Expr::Int(cut(value, size, signed)),
                (size, inner) => Expr::Cast(size, signed, Box::new(inner)),
            });
        }
        self.take("(")?;
        let inner = self.choice()?;
        self.take(")")?;
        Some(inner)
    }

    /// Parses `(type)` before a value. Returns its size, and whether it is signed.
    fn cast(&mut self) -> Option<(u8, bool)> {
        let inner = self.rest.strip_prefix('(')?;
        let (kind, rest) = inner.split_once(')')?;
        let is_type = |letter: char| letter.is_ascii_alphanumeric() || " _*".contains(letter);
        let value_follows = rest
            .trim_start()
            .starts_with(|next: char| next.is_ascii_alphanumeric() || "_(\"~!".contains(next));
        let starts = kind
            .trim_start()
            .starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        if !(value_follows && starts && kind.chars().all(is_type)) {
            return None;
        }
        self.rest = rest;
        let signed = !kind.contains('u');
        let words: Vec<&str> = kind.split_whitespace().collect();
        Some(match words[..] {
            ["u8" | "__u8" | "s8" | "__s8"] => (1, signed),
            ["u16" | "__u16" | "s16" | "__s16"] => (2, signed),
            ["u32" | "__u32" | "s32" | "__s32" | "int" | "unsigned"] | ["unsigned", "int"] => {
                (4, signed)
            }
            _ => (8, signed),
        })
    }

    fn text(&mut self) -> Option<Expr> {
        let mut end = 1;
        let bytes = self.rest.as_bytes();
        loop {
            match *bytes.get(end)? {
                b'\\' => end += 2,
                b'"' => break,
                _ => end += 1,
            }
        }
        let text = literal(self.rest.get(..=end)?)?;
        self.rest = &self.rest[end + 1..];
        Some(Expr::Text(text))
    }

    fn number(&mut self) -> Option<Expr> {
        let word = self.word()?;
        let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
        let lower = digits.to_ascii_lowercase();
        let value = match lower.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok()?,
            None if lower.len() > 1 && lower.starts_with('0') => {
                u64::from_str_radix(&lower, 8).ok()?
            }
            None => lower.parse().ok()?,
        };
        Some(Expr::Int(value as i64))
    }

    fn character(&mut self) -> Option<Expr> {
        let mut letters = self.rest[1..].chars();
        let letter = letters
            .next()
            .filter(|letter| letter.is_ascii() && *letter != '\\')?;
        (letters.next() == Some('\'')).then(|| self.rest = &self.rest[3..])?;
        Some(Expr::Int(letter as i64))
    }

    /// Parses a field, a constant or a call.
    fn named(&mut self) -> Option<Expr> {
        let word = self.word()?;
        if word == "REC" {
            self.take("->")?;
            let field = self.field()?;
            self.space();
            let is_plain = !self.rest.starts_with(['[', '.']) && !self.rest.starts_with("->");
            return is_plain.then_some(field);
        }
        if self.take("(").is_some() {
            return self.call(word);
        }
        let constant = CONSTANTS.iter().find(|(name, _)| *name == word);
        constant.map(|(_, value)| Expr::Int(*value))
    }

    fn field(&mut self) -> Option<Expr> {
        let name = self.word()?;
        let mut fields = self.format.fields.iter();
        fields.position(|field| field.name == name).map(Expr::Field)
    }

    fn call(&mut self, function: &str) -> Option<Expr> {
        let expr = match function {
            "__get_str" | "__get_rel_str" | "__get_dynamic_array" | "__get_rel_dynamic_array" => {
                self.field()?
            }
            "__print_symbolic" | "__print_symbolic_u64" => {
                let value = self.choice()?;
                Expr::Symbol(Box::new(value), self.names())
            }
            "__print_flags" | "__print_flags_u64" => {
                let value = self.choice()?;
                self.take(",")?;
                self.space();
                let Expr::Text(between) = self.text()? else {
                    return None;
                };
                Expr::Flags(Box::new(value), between, self.names())
            }
            _ => return None,
        };
        self.take(")")?;
        Some(expr)
    }

    /// Parses `, { 1, "one" }, { 2, "two" }`. Entries with an unknown number are skipped.
    fn names(&mut self) -> Names {
        let mut names = Names::new();
        while self.take(",").is_some() && self.take("{").is_some() {
            let before = self.rest;
            if let Some(entry) = self.entry() {
                names.push(entry);
            } else {
                self.rest = before.find('}').map_or("", |end| &before[end + 1..]);
            }
        }
        names
    }

    fn entry(&mut self) -> Option<(i64, Vec<u8>)> {
        let (depth, parts) = (self.depth, self.parts);
        let value = self.choice();
        (self.depth, self.parts) = (depth, parts);
        let value = value?.constant()?;
        self.take(",")?;
        self.space();
        let Expr::Text(name) = self.text()? else {
            return None;
        };
        self.take("}")?;
        Some((value, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format() -> EventFormat {
        let text = "name: e\nID: 1\n\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n\
            \tfield:int b;\toffset:12;\tsize:4;\tsigned:1;\n";
        EventFormat::parse("s", text.as_bytes()).unwrap()
    }

    fn constant(text: &str) -> Option<i64> {
        Expr::parse(text, &format())?.constant()
    }

    #[test]
    fn constants_are_folded_as_c_does() {
        for (text, value) in [
            ("1 + 2 * 3", 7),
            ("(1 + 2) * 3", 9),
            ("10 - 2 - 3", 5),
            (
                "((((0x00000000 | 0x00000001 | 0x00000002) + 1) << 1) - 1)",
                7,
            ),
            ("(unsigned long)((( gfp_t)0x10u) | (( gfp_t)0x40u))", 0x50),
            ("~0U & 0xff", 0xff),
            ("-1", -1),
            ("1 << 4 | 1 == 1 && 0", 0),
            ("HI_SOFTIRQ", 0),
            ("010", 8),
            ("'A'", 65),
            ("5 / 0", 0),
        ] {
            assert_eq!(constant(text), Some(value), "{text}");
        }
    }

    #[test]
    fn names_of_numbers() {
        let text =
            "__print_symbolic(REC->b, { 0, \"HI\" }, { NO_SUCH, \"?\" }, { (1 << 1), \"NET\" })";
        let expr = Expr::parse(text, &format()).unwrap();
        let names = vec![(0, b"HI".to_vec()), (2, b"NET".to_vec())];
        assert_eq!(expr, Expr::Symbol(Box::new(Expr::Field(1)), names));
        let text = "(REC->a) ? __print_flags(REC->a, \"|\", {1, \"x\"}) : \"none\"";
        assert!(matches!(
            Expr::parse(text, &format()),
            Some(Expr::Choice(_))
        ));
    }

    #[test]
    fn what_is_not_known_is_none_and_depth_has_a_limit() {
        for text in [
            "REC->c",
            "f(REC->a)",
            "REC->a[1]",
            "&REC->a",
            "",
            "1 +",
            "1 2",
            "\"a",
            "'",
            "REC->a->b",
        ] {
            assert_eq!(Expr::parse(text, &format()), None, "{text}");
        }
        for open in ["(", "-", "~(", "1?", "__print_symbolic("] {
            assert_eq!(Expr::parse(&open.repeat(100_000), &format()), None);
        }
    }
}
