//! Why something could not be recorded.

use std::io;

use crate::adb::AdbError;

/// What can go wrong with an agent, or before there is one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// adb, or the device behind it.
    #[error(transparent)]
    Adb(#[from] AdbError),
    /// No device that takes commands.
    #[error("No ADB devices connected.")]
    NoDevice,
    /// Several, and none was named.
    #[error("Multiple devices connected, serial number required: {}", serials.join(", "))]
    ManyDevices {
        /// Their serials.
        serials: Vec<String>,
    },
    /// The device that was named is not there, or does not take commands.
    #[error(
        "Device with the serial number \"{serial}\" is not connected{}.",
        shown(state)
    )]
    NotConnected {
        /// Its serial.
        serial: String,
        /// What the server says of it, where it knows it.
        state: Option<String>,
    },
    /// Android before 4.3, whose atrace is another one.
    #[error("Device SDK versions < 18 (Android 4.3) are not supported; this device has {sdk}")]
    OldDevice {
        /// Its version.
        sdk: u32,
    },
    /// A command on the device failed.
    #[error("{command} ended with status {status}: {said}")]
    Command {
        /// The command line.
        command: String,
        /// Its exit status.
        status: u8,
        /// What it printed.
        said: String,
    },
    /// A device's atrace refused to record.
    #[error("atrace did not start on the device: {said}")]
    DidNotStart {
        /// What it printed.
        said: String,
    },
    /// atrace ended without a trace.
    #[error("Unable to get atrace data. Did you forget adb root? atrace said: {said}")]
    NoTraceData {
        /// What it printed.
        said: String,
    },
    /// A compressed trace that does not unpack to its end. What did unpack was handed over.
    #[error("the compressed trace is damaged: {reason}")]
    Packed {
        /// What is wrong with it.
        reason: String,
    },
    /// Android's own atrace, where pages were to be recorded.
    #[error("the atrace of this device records text, not pages")]
    NoPages,
    /// It recorded, and says of it what should be known.
    #[error("it says: {0}")]
    Told(String),
    /// Options that do not go together.
    #[error("{0}")]
    Option(String),
    /// It was asked for what it recorded, and had not begun.
    #[error("nothing is being recorded")]
    NotStarted,
    /// No program of ours for the device's processor.
    #[error(
        "no atrace for {abi} at {path}; cargo xtask dist makes it, and --push-agent=FILE names another"
    )]
    NoAgent {
        /// The processor, as Android calls it.
        abi: String,
        /// Where it was looked for.
        path: String,
    },
    /// The power meter.
    #[cfg(target_os = "linux")]
    #[error(transparent)]
    Battor(#[from] crate::battor::BattorError),
    /// The WALT app has not written anything.
    #[error(
        "the WALT app wrote nothing to {path} while it was recorded; it writes when a test in it ends"
    )]
    NoWaltTrace {
        /// Where it would have.
        path: String,
    },
    /// A `/proc` that cannot be looked at.
    #[error("/proc does not tell the time; without it no processes can be looked at")]
    NoProc,
    /// No process of that name runs.
    #[error("no process called {process} runs on the device; `adb shell ps -A` lists all")]
    NoProcess {
        /// The name.
        process: String,
    },
    /// A process's debugger port refused.
    #[error("the process refused {chunk}: {reason}")]
    Debugger {
        /// The chunk that was sent.
        chunk: String,
        /// Why.
        reason: String,
    },
    /// The kernel has no such event.
    #[error("this kernel has no event {event}; available_events in its tracefs lists all")]
    NoEvent {
        /// `group/name`.
        event: String,
    },
    /// tracefs is there, and not for this user.
    #[error("recording this machine needs root, or the right to change what is in {path}")]
    NeedsRoot {
        /// The folder.
        path: String,
    },
    /// Nothing of what was asked for can be recorded here.
    #[error(
        "nothing of what was asked for can be recorded here{}",
        listed(reasons)
    )]
    NothingToRecord {
        /// Why each cannot be.
        reasons: Vec<String>,
    },
    /// tracefs of this machine.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[error(transparent)]
    Tracefs(#[from] traceloom_tracefs::Error),
    /// All was recorded, and a setting is not as it was before.
    #[error("{0}")]
    NotRestored(String),
    /// A file on this side.
    #[error("{path}: {source}")]
    Local {
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// What came could not be taken in.
    #[error("what was recorded cannot be kept: {0}")]
    Sink(#[source] io::Error),
}

/// A result of recording.
pub type Result<T> = std::result::Result<T, CaptureError>;

fn shown(state: &Option<String>) -> String {
    match state.as_deref() {
        Some("unauthorized") => " (unauthorized: confirm the question on its screen)".to_owned(),
        Some(state) => format!(" ({state})"),
        None => String::new(),
    }
}

fn listed(reasons: &[String]) -> String {
    reasons.iter().map(|reason| format!("\n{reason}")).collect()
}
