//! Prints fields by the pattern of their event.

use super::patterns::{Pattern, patterns};

/// The keys of an event's fields; `None` if its pattern does not list all of them.
pub(crate) fn pattern_keys(event: &str) -> Option<impl Iterator<Item = &'static [u8]>> {
    let pattern = patterns().get(event.as_bytes())?.first()?;
    let is_complete = pattern.pieces.iter().all(|piece| piece.key != b"*");
    is_complete.then(|| pattern.pieces.iter().map(|piece| piece.key))
}

/// The text of these fields; `None` if the event has no pattern with them in this order.
pub(crate) fn by_pattern(event: &str, fields: &[(&str, String)]) -> Option<Vec<u8>> {
    let patterns = patterns().get(event.as_bytes())?;
    patterns.iter().find_map(|pattern| print(pattern, fields))
}

fn print(pattern: &Pattern, fields: &[(&str, String)]) -> Option<Vec<u8>> {
    let (mut text, mut rest) = (Vec::new(), fields.iter());
    for piece in &pattern.pieces {
        text.extend_from_slice(piece.before);
        if piece.key == b"*" {
            let rest: Vec<String> = rest.map(|(key, value)| format!("{key}={value}")).collect();
            text.extend_from_slice(rest.join(" ").as_bytes());
            return Some(text);
        }
        let (_, value) = rest.next().filter(|(key, _)| key.as_bytes() == piece.key)?;
        let digits = value.strip_prefix("0x").filter(|_| piece.is_hex);
        text.extend_from_slice(digits.unwrap_or(value).as_bytes());
    }
    text.extend_from_slice(pattern.after);
    rest.next().is_none().then_some(text)
}
