//! Texts, times and arguments as JSON.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use traceloom_trace::{ArgSetId, ArgValue, Trace};

/// A string, formatted in quotes.
#[derive(Clone, Copy)]
pub(super) struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let must = |c: char| matches!(c, '"' | '\\' | '\0'..='\x1f');
        f.write_char('"')?;
        let mut rest = self.0;
        while let Some(at) = rest.find(must) {
            f.write_str(&rest[..at])?;
            match rest.as_bytes()[at] {
                b'"' => f.write_str("\\\"")?,
                b'\\' => f.write_str("\\\\")?,
                b'\n' => f.write_str("\\n")?,
                b'\t' => f.write_str("\\t")?,
                other => write!(f, "\\u{other:04x}")?,
            }
            rest = &rest[at + 1..];
        }
        f.write_str(rest)?;
        f.write_char('"')
    }
}

/// Nanoseconds, formatted as microseconds with a fraction if necessary.
#[derive(Clone, Copy)]
pub(super) struct Micros(pub i64);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let ns = self.0.unsigned_abs();
        match (ns / 1_000, ns % 1_000) {
            (micros, 0) => write!(f, "{sign}{micros}"),
            (micros, rest) => write!(f, "{sign}{micros}.{rest:03}"),
        }
    }
}

/// Writes the arguments of a set, without the enclosing braces.
pub(super) fn write_args(trace: &Trace, args: ArgSetId, out: &mut impl Write) -> io::Result<()> {
    for (n, (key, value)) in trace.args.set(args).enumerate() {
        let comma = if n == 0 { "" } else { "," };
        write!(out, "{comma}{}:", Quoted(trace.strings.get(key)))?;
        match value {
            ArgValue::Int(number) => write!(out, "{number}")?,
            ArgValue::Unsigned(number) => write!(out, "{number}")?,
            ArgValue::Bool(value) => write!(out, "{value}")?,
            // Arguments have no rows.
            ArgValue::Null | ArgValue::Row(..) => write!(out, "null")?,
            ArgValue::Json(text) => write!(out, "{}", trace.strings.get(text))?,
            ArgValue::Float(number) if number.is_finite() => write!(out, "{number}")?,
            other => write!(out, "{}", Quoted(&other.display(&trace.strings)))?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_times() {
        assert_eq!(
            Quoted("a\"b\\c\n\x01é").to_string(),
            "\"a\\\"b\\\\c\\n\\u0001é\""
        );
        assert_eq!(Micros(-1_500).to_string(), "-1.500");
        assert_eq!(Micros(2_000_001).to_string(), "2000.001");
        assert_eq!(Micros(5_000).to_string(), "5");
    }
}
