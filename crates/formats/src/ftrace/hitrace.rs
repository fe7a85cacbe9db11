//! Payloads of OpenHarmony's hitrace since version 19 of its API, which have more columns than Android's:
//!
//! ```text
//! B|pid|H:name|M62|key=value                     E|pid|M62
//! S|pid|H:name|cookie|M62|category|key=value     F|pid|H:name|cookie|M62
//! C|pid|H:name|value|M62
//! ```
//! `M62` is the level (`D`, `I`, `C` or `M`) with the numbers of the tags. The columns after it may be missing. Names
//! contain no bar. Source: "User-mode Trace Format" in OpenHarmony's documentation.

/// What a payload contains from its name on.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Columns<'a> {
    pub name: &'a [u8],
    /// The level and the tags; empty if the payload is not of this form.
    pub level: &'a [u8],
    /// The columns after the level.
    pub details: &'a [u8],
}

/// Splits `H:name|M62|key=value`. Any other text is a name.
#[inline]
pub(crate) fn columns(text: &[u8]) -> Columns<'_> {
    let found = text.starts_with(b"H:").then(|| split(text)).flatten();
    found.unwrap_or(Columns {
        name: text,
        ..Columns::default()
    })
}

/// Splits `H:name|cookie|M62|category|key=value`. Any other text is a name.
#[inline]
pub(crate) fn async_columns(text: &[u8]) -> Columns<'_> {
    let all = columns(text);
    match memchr::memrchr(b'|', all.name) {
        Some(bar) if !all.level.is_empty() => Columns {
            name: &all.name[..bar],
            ..all
        },
        _ => all,
    }
}

/// The text of the cookie in `H:name|cookie|M62|category|key=value`.
pub(crate) fn cookie(text: &[u8]) -> Option<&[u8]> {
    let all = columns(text);
    let bar = memchr::memrchr(b'|', all.name).filter(|_| !all.level.is_empty())?;
    Some(&all.name[bar + 1..])
}

#[cold]
fn split(text: &[u8]) -> Option<Columns<'_>> {
    memchr::memchr_iter(b'|', text).find_map(|bar| {
        let rest = &text[bar + 1..];
        let end = memchr::memchr(b'|', rest).unwrap_or(rest.len());
        let level = &rest[..end];
        is_level(level).then_some(Columns {
            name: &text[..bar],
            level,
            details: rest.get(end + 1..).unwrap_or(b""),
        })
    })
}

fn is_level(column: &[u8]) -> bool {
    let [b'D' | b'I' | b'C' | b'M', tags @ ..] = column else {
        return false;
    };
    !tags.is_empty() && tags.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(columns: &Columns<'_>) -> String {
        let texts = [columns.name, columns.level, columns.details];
        texts.map(String::from_utf8_lossy).join(" ")
    }

    #[test]
    fn columns_after_the_level_are_details() {
        for (text, expected) in [
            ("H:sync|M62|key=value", "H:sync M62 key=value"),
            ("H:sync|M62", "H:sync M62 "),
            (
                "H:[8b00f96b2,2,1]#onClick|I3062|a|b",
                "H:[8b00f96b2,2,1]#onClick I3062 a|b",
            ),
            ("H:sync", "H:sync  "),
            ("H:a|Mx|M|62", "H:a|Mx|M|62  "),
            ("sync|M62", "sync|M62  "),
        ] {
            assert_eq!(shown(&columns(text.as_bytes())), expected, "{text}");
        }
    }

    #[test]
    fn asynchronous_slices_have_a_cookie_before_the_level() {
        let text = b"H:async|1001|M62|category|key=value";
        assert_eq!(
            shown(&async_columns(text)),
            "H:async M62 category|key=value"
        );
        assert_eq!(cookie(text), Some(&b"1001"[..]));
        assert_eq!(shown(&async_columns(b"H:async|1001")), "H:async|1001  ");
        assert_eq!(cookie(b"H:async|1001"), None);
        assert_eq!(cookie(b"H:async|M62"), None);
    }
}
