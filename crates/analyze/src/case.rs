//! Small letters, and texts within texts.
//!
//! The tables of all letters are heavier than anything else that a report's engine would need
//! them for, and a browser has its own: there, whoever loads the engine says how.

#[cfg(target_family = "wasm")]
mod of_browser {
    use std::sync::OnceLock;

    static LOWERCASE: OnceLock<fn(&str) -> String> = OnceLock::new();

    /// Says how texts become lowercase; the first that says so counts. Until then only ASCII
    /// letters do.
    pub fn set_lowercase(lowercase: fn(&str) -> String) {
        // Whoever comes second has nothing to add.
        let _ = LOWERCASE.set(lowercase);
    }

    /// Not by the standard library's quicker search, which is heavy.
    pub(crate) fn contains(text: &str, part: &str) -> bool {
        let mut places = text.as_bytes().windows(part.len().max(1));
        part.is_empty() || places.any(|place| place == part.as_bytes())
    }

    pub(crate) fn lowercase(text: &str) -> String {
        match LOWERCASE.get() {
            Some(lowercase) if !text.is_ascii() => lowercase(text),
            _ => text.to_ascii_lowercase(),
        }
    }
}

#[cfg(target_family = "wasm")]
pub use of_browser::set_lowercase;
#[cfg(target_family = "wasm")]
pub(crate) use of_browser::{contains, lowercase};

#[cfg(not(target_family = "wasm"))]
pub(crate) fn lowercase(text: &str) -> String {
    text.to_lowercase()
}

#[cfg(not(target_family = "wasm"))]
pub(crate) fn contains(text: &str, part: &str) -> bool {
    text.contains(part)
}
