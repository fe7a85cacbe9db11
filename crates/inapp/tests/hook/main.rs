//! Tests of the hook and the platform's trace points, with compiled libraries, and with Android's libcutils if
//! `cargo xtask device` has built it.
#![cfg(target_os = "linux")]

mod build;
mod chains;
mod elf;
mod forks;
#[cfg(target_arch = "x86_64")]
mod java;
mod layouts;
mod libcutils;
mod loads;
mod marker_file;
mod process;
mod snapshot;
mod threads;
mod writer;
