//! Whether a device can record with Perfetto.

use std::time::Duration;

use crate::adb::{Device, quote};
use crate::device::DeviceExt;
use crate::error::Result;

/// Android 9, the first version with `perfetto`.
const FIRST_SDK: u32 = 28;

/// Android 10, the first version that reads configurations as text.
const TEXT_SDK: u32 = 29;

/// How a device can record with Perfetto.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PerfettoSupport {
    pub(super) program: String,
    /// The device's version of Android.
    android: String,
    /// Whether it reads configurations as text.
    pub(super) reads_text: bool,
    /// Whether it reports when all data sources have started (`--notify-fd`).
    pub(super) notifies: bool,
}

impl PerfettoSupport {
    /// The device's version of Android, for messages.
    pub fn android(&self) -> &str {
        &self.android
    }
}

/// Looks for `perfetto` on a device. If it has none, the inner error is the reason.
///
/// # Errors
/// If the connection to the device is lost.
pub fn perfetto_support(
    device: &Device,
    limit: Duration,
) -> Result<std::result::Result<PerfettoSupport, String>> {
    const PROGRAM: &str = "perfetto";
    let sdk = device.sdk()?;
    let android = named(&device.property("ro.build.version.release")?, sdk);
    if sdk < FIRST_SDK {
        return Ok(Err(format!(
            "{android} has no perfetto, which comes with Android 9"
        )));
    }
    let command = format!("command -v {PROGRAM} >/dev/null || exit 127; {PROGRAM} --help 2>&1");
    let output = device.run(&command, limit)?;
    if output.status == 127 {
        let reason = format!("this device ({android}) has no program {PROGRAM}");
        return Ok(Err(reason));
    }
    let help = output.text();
    Ok(Ok(PerfettoSupport {
        program: quote(PROGRAM),
        android,
        // Android 9 prints a help text without this option.
        reads_text: sdk >= TEXT_SDK || help.contains("--txt"),
        notifies: help.contains("--notify-fd"),
    }))
}

fn named(release: &str, sdk: u32) -> String {
    match (release, sdk) {
        ("", u32::MAX) => "Android of an unknown version".to_owned(),
        ("", sdk) => format!("Android with API level {sdk}"),
        (release, _) => format!("Android {release}"),
    }
}
