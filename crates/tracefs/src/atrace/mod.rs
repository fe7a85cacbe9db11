//! The program `atrace`: all options of Android's atrace, and a few more.

mod compat;
mod console;
mod help;
mod job;
mod options;
mod output;
mod program;
mod raw;
mod record;
mod signals;

pub use program::run;
