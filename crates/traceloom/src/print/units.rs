//! Numbers with their units, and names that cannot harm a terminal.

use std::borrow::Cow;

/// A duration in the unit that suits its size: `812 ns`, `12.5 µs`, `3.204 ms`, `1.250 s`.
pub fn duration(ns: i64) -> String {
    let size = ns.unsigned_abs();
    match size {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{:.1} µs", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.3} ms", ns as f64 / 1e6),
        _ => format!("{:.3} s", ns as f64 / 1e9),
    }
}

/// A duration in milliseconds with three decimals, as Traceview shows times.
pub fn ms(ns: i64) -> String {
    format!("{:.3}", ns as f64 / 1e6)
}

/// A count with its thousands set apart: `1,234,567`.
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A name out of a trace, safe to print: control characters (a terminal obeys them) become
/// visible escapes.
pub fn plain(name: &str) -> Cow<'_, str> {
    if !name.chars().any(is_unsafe) {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len() + 8);
    for c in name.chars() {
        if is_unsafe(c) {
            out.extend(c.escape_default())
        } else {
            out.push(c)
        }
    }
    Cow::Owned(out)
}

/// Control characters, and the marks that turn the direction of text around.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_take_the_unit_that_suits() {
        assert_eq!(duration(812), "812 ns");
        assert_eq!(duration(12_500), "12.5 µs");
        assert_eq!(duration(3_204_000), "3.204 ms");
        assert_eq!(duration(-1_250_000_000), "-1.250 s");
        assert_eq!(ms(1_234_567), "1.235");
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(1_000), "1,000");
        assert_eq!(thousands(12_345_678), "12,345,678");
    }

    #[test]
    fn a_terminal_is_not_given_commands() {
        assert_eq!(plain("ok µ"), "ok µ");
        assert_eq!(plain("a\x1b[2Jb\n"), "a\\u{1b}[2Jb\\n");
    }
}
