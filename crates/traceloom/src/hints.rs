//! What to do next after an error.

use traceloom_formats::ReadError;

/// A next step for the user, where the error allows one.
pub fn for_error(error: &anyhow::Error) -> Option<&'static str> {
    let read = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<ReadError>())?;
    Some(match read {
        ReadError::UnknownFormat { .. } => {
            "traceloom opens method traces (.trace, .key + .data), systrace pages, atrace output, ftrace text, \
             Chrome JSON, and all of these in zip, gzip or zstd. Was the file copied whole, in binary mode?"
        }
        ReadError::Empty => {
            "record again: the recorder wrote nothing (a full disk, or an app that was killed?)"
        }
        ReadError::Reencoded { .. } => {
            "adb pull copies bytes as they are; `adb shell cat` and mail programs may not"
        }
        ReadError::TooBig { .. } => "for example --max-decompressed 64G",
        ReadError::NothingInside { .. } => "unpack it and name the trace itself",
        ReadError::NoMethodEvents { .. } => {
            "this needs a method trace (.trace); for this file, see `traceloom profile`"
        }
        _ => return None,
    })
}
