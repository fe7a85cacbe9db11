//! What to do next after an error.

use traceloom_capture::CaptureError;
use traceloom_formats::ReadError;

/// A next step for the user, where the error allows one.
pub fn for_error(error: &anyhow::Error) -> Option<&'static str> {
    let mut causes = error.chain();
    if let Some(capture) = causes.find_map(|cause| cause.downcast_ref::<CaptureError>()) {
        return for_capture(capture);
    }
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

fn for_capture(error: &CaptureError) -> Option<&'static str> {
    Some(match error {
        // Remounting with a group's id gives that group the marker, but not the settings.
        CaptureError::NeedsRoot { .. } => "run the same command with sudo",
        CaptureError::NoDevice => {
            "connect it, switch USB debugging on in its developer options, and look at `adb devices`; \
             `--target linux` records this machine instead"
        }
        CaptureError::NoPages => {
            "--push-agent has traceloom's own atrace record them; it goes when the recording ends"
        }
        #[cfg(target_os = "linux")]
        CaptureError::Tracefs(traceloom_tracefs::Error::NoFunctionTracing(_)) => {
            "without --ktr everything else is recorded"
        }
        CaptureError::NothingToRecord { .. } => "--list-categories lists what can be recorded",
        _ => return None,
    })
}
