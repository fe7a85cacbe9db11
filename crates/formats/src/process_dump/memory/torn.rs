//! Reads a truncated dump.

use std::borrow::Cow;

/// The maximum nesting depth at which a truncated dump may be cut.
const DEEPEST: usize = 6;

/// Completes truncated JSON: keeps everything up to the last complete value, then closes all
/// brackets that are open there. Returns whether it was truncated.
pub(super) fn closed(text: &[u8]) -> (Cow<'_, [u8]>, bool) {
    let (mut open, mut whole) = (Vec::new(), (0, Vec::new()));
    let (mut in_text, mut at) = (false, 0);
    while at < text.len() {
        match text[at] {
            b'"' => in_text = !in_text,
            b'\\' if in_text => at += 1,
            _ if in_text => {}
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' => {
                open.pop();
                if open.is_empty() {
                    return (Cow::Borrowed(&text[..=at]), false);
                }
                if open.len() <= DEEPEST {
                    whole = (at + 1, open.clone());
                }
            }
            _ => {}
        }
        at += 1;
    }
    let (end, brackets) = whole;
    let rest = brackets.iter().rev();
    let closed = text[..end].iter().chain(rest).copied().collect();
    (Cow::Owned(closed), true)
}
