#![doc = include_str!("../README.md")]
//!
//! # Protocol
//!
//! A BattOr takes several thousand samples a second, stores them on its SD card, and sends them when
//! the measurement ends:
//!
//! ```text
//! host                               BattOr
//!  INIT, SET_GAIN, START_SAMPLING_SD ─►   an ack for each; a running BattOr resets instead of answering
//!  READ_SAMPLE_COUNT ─────────────────►   u32: the sample number of a clock marker
//!  READ_EEPROM ───────────────────────►   values of its resistors and amplifiers
//!  READ_SD_UART ──────────────────────►   a calibration frame, sample frames, an empty frame
//! ```
//! Sources: Chromium's `tools/battor_agent` (`battor_protocol_types.h`, `battor_agent.cc`,
//! `battor_connection_impl.cc`, `battor_sample_converter.cc`) and the firmware, aschulm/battor.
#![cfg(target_os = "linux")]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod battor;
mod convert;
mod eeprom;
mod error;
mod frame;
mod measurement;
mod message;
mod port;
mod serial;

pub use battor::{Battor, Timing};
pub use error::{Error, Result};
pub use measurement::Measurement;
pub use port::{Port, choose_port, find_ports};
