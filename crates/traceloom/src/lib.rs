//! The command line of traceloom: one module per subcommand.

pub mod cli;
pub mod traceview;

mod align;
mod calls;
mod commands;
mod failure;
mod hints;
mod input;
mod mapping;
mod output;
mod print;
mod progress;
mod times;
