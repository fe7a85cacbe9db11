//! Real numbers as text.

/// Digits after the first one. SQLite has 15 significant digits.
const DIGITS: usize = 14;

/// A number with 15 significant digits, as C's `%.15g` writes it; with `.0` if it is whole and `marks_whole`, as SQLite
/// writes it.
pub(crate) fn text(value: f64, marks_whole: bool) -> String {
    if !value.is_finite() {
        return format!("{value}").to_lowercase();
    }
    let scientific = format!("{value:.DIGITS$e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let is_plain = (-4..=DIGITS as i32).contains(&exponent);
    let number = if is_plain {
        plain(mantissa, exponent)
    } else {
        mantissa.to_owned()
    };
    let mut text = trimmed(&number).to_owned();
    if marks_whole && !text.contains('.') {
        text += ".0";
    }
    if is_plain {
        return text;
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{text}e{sign}{:02}", exponent.abs())
}

/// Moves the point of a mantissa (`-1.25`) by an exponent from -4 to [`DIGITS`].
fn plain(mantissa: &str, exponent: i32) -> String {
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits = mantissa.replace('.', "");
    let zeros = "0".repeat(usize::try_from(-exponent).unwrap_or(0));
    let digits = zeros + &digits;
    let (whole, part) = digits.split_at(usize::try_from(exponent).unwrap_or(0) + 1);
    format!("{sign}{whole}.{part}")
}

/// Without zeros at the end of the decimals.
fn trimmed(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn numbers_look_as_in_sqlite() {
        let sqlite = rusqlite::Connection::open_in_memory().unwrap();
        for value in [
            0.0,
            1.0,
            -2.5,
            0.1,
            1e15,
            1e14,
            123_456.789,
            1e-4,
            1e-5,
            -1e-7,
            1e300,
            2.5e-300,
            1.0 / 3.0,
            9e15,
            -0.001_25,
            999_999_999_999_999.9,
        ] {
            let sql = "SELECT CAST(?1 AS TEXT)";
            let expected: String = sqlite.query_row(sql, [value], |row| row.get(0)).unwrap();
            assert_eq!(text(value, true), expected, "{value:e}");
        }
        assert_eq!(text(2.0, false), "2");
    }
}
