//! `traceloom capture`, which also acts as `systrace`.

mod android;
mod atrace_options;
#[cfg(all(target_os = "linux", feature = "battor"))]
mod battor;
mod config;
mod console;
#[cfg(target_os = "linux")]
mod detached;
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
#[cfg(target_os = "linux")]
use clap::Subcommand;
use clap::{CommandFactory, Parser};

pub use config::with_config;
pub use options::CaptureArgs;

/// Record a device over adb, or this machine
///
/// Accepts the options of systrace. Without --time, it records until Enter or Ctrl-C.
#[derive(clap::Args, Clone, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "Examples:\n  traceloom capture -t 5 -o trace.html sched freq gfx view -a com.example.app\n  traceloom capture --target linux -t 5 -o trace.html sched freq idle disk\n  traceloom capture --live --target linux sched"
)]
pub struct CaptureCommand {
    /// What to do with a recording in the background.
    #[cfg(target_os = "linux")]
    #[command(subcommand)]
    background: Option<Background>,

    #[command(flatten)]
    capture: CaptureArgs,
}

/// Recordings that go on after the command returned.
#[cfg(target_os = "linux")]
#[derive(Subcommand, Clone, Debug)]
enum Background {
    Start(Box<detached::StartArgs>),
    Stop(detached::StopArgs),
    List(detached::ListArgs),
}

/// Runs the command.
///
/// # Errors
/// If nothing could be recorded, or the result cannot be written.
pub fn run(args: &CaptureCommand) -> Result<ExitCode> {
    #[cfg(target_os = "linux")]
    match &args.background {
        Some(Background::Start(args)) => return detached::start(args),
        Some(Background::Stop(args)) => return detached::stop(args),
        Some(Background::List(args)) => return detached::list(args),
        None => {}
    }
    run::run(&args.capture, &mut console::Console::Stderr)
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

/// Abbreviations of systrace's options that ours would make ambiguous.
const ABBREVIATIONS: [(&str, &str); 3] = [
    ("--buf", "--buf-size"),
    ("--k", "--ktrace"),
    ("--co", "--collection-timeout"),
];

fn unabbreviated(arg: OsString) -> OsString {
    let Some(text) = arg.to_str() else {
        return arg;
    };
    let (option, value) = match text.split_once('=') {
        Some((option, value)) => (option, format!("={value}")),
        None => (text, String::new()),
    };
    let known = ABBREVIATIONS.iter().find(|(short, _)| *short == option);
    known.map_or_else(|| arg.clone(), |(_, long)| format!("{long}{value}").into())
}

/// Runs as systrace: messages go to standard output, the exit code is 1 for failures and 2 for
/// wrong arguments.
pub fn main_as_systrace(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let name = args.next().unwrap_or_default();
    let mut is_command = false;
    let args = args.map(|arg| {
        is_command |= arg == "--";
        if is_command { arg } else { unabbreviated(arg) }
    });
    let args = args.collect();
    let args = match with_config(&Systrace::command(), args) {
        Ok(args) => args,
        Err(error) => {
            crate::failure::report(&error);
            return ExitCode::from(2);
        }
    };
    let args = match Systrace::try_parse_from(std::iter::once(name).chain(args)) {
        Ok(systrace) => systrace.capture,
        Err(error) => return crate::failure::print_usage(error),
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
