//! Lines and fields of the key section.

use memchr::arch::all::memchr::One;

use super::density::is_too_dense;
use super::key::KeyError;

/// The lines of a section, the last without its break.
pub(super) struct Lines<'a> {
    pub text: &'a [u8],
    pub count: usize,
}

impl<'a> Lines<'a> {
    /// An error if they are so short that they would take too much memory.
    pub fn check(&self, section: &'static str, line: usize) -> Result<(), KeyError> {
        let (found, bytes) = (self.count, self.text.len());
        if is_too_dense(found, bytes, line) {
            Err(KeyError::TooMany {
                section,
                found,
                bytes,
            })
        } else {
            Ok(())
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut rest = Some(self.text);
        std::iter::from_fn(move || {
            let text = rest?;
            let end = find(b'\n', text);
            rest = end.map(|end| &text[end + 1..]);
            Some(&text[..end.unwrap_or(text.len())])
        })
    }
}

/// Where `byte` is first, by the instructions that every processor of this kind has. What asks the
/// processor for wider ones first takes longer to ask, on a virtual machine, than a small trace's
/// key section to read.
pub(super) fn find(byte: u8, text: &[u8]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if let Some(one) = memchr::arch::x86_64::sse2::memchr::One::new(byte) {
        return one.find(text);
    }
    #[cfg(target_arch = "aarch64")]
    if let Some(one) = memchr::arch::aarch64::neon::memchr::One::new(byte) {
        return one.find(text);
    }
    One::new(byte).find(text)
}

/// Splits at the first tab.
pub(super) fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let tab = find(b'\t', line)?;
    Some((&line[..tab], &line[tab + 1..]))
}

/// What C sees of it: up to the first NUL.
pub(super) fn text(bytes: &[u8]) -> &[u8] {
    let end = find(0, bytes);
    &bytes[..end.unwrap_or(bytes.len())]
}
