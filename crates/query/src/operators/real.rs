//! Real numbers as text.

/// Significant digits, as in SQLite.
const DIGITS: usize = 15;

/// A number with 15 significant digits, as C's `%.15g` writes it; with `.0` if it is whole and `marks_whole`, as SQLite
/// writes it.
pub(crate) fn text(value: f64, marks_whole: bool) -> String {
    if !value.is_finite() {
        return format!("{value}").to_lowercase();
    }
    let scientific = format!("{value:.*e}", DIGITS - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..DIGITS as i32).contains(&exponent) {
        let decimals = usize::try_from(DIGITS as i32 - 1 - exponent).unwrap_or(0);
        let text = trimmed(&format!("{value:.decimals$}")).to_owned();
        let is_whole = !text.contains('.');
        return if is_whole && marks_whole {
            text + ".0"
        } else {
            text
        };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    let mut mantissa = trimmed(mantissa).to_owned();
    if marks_whole && !mantissa.contains('.') {
        mantissa += ".0";
    }
    format!("{mantissa}e{sign}{:02}", exponent.abs())
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
        ] {
            let sql = "SELECT CAST(?1 AS TEXT)";
            let expected: String = sqlite.query_row(sql, [value], |row| row.get(0)).unwrap();
            assert_eq!(text(value, true), expected, "{value:e}");
        }
        assert_eq!(text(2.0, false), "2");
    }
}
