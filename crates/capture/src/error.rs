//! Errors of a recording.

use std::io;

use crate::adb::AdbError;

/// An error while choosing a device, or while an agent records.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// adb, or the device behind it.
    #[error(transparent)]
    Adb(#[from] AdbError),
    /// No device that accepts commands is connected.
    #[error("No ADB devices connected.")]
    NoDevice,
    /// Several devices are connected, and none was chosen.
    #[error("Multiple devices connected, serial number required: {}", serials.join(", "))]
    ManyDevices {
        /// Their serial numbers.
        serials: Vec<String>,
    },
    /// The chosen device is not connected or does not accept commands.
    #[error(
        "Device with the serial number \"{serial}\" is not connected{}.",
        state_suffix(state)
    )]
    NotConnected {
        /// Its serial number.
        serial: String,
        /// Its state, if the server lists the device.
        state: Option<String>,
    },
    /// The device runs Android before 4.3, whose atrace has other options.
    #[error("Device SDK versions < 18 (Android 4.3) are not supported; this device has {sdk}")]
    OldDevice {
        /// Its API level.
        sdk: u32,
    },
    /// A command on the device failed.
    #[error("{command} ended with status {status}: {message}")]
    Command {
        /// The command line.
        command: String,
        /// Its exit status.
        status: u8,
        /// Its error message.
        message: String,
    },
    /// atrace on the device refused to record.
    #[error("atrace did not start on the device: {message}")]
    DidNotStart {
        /// Its error message.
        message: String,
    },
    /// atrace ended without a trace.
    #[error("Unable to get atrace data. Did you forget adb root? atrace said: {message}")]
    NoTraceData {
        /// Its error message.
        message: String,
    },
    /// A compressed trace is damaged or incomplete. The intact part was handed over.
    #[error("the compressed trace is damaged: {reason}")]
    DamagedCompression {
        /// What is wrong with it.
        reason: String,
    },
    /// Android's own atrace cannot record ring buffer pages.
    #[error("the atrace on this device records text only, not the kernel's pages")]
    NoPages,
    /// The recording is complete, but atrace printed a warning.
    #[error("atrace said: {0}")]
    Warning(String),
    /// Options that contradict each other.
    #[error("{0}")]
    Option(String),
    /// The device was lost before it handed over the trace, which is still in its buffer.
    #[error(
        "{0}\n  the device's buffer still has the trace: connect it again, and fetch it with traceloom capture --resume"
    )]
    Abandoned(#[source] AdbError),
    /// There is no abandoned recording to fetch.
    #[error("the device has no recording to fetch")]
    NothingToResume,
    /// The device was lost while its perfetto recorded.
    #[error(
        "{0}\n  the device keeps the trace: connect it again, and fetch it with traceloom capture --resume"
    )]
    LeftOnDevice(String),
    /// perfetto on the device did not record.
    #[error("perfetto on the device ended with status {status}: {message}")]
    Perfetto {
        /// Its exit status.
        status: u8,
        /// Its messages.
        message: String,
    },
    /// The kernel's own descriptions of its events cannot be read.
    #[error("the kernel's formats of events: {0}")]
    Formats(String),
    /// Data was requested from an agent that was not started.
    #[error("nothing is being recorded")]
    NotStarted,
    /// There is no `atrace` for the device's processor.
    #[error(
        "there is no atrace for {abi} at {path}: build it with cargo xtask dist, or name a program with --push-agent=FILE"
    )]
    NoAgent {
        /// Android's name of the processor.
        abi: String,
        /// The expected path.
        path: String,
    },
    /// The BattOr power meter.
    #[cfg(all(target_os = "linux", feature = "battor"))]
    #[error(transparent)]
    Battor(#[from] traceloom_battor::Error),
    /// The WALT app has not written a trace.
    #[error(
        "the WALT app wrote nothing to {path} during the recording; it writes when one of its tests ends"
    )]
    NoWaltTrace {
        /// The file that it writes.
        path: String,
    },
    /// `/proc` does not show the time.
    #[error("/proc does not show the time, so processes cannot be recorded")]
    NoProc,
    /// No process of that name runs.
    #[error("no process named {process} runs on the device; `adb shell ps -A` lists all")]
    NoProcess {
        /// The name.
        process: String,
    },
    /// A request to a process's debugger port failed.
    #[error("the process refused {chunk}: {reason}")]
    Debugger {
        /// The type of the chunk that was sent.
        chunk: String,
        /// The reason.
        reason: String,
    },
    /// The kernel does not have the event.
    #[error("this kernel has no event {event}; available_events in its tracefs lists all")]
    NoEvent {
        /// `group/name`.
        event: String,
    },
    /// This user has no permission for tracefs.
    #[error("recording this machine needs root, or write access to {path}")]
    NeedsRoot {
        /// The folder of tracefs.
        path: String,
    },
    /// None of the chosen categories can be recorded on this machine.
    #[error(
        "none of the chosen categories can be recorded here{}",
        as_lines(reasons)
    )]
    NothingToRecord {
        /// The reason for each category.
        reasons: Vec<String>,
    },
    /// tracefs of this machine.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[error(transparent)]
    Tracefs(#[from] traceloom_tracefs::Error),
    /// The recording is complete, but a setting could not be restored.
    #[error("{0}")]
    NotRestored(String),
    /// A local file could not be read or written.
    #[error("{path}: {source}")]
    Local {
        /// The file.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// The recorded data could not be stored.
    #[error("cannot store the recorded data: {0}")]
    Sink(#[source] io::Error),
}

/// The result of a step of a recording.
pub type Result<T> = std::result::Result<T, CaptureError>;

fn state_suffix(state: &Option<String>) -> String {
    match state.as_deref() {
        Some("unauthorized") => {
            " (unauthorized: allow USB debugging on the device's screen)".to_owned()
        }
        Some(state) => format!(" ({state})"),
        None => String::new(),
    }
}

fn as_lines(reasons: &[String]) -> String {
    reasons.iter().map(|reason| format!("\n{reason}")).collect()
}
