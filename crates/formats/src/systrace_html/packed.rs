//! Recognises base64 in a block by what it decodes to: `PROCESS DUMP` and its table are nearly base64.

use crate::base64::strictly;
use crate::zlib;

/// What a block of base64 holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Packed {
    /// A compressed stream or an archive.
    Compressed,
    /// Text, or a method trace.
    Text,
}

/// What the first bytes of a block are base64 of, with the decoded bytes; `None` if they are not base64,
/// or decode to nothing that a block holds. `whole` says that nothing follows.
pub(super) fn packed(head: &[u8], whole: bool) -> Option<(Packed, Vec<u8>)> {
    let bytes = strictly(head, whole)?;
    if is_compressed(&bytes) {
        Some((Packed::Compressed, bytes))
    } else if is_text(&bytes) || bytes.starts_with(b"SLOW") {
        Some((Packed::Text, bytes))
    } else {
        None
    }
}

fn is_compressed(bytes: &[u8]) -> bool {
    const MAGICS: [&[u8]; 3] = [b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"];
    zlib::has_header(bytes) || MAGICS.iter().any(|magic| bytes.starts_with(magic))
}

/// Whether the bytes are printable text. It may be cut within a character.
fn is_text(bytes: &[u8]) -> bool {
    const LONGEST_CHARACTER: usize = 4;
    let valid = match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        Err(error) => error.valid_up_to(),
    };
    let is_odd = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    valid + LONGEST_CHARACTER > bytes.len() && !bytes.iter().any(is_odd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_what_decodes_to_something() {
        let kind = |text: &str| packed(text.as_bytes(), true).map(|(kind, _)| kind);
        assert_eq!(kind("H4sIAAAA"), Some(Packed::Compressed));
        assert_eq!(kind("eJwDAAAA"), Some(Packed::Compressed));
        assert_eq!(kind("IyB0cmFjZXI6IG5vcAo="), Some(Packed::Text));
        for text in [
            "PROCESS DUMP\nUSER PID TID CMD",
            "TRACEABC",
            "ATRACE",
            "TRACE",
        ] {
            assert_eq!(kind(text), None, "{text}");
        }
    }
}
