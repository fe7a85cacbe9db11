//! Errors of the power meter.

use std::io;
use std::time::Duration;

/// An error while finding or using a BattOr.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The serial port could not be opened, read or written.
    #[error("{path}: {source}")]
    Port {
        /// The device file of the port.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// The BattOr did not answer in time.
    #[error("the BattOr did not answer {request} within {limit:?}")]
    Timeout {
        /// The request.
        request: &'static str,
        /// The time limit for an answer.
        limit: Duration,
    },
    /// The BattOr sent an unexpected answer.
    #[error("the BattOr answered {request} with {answer}")]
    UnexpectedAnswer {
        /// The request.
        request: &'static str,
        /// The answer, made printable.
        answer: String,
    },
    /// No BattOr is attached.
    #[error(
        "no BattOr is attached (a serial adapter with USB ID 0403:6001); --battor-path names its port"
    )]
    NotFound,
    /// Several BattOrs are attached, and none was chosen.
    #[error(
        "several BattOrs are attached ({}); choose one with --battor-path, or map devices to BattOrs with --serial-map",
        paths.join(", ")
    )]
    Ambiguous {
        /// The device files of their ports.
        paths: Vec<String>,
    },
    /// The BattOr that belongs to the device is not attached.
    #[error("the BattOr {serial} of device {device} is not attached")]
    NotAttached {
        /// Serial number of the BattOr.
        serial: String,
        /// Serial number of the device.
        device: String,
    },
}

/// The result of an operation on a BattOr.
pub type Result<T> = std::result::Result<T, Error>;
