//! Numbers with units, and names that are safe to print.

use std::borrow::Cow;

use traceloom_host::is_command;

/// A duration in a suitable unit: `812 ns`, `12.5 µs`, `3.204 ms`, `1.250 s`.
pub fn duration(ns: i64) -> String {
    let size = ns.unsigned_abs();
    match size {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{:.1} µs", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.3} ms", ns as f64 / 1e6),
        _ => format!("{:.3} s", ns as f64 / 1e9),
    }
}

/// A duration in milliseconds with three decimals, as in Traceview.
pub fn ms(ns: i64) -> String {
    mean_ms(ns as f64)
}

/// Like [`ms`], for a mean in ns, which may have a fraction.
pub fn mean_ms(ns: f64) -> String {
    format!("{:.3}", ns / 1e6)
}

/// Like [`mean_ms`], for a difference: always with a sign.
pub fn signed_ms(ns: f64) -> String {
    format!("{:+.3}", ns / 1e6)
}

/// A size in a suitable unit: `812 bytes`, `12.5 KB`, `3.2 MB`, `1.6 GB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// A count with thousands separators: `1,234,567`.
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

/// A number of things: `1 slice`, `1,234 slices`.
pub fn count(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{} {what}s", thousands(count)),
    }
}

/// The longest name shown, characters. Recorders truncate names at 1024 bytes.
pub const LONGEST_NAME: usize = 1200;

/// A name from a trace that is safe to print: control characters, which a terminal would execute,
/// become visible escapes. The middle of a name longer than [`LONGEST_NAME`] is omitted; CSV and
/// JSON have the complete name.
pub fn plain(name: &str) -> Cow<'_, str> {
    cut(name, LONGEST_NAME)
}

/// Like [`plain`], for lists with entries of one or two lines. The middle of a longer text is
/// omitted.
pub fn brief(text: &str) -> Cow<'_, str> {
    cut(text, 160)
}

fn cut(name: &str, most: usize) -> Cow<'_, str> {
    match elided(name, most) {
        Some(short) => Cow::Owned(escaped(&short).into_owned()),
        None => escaped(name),
    }
}

/// The beginning and the end of a name that is too long, with a mark between them; `None` if it is
/// not too long.
fn elided(name: &str, most: usize) -> Option<String> {
    // The number of bytes is an upper bound for the number of characters.
    if name.len() <= most {
        return None;
    }
    let half = most / 2;
    let (front_end, _) = name.char_indices().nth(half)?;
    let (back_start, _) = name.char_indices().rev().nth(half - 2)?;
    // The mark replaces at least two characters.
    let is_longer = name.get(front_end..back_start)?.chars().nth(1).is_some();
    is_longer.then(|| format!("{}…{}", &name[..front_end], &name[back_start..]))
}

fn escaped(name: &str) -> Cow<'_, str> {
    if !name.chars().any(is_command) {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len() + 8);
    for c in name.chars() {
        if is_command(c) {
            out.extend(c.escape_default())
        } else {
            out.push(c)
        }
    }
    Cow::Owned(out)
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
    fn very_long_names_lose_their_middle() {
        let long = format!("begin{}end", "é".repeat(10 << 20));
        let shown = plain(&long);
        assert_eq!(shown.chars().count(), LONGEST_NAME);
        assert!(shown.starts_with("beginé") && shown.ends_with("éend"));
        let fits = "é".repeat(LONGEST_NAME);
        assert_eq!(plain(&fits), fits);
    }

    #[test]
    fn a_terminal_is_not_given_commands() {
        assert_eq!(plain("ok µ"), "ok µ");
        assert_eq!(plain("a\x1b[2Jb\n"), "a\\u{1b}[2Jb\\n");
    }
}
