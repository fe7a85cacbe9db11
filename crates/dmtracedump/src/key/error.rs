//! What can be wrong with the key section.

use std::fmt;

/// Something wrong with the key section. The texts are the original's; those without a text are
/// silent there.
#[derive(Debug, PartialEq, Eq)]
pub enum KeyError {
    Empty,
    NotAtStart {
        section: &'static str,
        found: Vec<u8>,
    },
    OtherSection {
        section: &'static str,
        got: Vec<u8>,
    },
    ShortToken {
        section: &'static str,
    },
    NoLines {
        section: &'static str,
        found: i32,
    },
    TooMany {
        section: &'static str,
        found: usize,
        bytes: usize,
    },
    MissingField {
        line: Vec<u8>,
    },
    BadMethodId {
        id: Vec<u8>,
    },
}

impl KeyError {
    /// The line the original writes, the file's own bytes unescaped; empty where it is silent.
    pub fn write(&self, to: &mut Vec<u8>) {
        if matches!(self, KeyError::ShortToken { .. }) {
            return;
        }
        let (before, own, after) = self.parts();
        for part in [before.as_bytes(), own, after.as_bytes(), b"\n"] {
            to.extend_from_slice(part);
        }
    }

    /// The text around the file's own bytes, and these.
    fn parts(&self) -> (String, &[u8], &'static str) {
        match self {
            KeyError::Empty => ("Key file is empty.".into(), b"", ""),
            KeyError::ShortToken { section } => (
                format!("the line of section {section} is cut short"),
                b"",
                "",
            ),
            KeyError::NoLines { section, found } => (
                format!("ERROR: failed while reading {section} (found {found})"),
                b"",
                "",
            ),
            KeyError::TooMany {
                section,
                found,
                bytes,
            } => (
                format!("ERROR: {found} lines in section {section} of {bytes} bytes are too many"),
                b"",
                "",
            ),
            KeyError::NotAtStart { section, found } => (
                format!("ERROR: not at start of {section} (found '"),
                found,
                "')",
            ),
            KeyError::OtherSection { section, got } => {
                (format!("ERROR: '{section}' not found (got '"), got, "')")
            }
            KeyError::MissingField { line } => {
                ("ERROR: missing field on method line: '".into(), line, "'")
            }
            KeyError::BadMethodId { id } => ("ERROR: bad method ID '".into(), id, "'"),
        }
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, own, after) = self.parts();
        write!(f, "{before}{}{after}", own.escape_ascii())
    }
}

impl std::error::Error for KeyError {}
