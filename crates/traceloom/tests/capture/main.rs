//! Recordings, from the command line to the opened file: of this machine, and of a device behind a
//! real adb.
#![cfg(target_os = "linux")]

mod abandoned;
mod android;
mod buffers;
mod clocks;
mod config;
mod cpu_time;
mod detached;
mod extras;
mod functions;
mod limits;
mod linux;
mod live;
mod load;
mod marks;
mod options;
mod outputs;
mod perfetto;
mod perfetto_service;
#[cfg(feature = "battor")]
mod power;
mod probes;
mod raw;
mod watched;
mod whole;
mod work;
