//! A BattOr: a power meter between a device's battery and the device, on a USB serial line.
//!
//! It takes some thousand samples a second onto its card, counts them, and hands them over at the
//! end:
//!
//! ```text
//! host                               BattOr
//!  INIT, SET_GAIN, START_SAMPLING_SD ─►   ack of each; one that was running resets itself, without
//!  READ_SAMPLE_COUNT ─────────────────►   u32: the clock marker
//!  READ_EEPROM ───────────────────────►   what its resistors and amplifiers are
//!  READ_SD_UART ──────────────────────►   a frame of its own noise, frames of samples, an empty one
//! ```
//! Facts: Chromium's `tools/battor_agent` (`battor_protocol_types.h`, `battor_agent.cc`,
//! `battor_connection_impl.cc`, `battor_sample_converter.cc`) and the firmware, aschulm/battor.

mod connection;
mod convert;
mod eeprom;
mod find;
mod frame;
mod message;
mod serial;

pub use connection::{Battor, BattorTiming, Measured};
pub use find::{BattorPort, battor_ports, choose_battor};

use std::io;
use std::time::Duration;

/// What can go wrong with a BattOr.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BattorError {
    /// The serial line.
    #[error("{path}: {source}")]
    Line {
        /// Its file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// It did not answer in time.
    #[error("the BattOr did not answer {request} within {limit:?}")]
    Silent {
        /// What it was asked.
        request: &'static str,
        /// How long it may take.
        limit: Duration,
    },
    /// It answered something else.
    #[error("the BattOr answered {request} with {answer}")]
    Answer {
        /// What it was asked.
        request: &'static str,
        /// What came.
        answer: String,
    },
    /// No BattOr is attached.
    #[error(
        "no BattOr is attached (a serial adapter of USB 0403:6001); --battor-path names its line"
    )]
    None,
    /// Several are, and it is not said which.
    #[error(
        "several BattOrs are attached, on {}; --battor-path names one, or --serial-map says which belongs to the device",
        paths.join(", ")
    )]
    Several {
        /// Their files.
        paths: Vec<String>,
    },
    /// The map names one that is not there.
    #[error("the BattOr {serial} of {device} is not attached")]
    NotAttached {
        /// The BattOr's serial number.
        serial: String,
        /// The device's.
        device: String,
    },
}

/// A result of a BattOr.
pub type Result<T> = std::result::Result<T, BattorError>;
