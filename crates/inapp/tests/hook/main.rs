//! The hook and the platform's trace points, on libraries that a compiler built, and on Android's own
//! libcutils where `cargo xtask device` has built it.
#![cfg(target_os = "linux")]

mod build;
mod chains;
mod elf;
mod forks;
mod later;
mod layouts;
mod libcutils;
mod marker_file;
mod process;
mod snapshot;
mod threads;
mod writer;
