//! CSV as in RFC 4180, with `\n` as line end.

use std::borrow::Cow;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;

/// Whether the CSV of this run must be safe to open in a spreadsheet.
static IS_SAFE: AtomicBool = AtomicBool::new(false);

/// With `--csv-safe`, all CSV of this run is safe to open in a spreadsheet: a `'` is put before each
/// field that a spreadsheet would run as a formula.
pub fn csv_for_spreadsheets(is_safe: bool) {
    IS_SAFE.store(is_safe, Ordering::Relaxed);
}

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
        let is_guarded = IS_SAFE.load(Ordering::Relaxed) && is_formula(field.as_ref());
        let guard = if is_guarded { "'" } else { "" };
        let field = [guard, field.as_ref()].concat();
        write!(out, "{comma}{}", quoted(&field))?;
    }
    writeln!(out)?;
    Ok(())
}

/// Whether a spreadsheet would run the field as a formula. Numbers are excluded.
fn is_formula(field: &str) -> bool {
    let begins = |c: char| {
        matches!(
            c,
            '=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠'
        )
    };
    field.starts_with(begins) && field.parse::<f64>().is_err()
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
    fn formulas_are_not_numbers() {
        for formula in ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "＝1", "-"] {
            assert!(is_formula(formula), "{formula}");
        }
        for plain in [
            "",
            "1",
            "-1",
            "-1.5",
            "+2",
            "a=1",
            "java.lang.Object",
            "<init>",
        ] {
            assert!(!is_formula(plain), "{plain}");
        }
    }

    #[test]
    fn fields_are_quoted_where_needed() {
        let mut out = Vec::new();
        csv_line(&mut out, ["plain", "a,b", "say \"x\"", "two\nlines", ""]).unwrap();
        let line = String::from_utf8(out).unwrap();
        assert_eq!(line, "plain,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\n");
    }
}
