//! The command line of `traceloom capture`.

mod args;
mod battor;
mod check;
mod check_perfetto;
mod extra;
mod live;
mod perfetto;
mod probes;
mod raw;

pub use args::{CaptureArgs, MethodArgs, OutputKind, Target, is_options_file};
pub use battor::BattorArgs;
pub use extra::ExtraArgs;
