//! The command line of `traceloom capture`.

mod args;
mod battor;
mod check;
mod check_perfetto;
mod extra;
mod live;
mod perfetto;
mod raw;

pub use args::{CaptureArgs, MethodArgs, OutputKind, Target};
pub use battor::BattorArgs;
pub use extra::ExtraArgs;
