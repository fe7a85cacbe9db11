//! Recognises files of other tools, so that the error can name them and give advice.

mod formats;
mod signs;

use self::formats::{FORMATS, ForeignFormat};
pub(crate) use self::signs::is_json_with;
use crate::error::{ReadError, printable};

/// The error for an input that begins with `head` and is in no known format.
pub(crate) fn unknown_format(head: &[u8]) -> ReadError {
    match recognise(head) {
        Some(foreign) => ReadError::Foreign {
            name: foreign.name,
            advice: foreign.advice,
        },
        None => ReadError::UnknownFormat {
            found: printable(head),
        },
    }
}

/// The foreign format recognised from `head`, if any.
fn recognise(head: &[u8]) -> Option<&'static ForeignFormat> {
    FORMATS.iter().find(|format| (format.matches)(head))
}

#[cfg(test)]
mod tests;
