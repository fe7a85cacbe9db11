//! Hints: next steps for the user after an error.

use std::borrow::Cow;

use traceloom_capture::CaptureError;
use traceloom_formats::{Format, ReadError, readable};

/// The next step for the user, if there is one for this error.
pub fn for_error(error: &anyhow::Error) -> Option<Cow<'static, str>> {
    let mut causes = error.chain();
    if let Some(capture) = causes.find_map(|cause| cause.downcast_ref::<CaptureError>()) {
        return for_capture(capture).map(Cow::Borrowed);
    }
    let read = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<ReadError>())?;
    if matches!(read, ReadError::UnknownFormat { .. }) {
        return Some(what_is_read().into());
    }
    for_read(read).map(Cow::Borrowed)
}

/// The formats that can be read, from the list of all formats.
fn what_is_read() -> String {
    let titles = |containers| -> String {
        let titles: Vec<_> = readable(containers).map(Format::title).collect();
        titles.join(", ")
    };
    format!(
        "traceloom opens {}; also inside {}. Was the file copied completely, in binary mode?",
        titles(false),
        titles(true)
    )
}

fn for_read(error: &ReadError) -> Option<&'static str> {
    Some(match error {
        ReadError::Foreign { advice, .. } => advice,
        ReadError::Empty => {
            "record again: the recorder wrote nothing (was the disk full, or the app killed?)"
        }
        ReadError::Reencoded { .. } => {
            "use adb pull: `adb shell cat` and mail programs may change bytes"
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
        // Remounting tracefs for a group gives it access to the marker, but not to the settings.
        CaptureError::NeedsRoot { .. } => "run the same command with sudo",
        CaptureError::NoDevice => {
            "connect it, enable USB debugging in its developer options, and check `adb devices`; \
             `--target linux` records this machine instead"
        }
        CaptureError::NoPages => {
            "add --push-agent to record them with traceloom's own atrace, which is removed afterwards"
        }
        #[cfg(target_os = "linux")]
        CaptureError::Tracefs(traceloom_tracefs::Error::NoFunctionTracing(_)) => {
            "leave out --ktr to record everything else"
        }
        CaptureError::Perfetto { message, .. } if message.contains("traced socket") => {
            "turn its service on with `adb shell setprop persist.traced.enable 1`, and try again"
        }
        CaptureError::NothingToRecord { .. } => "--list-categories lists what can be recorded",
        _ => return None,
    })
}
