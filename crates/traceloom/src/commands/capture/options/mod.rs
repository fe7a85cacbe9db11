//! The command line of `traceloom capture`.

mod args;
mod battor;
mod check;
mod check_perfetto;
mod extra;
mod kind;
mod live;
mod parse;
mod perfetto;
mod probes;
mod raw;

pub use args::{CaptureArgs, MethodArgs, Target};
pub use battor::BattorArgs;
pub use extra::ExtraArgs;
pub use kind::{OutputKind, is_options_file};
