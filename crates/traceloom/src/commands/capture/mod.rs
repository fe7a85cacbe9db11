//! `traceloom capture`, which also acts as `systrace`.

mod android;
mod atrace_options;
#[cfg(all(target_os = "linux", feature = "battor"))]
mod battor;
mod console;
mod device_folder;
mod extra;
mod linux;
mod live;
mod options;
mod output;
mod part;
mod perfetto;
mod record;
mod recording;
mod run;
mod tape;
mod wait;
mod watch;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

pub use options::CaptureArgs;

/// Runs the command.
///
/// # Errors
/// If nothing could be recorded, or the result cannot be written.
pub fn run(args: &CaptureArgs) -> Result<ExitCode> {
    run::run(args, &mut console::Console::Stderr)
}

/// The command line of systrace.
#[derive(Parser, Debug)]
#[command(
    name = "systrace",
    version,
    about = "Records a system trace of an Android device or of this machine into one HTML file",
    after_help = "Example:\n  systrace -b 32768 -t 15 gfx input view sched freq",
    // systrace's option parser accepts abbreviated options.
    infer_long_args = true
)]
struct Systrace {
    #[command(flatten)]
    capture: CaptureArgs,
}

/// Runs as systrace: messages go to standard output, the exit code is 1 for failures and 2 for
/// wrong arguments.
pub fn main_as_systrace(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args = match Systrace::try_parse_from(args) {
        Ok(systrace) => systrace.capture,
        Err(error) => return crate::failure::print_usage(&error),
    };
    if let Err(error) = args.check() {
        crate::failure::report(&error);
        return ExitCode::from(2);
    }
    match run::run(&args, &mut console::Console::Stdout) {
        Ok(code) => code,
        Err(error) => {
            crate::failure::report(&error);
            ExitCode::from(1)
        }
    }
}
