//! Padding to a width that may come from a trace.
//!
//! The widths in Rust's format strings are limited to 65,535; a larger width panics. Therefore only
//! constant widths are used in format strings, and all others go through this module.

use std::fmt::{Display, Formatter, Result};

/// A piece of padding.
const BLANKS: &str = "                                                                ";

/// Blanks.
pub fn spaces(count: usize) -> impl Display {
    Spaces(count)
}

/// Left-aligned text in a column of this width, characters. A longer text is not cut.
pub fn left(text: &str, width: usize) -> impl Display {
    let blanks = Spaces(missing(text, width));
    Joined(text, blanks, Side::Left)
}

/// Right-aligned text in a column of this width, characters. A longer text is not cut.
pub fn right(text: &str, width: usize) -> impl Display {
    let blanks = Spaces(missing(text, width));
    Joined(text, blanks, Side::Right)
}

fn missing(text: &str, width: usize) -> usize {
    width.saturating_sub(text.chars().count())
}

struct Spaces(usize);

impl Display for Spaces {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let mut rest = self.0;
        while rest > BLANKS.len() {
            f.write_str(BLANKS)?;
            rest -= BLANKS.len();
        }
        f.write_str(BLANKS.get(..rest).unwrap_or_default())
    }
}

enum Side {
    Left,
    Right,
}

struct Joined<'a>(&'a str, Spaces, Side);

impl Display for Joined<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self(text, blanks, side) = self;
        match side {
            Side::Left => write!(f, "{text}{blanks}"),
            Side::Right => write!(f, "{blanks}{text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_padded_to_any_width() {
        assert_eq!(left("é", 3).to_string(), "é  ");
        assert_eq!(right("ab", 5).to_string(), "   ab");
        assert_eq!(right("long", 2).to_string(), "long");
        for width in [0, 63, 64, 65, 128, 65_535, 65_536, 1_000_000] {
            assert_eq!(spaces(width).to_string(), " ".repeat(width));
        }
    }
}
