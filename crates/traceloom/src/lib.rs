//! The command line of traceloom: one module per subcommand.

// Code that handles input must not panic, whatever the input is. It must not panic at a closed pipe either, as the
// print macros of the standard library do.
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
