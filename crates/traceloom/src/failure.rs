//! How the program reports errors: one sentence on standard error, and a hint.

use std::io::Write;
use std::process::ExitCode;

use crate::print::plain;

/// Prints the help, the version, or the error in the arguments. A closed pipe is not an error.
pub(crate) fn print_usage(usage: &clap::Error) -> ExitCode {
    let printed = usage.print().and_then(|()| std::io::stdout().flush());
    match printed {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            report(&anyhow::Error::new(error).context("cannot write to standard output"));
            ExitCode::from(2)
        }
        _ if usage.use_stderr() => ExitCode::from(2),
        _ => ExitCode::SUCCESS,
    }
}

/// Prints the error as one sentence, followed by a hint if there is one.
pub(crate) fn report(error: &anyhow::Error) {
    let message = message(error);
    let lines: Vec<_> = message.lines().map(plain).collect();
    eprintln!("traceloom: {}", lines.join("\n  "));
    if let Some(hint) = crate::hints::for_error(error) {
        eprintln!("  {hint}");
    }
}

/// The error and its causes. A cause that the message already contains is not repeated.
fn message(error: &anyhow::Error) -> String {
    let mut message = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        let words = cause.split(" (os error").next().unwrap_or(&cause);
        if !message.contains(words) {
            message = format!("{message}: {cause}");
        }
    }
    message
}
