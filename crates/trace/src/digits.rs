//! Numbers as text.
//!
//! The standard library's digits of a float are exact, and heavier than most else that a report's
//! engine does. A browser writes the same digits: there, whoever loads the engine says how.

/// The shortest decimal that means just this number, which is finite; it may have an exponent.
#[cfg(not(target_family = "wasm"))]
pub fn shortest_digits(number: f64) -> String {
    format!("{number:?}")
}

/// The number as [`Display`](std::fmt::Display) writes it: never with an exponent.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn plain_digits(number: f64) -> String {
    number.to_string()
}

#[cfg(target_family = "wasm")]
mod of_browser {
    use std::sync::OnceLock;

    static DIGITS: OnceLock<fn(f64) -> String> = OnceLock::new();

    /// Says how a finite float is written with the fewest digits that mean just this number; the
    /// first that says so counts. Until then it is 0.
    pub fn set_digits(digits: fn(f64) -> String) {
        // Whoever comes second has nothing to add.
        let _ = DIGITS.set(digits);
    }

    /// As in other builds.
    pub fn shortest_digits(number: f64) -> String {
        DIGITS.get().map_or("0".to_owned(), |digits| digits(number))
    }

    pub(crate) fn plain_digits(number: f64) -> String {
        let sign = if number.is_sign_negative() { "-" } else { "" };
        match (number.is_nan(), number.is_infinite()) {
            (true, _) => "NaN".to_owned(),
            (_, true) => format!("{sign}inf"),
            _ => format!("{sign}{}", super::spread(&shortest_digits(number.abs()))),
        }
    }
}

#[cfg(target_family = "wasm")]
pub(crate) use of_browser::plain_digits;
#[cfg(target_family = "wasm")]
pub use of_browser::{set_digits, shortest_digits};

/// Adds a number of units that are 10^-`decimals` each: of 1 decimal, 125 is `12.5`.
pub fn push_decimal(out: &mut String, number: u64, decimals: u32) {
    let (start, mut rest, mut place) = (out.len(), number, 0);
    while place <= decimals || rest > 0 {
        if place == decimals && place > 0 {
            out.insert(start, '.');
        }
        out.insert(start, char::from(b'0' + (rest % 10) as u8));
        rest /= 10;
        place += 1;
    }
}

/// Digits without an exponent: `1.5e-7` is `0.00000015`.
#[cfg(any(target_family = "wasm", test))]
fn spread(digits: &str) -> String {
    let Some((digits, exponent)) = digits.split_once('e') else {
        return digits.to_owned();
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let point = whole.len() as i32 + exponent;
    let mut out = String::new();
    if point <= 0 {
        out += "0.";
        (point..0).for_each(|_| out.push('0'));
    }
    for (at, digit) in whole.chars().chain(part.chars()).enumerate() {
        if at > 0 && at as i32 == point {
            out.push('.');
        }
        out.push(digit);
    }
    let written = (whole.len() + part.len()) as i32;
    (written..point).for_each(|_| out.push('0'));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals() {
        let text = |number, decimals| {
            let mut out = String::from("=");
            push_decimal(&mut out, number, decimals);
            out
        };
        assert_eq!([text(0, 0), text(907, 0)], ["=0", "=907"]);
        assert_eq!([text(0, 1), text(125, 1)], ["=0.0", "=12.5"]);
        assert_eq!([text(7, 3), text(1234, 3)], ["=0.007", "=1.234"]);
        assert_eq!(text(u64::MAX, 0), "=18446744073709551615");
    }

    #[test]
    fn exponents_are_spread_as_the_standard_library_does() {
        for number in [
            1e-7,
            1.5e-7,
            5e-324,
            1e21,
            1.234e25,
            12.5,
            1.0,
            0.25,
            f64::MAX,
            2.5e1,
        ] {
            assert_eq!(spread(&format!("{number:e}")), number.to_string());
            assert_eq!(spread(&number.to_string()), number.to_string());
        }
    }
}
