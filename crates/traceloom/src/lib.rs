//! The command line of traceloom: one module per subcommand.

// Input may be anything: code that handles it must not panic. Nor may a closed pipe, which makes the macros of the standard
// library panic.
#![warn(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unreachable,
    clippy::todo,
    clippy::unimplemented
)]

pub mod cli;
pub mod traceview;

mod address;
mod align;
mod browser;
mod calls;
mod commands;
mod failure;
mod folder;
mod hints;
mod input;
mod mapping;
mod output;
mod print;
mod progress;
#[cfg(feature = "query")]
mod read;
mod times;
mod wanted;
