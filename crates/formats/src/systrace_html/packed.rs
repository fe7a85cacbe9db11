//! Recognises base64 in a block by decoding it. The title `PROCESS DUMP` and the table after it
//! consist almost only of base64 letters.

use crate::base64::strictly;
use crate::zlib;

/// The kind of data that a base64 block contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Packed {
    /// A compressed stream or an archive.
    Compressed,
    /// Text, or a method trace.
    Text,
}

/// Detects what the base64 at the start of a block contains. Also returns the decoded bytes. `None`
/// if it is not base64, or does not decode to a known kind of data. `whole` means that nothing
/// follows.
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

/// Whether the bytes are printable text. The last character may be incomplete.
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
