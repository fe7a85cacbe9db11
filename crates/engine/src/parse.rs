//! Reading the JSON of questions.

/// A value of a question. Objects within are passed over: no question has any.
#[derive(Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Value>),
    Object,
}

/// A number: as a float, and exactly where it is written as a whole number of 64 bits.
#[derive(Debug)]
pub(crate) struct Number {
    pub value: f64,
    pub whole: Option<u64>,
}

impl Value {
    /// A row number.
    pub fn row(&self) -> Option<u32> {
        match self {
            Value::Number(number) => number.whole.and_then(|row| u32::try_from(row).ok()),
            _ => None,
        }
    }
}

/// Lists in lists that are read: questions are hostile.
const DEEPEST: u32 = 100;

/// A place in a text.
pub(crate) struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str) -> Self {
        let (at, depth) = (0, 0);
        Self { text, at, depth }
    }

    /// Where it stands, in bytes.
    pub fn place(&self) -> usize {
        self.at
    }

    /// Nothing more.
    pub fn end(&mut self) -> Option<()> {
        self.space();
        (self.at == self.text.len()).then_some(())
    }

    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\t' | b'\r') {
            self.at += 1;
        }
    }

    /// Takes `byte`, with space before it.
    fn take(&mut self, byte: u8) -> bool {
        self.space();
        let is_it = self.peek() == byte;
        self.at += usize::from(is_it);
        is_it
    }

    fn need(&mut self, byte: u8) -> Option<()> {
        self.take(byte).then_some(())
    }

    /// Items with commas between them, up to `end`.
    fn items(&mut self, end: u8, item: &mut dyn FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        if !self.take(end) {
            item(self)?;
            while self.take(b',') {
                item(self)?;
            }
            self.need(end)?;
        }
        self.depth -= 1;
        Some(())
    }

    /// An object: each name, its value and that value's text.
    pub fn object(&mut self, each: &mut dyn FnMut(String, Value, &'a str)) -> Option<()> {
        self.need(b'{')?;
        self.items(b'}', &mut |parser| {
            parser.need(b'"')?;
            let name = parser.string()?;
            parser.need(b':')?;
            parser.space();
            let start = parser.at;
            let value = parser.value()?;
            each(name, value, parser.text.get(start..parser.at)?);
            Some(())
        })
    }

    fn value(&mut self) -> Option<Value> {
        self.space();
        match self.peek() {
            b'{' => {
                self.object(&mut |_, _, _| ())?;
                Some(Value::Object)
            }
            b'[' => {
                self.at += 1;
                let mut values = Vec::new();
                self.items(b']', &mut |parser| {
                    values.push(parser.value()?);
                    Some(())
                })?;
                Some(Value::List(values))
            }
            b'"' => {
                self.at += 1;
                self.string().map(Value::Text)
            }
            b'n' => self.word("null", Value::Null),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            _ => self.number().map(Value::Number),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Option<Value> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let is_it = rest.starts_with(word.as_bytes());
        self.at += word.len();
        is_it.then_some(value)
    }

    /// The rest of a text, after its first quote.
    fn string(&mut self) -> Option<String> {
        let mut out = String::new();
        let mut chars = self.text.get(self.at..)?.chars();
        loop {
            match chars.next()? {
                '"' => break,
                '\\' => out.push(match chars.next()? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    same @ ('"' | '\\' | '/') => same,
                    'u' => escaped(&mut chars)?,
                    _ => return None,
                }),
                '\0'..' ' => return None,
                plain => out.push(plain),
            }
        }
        self.at = self.text.len() - chars.as_str().len();
        Some(out)
    }

    /// Digits from here on; how many.
    fn digits(&mut self, each: &mut dyn FnMut(u8)) -> Option<()> {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            each(self.peek() - b'0');
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    /// A number, as exact as most readers have it: the last bit may be another one where it has
    /// more than 15 digits and a fraction.
    fn number(&mut self) -> Option<Number> {
        let start = self.at;
        let minus = self.peek() == b'-';
        self.at += usize::from(minus);
        let (mut all, mut exponent, mut whole) = (0u64, 0i32, true);
        let mut add = |digit: u8, place: i32| match all.checked_mul(10) {
            Some(more) if whole && more.checked_add(digit.into()).is_some() => {
                all = more + u64::from(digit);
                exponent -= place;
            }
            // Beyond what a float tells apart; only how many there are counts.
            _ => {
                exponent = exponent.saturating_add(1 - place);
                whole = false;
            }
        };
        let first = self.peek();
        self.digits(&mut |digit| add(digit, 0))?;
        let length = self.at - start - usize::from(minus);
        if first == b'0' && length > 1 {
            return None;
        }
        let mut fraction = false;
        if self.peek() == b'.' {
            self.at += 1;
            fraction = true;
            self.digits(&mut |digit| add(digit, 1))?;
        }
        if matches!(self.peek(), b'e' | b'E') {
            fraction = true;
            let more = self.exponent()?;
            exponent = exponent.saturating_add(more);
        }
        let value = scaled(all as f64, exponent);
        if value.is_infinite() {
            return None;
        }
        let exact = whole && !fraction && !minus;
        Some(Number {
            value: if minus { -value } else { value },
            whole: exact.then_some(all),
        })
    }

    fn exponent(&mut self) -> Option<i32> {
        self.at += 1;
        let minus = self.peek() == b'-';
        self.at += usize::from(minus || self.peek() == b'+');
        let mut exponent = 0i32;
        self.digits(&mut |digit| exponent = (exponent * 10 + i32::from(digit)).min(99_999))?;
        Some(if minus { -exponent } else { exponent })
    }
}

/// `value` times ten to the power of `exponent`. Powers up to 22 are exact, so what people and
/// pages write is rounded once.
fn scaled(mut value: f64, exponent: i32) -> f64 {
    let mut rest = exponent.unsigned_abs();
    while rest > 0 && value != 0.0 && value.is_finite() {
        let step = rest.min(22);
        let power = (0..step).fold(1.0, |power, _| power * 10.0);
        value = if exponent < 0 {
            value / power
        } else {
            value * power
        };
        rest -= step;
    }
    value
}

/// What `\u` and four digits mean; two of them for what one does not reach.
fn escaped(chars: &mut std::str::Chars<'_>) -> Option<char> {
    let first = unit(chars)?;
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first);
    }
    let both = (chars.next()?, chars.next()?) == ('\\', 'u');
    let second = unit(chars).filter(|second| both && (0xdc00..0xe000).contains(second))?;
    char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00))
}

fn unit(chars: &mut std::str::Chars<'_>) -> Option<u32> {
    let mut unit = 0;
    for _ in 0..4 {
        unit = unit << 4 | chars.next()?.to_digit(16)?;
    }
    Some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<Value> {
        let mut parser = Parser::new(text);
        let value = parser.value()?;
        parser.end().map(|()| value)
    }

    #[test]
    fn what_another_reader_takes_is_taken_and_nothing_else() {
        for text in [
            "1",
            "-1",
            "0",
            "-0",
            "01",
            "1.",
            ".5",
            "1.5e3",
            "1e",
            "1e+",
            "-",
            "+1",
            "1e400",
            "4294967295",
            "18446744073709551615",
            "18446744073709551616",
            "1.0",
            "nul",
            "null",
            "true",
            "tru",
            "[1,2]",
            "[1,]",
            "[,]",
            "[]",
            "[ ]",
            "{}",
            "{\"a\":1,}",
            "{\"a\" : [ {} ] }",
            "{a:1}",
            "\"\\u00e4\\ud83d\\ude00\"",
            "\"\\ud83d\"",
            "\"\\x\"",
            "\"a\nb\"",
            "\"",
            "1 2",
            "",
            "1234567890123456789012345678901234567890",
            "0.00000000000000000000000000012345",
        ] {
            let theirs = serde_json::from_str::<serde_json::Value>(text);
            let ours = value(text);
            assert_eq!(ours.is_some(), theirs.is_ok(), "{text}");
            match (ours, theirs) {
                (Some(Value::Number(ours)), Ok(theirs)) => {
                    assert_eq!(ours.whole, theirs.as_u64(), "{text}");
                    let theirs = theirs.as_f64().unwrap();
                    assert!(
                        (ours.value - theirs).abs() <= theirs.abs() * 1e-15,
                        "{text}"
                    );
                }
                (Some(Value::Text(ours)), Ok(theirs)) => assert_eq!(ours, theirs.as_str().unwrap()),
                _ => {}
            }
        }
    }

    #[test]
    fn numbers_of_a_page_are_exact() {
        for number in [
            0.1,
            123456.75,
            8.5e12,
            1e22,
            3.25125,
            1e-7,
            4503599627370497.0,
        ] {
            let Some(Value::Number(ours)) = value(&number.to_string()) else {
                panic!("{number}")
            };
            assert_eq!(ours.value, number);
        }
    }

    #[test]
    fn deep_lists_end() {
        assert!(value(&"[".repeat(100_000)).is_none());
        assert!(value(&"{\"a\":".repeat(100_000)).is_none());
    }
}
