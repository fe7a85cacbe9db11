//! Traceview's regression mode: `traceview -r FILE` prints threads, calls, methods and time
//! records. The output is byte for byte that of the Java program on every input it survived. On
//! inputs that crashed it, the same tables are printed, and a line on stderr.
//!
//! ```text
//! name ─► bytes ─► key section ─► records ─► replay ─► tables ─► stdout
//! (input.rs)       (key.rs)   (records.rs)  (engine.rs, (print.rs)
//!                  └─ or any method trace ─┘ tally.rs)
//!                         (events.rs)
//! ```
//!
//! The facts come from Traceview's Java source. The expectations of the tests were printed by that
//! program with its window removed. It printed in the platform's charset; this prints UTF-8.

mod call;
mod engine;
mod events;
mod file;
mod input;
mod java;
mod key;
mod print;
mod records;
mod tally;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use traceloom_host::Screen;

use crate::print::message;
use engine::Engine;
use input::Missing;

const HELP: &str = "\
Traceview's regression mode: prints thread times, call times, method statistics and time records

Usage: traceview -r TRACE

  TRACE   a method trace, its name without .trace, or the base name of a .key and .data pair
  -r      print and exit. Without it, Traceview opened a window: use traceloom view instead

Times are microseconds: t- is the thread's CPU clock, g- the global (wall) clock.

Example:
  traceview -r app.trace
";

/// Runs traceview with `args`. The first argument is the program's name. Exit codes: 0 success
/// (also for the usage, as in the original), 1 if the trace cannot be read, 2 if the window was
/// requested.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.skip(1).collect();
    let outcome = run(&args);
    for line in &outcome.errors {
        message!("{line}");
    }
    let mut out = Screen::lock(&io::stdout());
    match out.write_all(&outcome.output).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            message!("traceview: cannot write to standard output: {error}");
            ExitCode::from(2)
        }
        _ => ExitCode::from(outcome.code),
    }
}

/// The output of a run and its exit code.
#[derive(Default)]
struct Outcome {
    output: Vec<u8>,
    errors: Vec<String>,
    code: u8,
}

impl Outcome {
    fn printed(text: impl Into<Vec<u8>>, code: u8) -> Self {
        Self {
            output: text.into(),
            code,
            ..Self::default()
        }
    }

    fn failed(message: String, code: u8) -> Self {
        Self {
            errors: vec![message],
            code,
            ..Self::default()
        }
    }
}

fn run(args: &[OsString]) -> Outcome {
    if args.iter().any(|arg| arg == "--help") {
        return Outcome::printed(HELP, 0);
    }
    let options = args.iter().take_while(|arg| *arg == "-r").count();
    let [name] = &args[options..] else {
        let usage =
            "Usage: java com.android.traceview.MainWindow [-r] trace\n  -r   regression only\n";
        return Outcome::printed(usage, 0);
    };
    let bytes = match input::read(name) {
        Ok(bytes) => bytes,
        Err(missing) => return refuse(missing, name),
    };
    if options == 0 {
        let name = Path::new(name).display();
        return Outcome::failed(
            format!(
                "traceview: the window is not part of traceloom; see `traceloom profile {name}`, \
                 or add -r for the tables"
            ),
            2,
        );
    }
    regression(&bytes, name)
}

fn refuse(missing: Missing, name: &OsStr) -> Outcome {
    let name = Path::new(name).display();
    match missing {
        Missing::Folder => Outcome::printed("Qemu trace files not supported yet.\n", 1),
        Missing::NotFound => Outcome::failed(format!("trace file '{name}' not found"), 1),
        Missing::Pair => Outcome::failed(format!("cannot convert old trace file '{name}'"), 1),
        Missing::Unreadable => {
            Outcome::failed(format!("Failed to read the trace file '{name}'"), 1)
        }
    }
}

/// Prints the tables in the way Traceview read the file if it could, otherwise in the way traceloom
/// does.
fn regression(bytes: &[u8], name: &OsStr) -> Outcome {
    let refusal = match file::replay(bytes) {
        Ok((engine, skipped)) => {
            let mut errors = Vec::new();
            if skipped.unknown_actions > 0 {
                let count = skipped.unknown_actions;
                errors.push(format!(
                    "{count} records with unknown action 3; passed over"
                ));
            }
            if skipped.torn_bytes > 0 {
                let count = skipped.torn_bytes;
                errors.push(format!("the file ends in a torn record of {count} bytes"));
            }
            return tables(engine, errors);
        }
        Err(refusal) => refusal.0,
    };
    match events::replay(bytes) {
        Ok((engine, mended)) => {
            let why = format!("Traceview itself could not open this: {refusal}");
            tables(engine, [vec![why], mended].concat())
        }
        Err(error) => Outcome::failed(
            format!(
                "Failed to read the trace file '{}': {refusal}; {error}",
                Path::new(name).display()
            ),
            1,
        ),
    }
}

fn tables(mut engine: Engine, mut errors: Vec<String>) -> Outcome {
    let output = print::report(&mut engine);
    let mended = engine.mended;
    if mended.unmatched_exits > 0 {
        let count = mended.unmatched_exits;
        errors.push(format!(
            "{count} exits of methods that were not running; passed over (Traceview stopped there)"
        ));
    }
    if mended.missing_exits > 0 {
        let count = mended.missing_exits;
        errors.push(format!(
            "{count} calls closed because their caller exited (Traceview stopped there)"
        ));
    }
    Outcome {
        output,
        errors: errors
            .into_iter()
            .map(|line| format!("traceview: {line}"))
            .collect(),
        code: 0,
    }
}
