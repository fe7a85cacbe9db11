//! Types and functions that the lists of kinds share.

/// The name of a kind, and a function that makes an input with a number of parts.
pub(super) type Kind = (&'static str, fn(usize) -> Vec<u8>);

/// A text of one piece for each number below `count`.
pub(super) fn joined(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect()
}
