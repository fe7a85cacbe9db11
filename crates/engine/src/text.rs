//! Shortens texts of a trace for the page.

use std::borrow::Cow;

/// The maximum number of characters of a name in a list.
pub(crate) const LIST_CHARS: usize = 300;

/// The maximum number of characters of a text that is shown on its own.
pub(crate) const DETAIL_CHARS: usize = 10_000;

/// Shortens `text` to `most` characters by omitting its middle.
pub(crate) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    // The number of bytes is an upper bound for the number of characters, and needs no counting.
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let count = text.chars().count();
    if count <= most {
        return Cow::Borrowed(text);
    }
    let keep = most.saturating_sub(1);
    let (head, tail) = (keep - keep / 2, keep / 2);
    let place = |chars: usize| {
        text.char_indices()
            .nth(chars)
            .map_or(text.len(), |(at, _)| at)
    };
    let start = text.get(..place(head)).unwrap_or_default();
    let end = text.get(place(count - tail)..).unwrap_or_default();
    Cow::Owned([start, "…", end].concat())
}

/// Like [`cut`], without a copy if nothing is omitted.
pub(crate) fn shortened(text: String, most: usize) -> String {
    match cut(&text, most) {
        Cow::Borrowed(_) => text,
        Cow::Owned(short) => short,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_goes() {
        assert_eq!(cut("abcdefgh", 8), "abcdefgh");
        assert_eq!(cut("abcdefgh", 5), "ab…gh");
        assert_eq!(cut("äöüßäöüß", 4), "äö…ß");
        assert_eq!(cut("äöüß", 4), "äöüß");
    }
}
