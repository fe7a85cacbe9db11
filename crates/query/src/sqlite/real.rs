//! Converts real numbers to text. SQLite formats them, so that they look like the results of its own functions.

use std::ffi::{CStr, c_char, c_int};

use rusqlite::ffi;

/// A number as `CAST(value AS TEXT)` writes it: at most 17 significant digits, and `.0` if it is whole.
pub(crate) fn text(value: f64) -> String {
    formatted(c"%!.17g", value)
}

/// A number as `printf("%.15g")` writes it in C.
pub(crate) fn short_text(value: f64) -> String {
    formatted(c"%.15g", value)
}

/// Formats one number. The longest result is -2.2250738585072014e-308.
fn formatted(format: &CStr, value: f64) -> String {
    let mut buffer = [0u8; 64];
    // SAFETY: SQLite writes at most this many bytes, including a NUL at the end. The format takes one number.
    unsafe {
        let (size, start) = (buffer.len() as c_int, buffer.as_mut_ptr().cast::<c_char>());
        ffi::sqlite3_snprintf(size, start, format.as_ptr(), value);
    }
    let text = CStr::from_bytes_until_nul(&buffer).unwrap_or_default();
    text.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::{short_text, text};

    #[test]
    fn numbers_look_as_in_sqlite() {
        let sqlite = rusqlite::Connection::open_in_memory().unwrap();
        for value in [
            0.0,
            1.0,
            -2.5,
            0.1,
            1e15,
            123_456.789,
            1e-5,
            1e300,
            -2.2250738585072014e-308,
            1.0 / 3.0,
            f64::INFINITY,
        ] {
            let sql = "SELECT CAST(?1 AS TEXT)";
            let expected: String = sqlite.query_row(sql, [value], |row| row.get(0)).unwrap();
            assert_eq!(text(value), expected, "{value:e}");
        }
        assert_eq!(short_text(2.0), "2");
        assert_eq!(short_text(0.1), "0.1");
    }
}
