//! CSV as in RFC 4180, with `\n` as line end.

use std::borrow::Cow;
use std::io::Write;

use anyhow::Result;

/// Writes one line of CSV.
///
/// # Errors
/// If `out` cannot be written.
pub fn csv_line<T: AsRef<str>>(
    out: &mut dyn Write,
    fields: impl IntoIterator<Item = T>,
) -> Result<()> {
    for (number, field) in fields.into_iter().enumerate() {
        let comma = if number > 0 { "," } else { "" };
        write!(out, "{comma}{}", quoted(field.as_ref()))?;
    }
    writeln!(out)?;
    Ok(())
}

/// A field. It is quoted, with its quotes doubled, if it contains a character special to CSV.
fn quoted(field: &str) -> Cow<'_, str> {
    let special = |c: char| matches!(c, ',' | '"' | '\n' | '\r');
    let spaced = field.starts_with(' ') || field.ends_with(' ');
    if field.contains(special) || spaced {
        Cow::Owned(format!("\"{}\"", field.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_needed() {
        let mut out = Vec::new();
        csv_line(&mut out, ["plain", "a,b", "say \"x\"", "two\nlines", ""]).unwrap();
        let line = String::from_utf8(out).unwrap();
        assert_eq!(line, "plain,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\n");
    }
}
