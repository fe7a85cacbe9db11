//! How the program reports errors: one sentence on standard error, and a hint.

use std::io::Write;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};

use crate::print::{message, plain};

/// Prints the help, the version, or the error in the arguments. A closed pipe is not an error.
pub(crate) fn print_usage(mut usage: clap::Error) -> ExitCode {
    let hint = crate::hints::for_usage(&usage);
    if hint.is_some() || suggests_dashes(&usage) {
        usage.remove(ContextKind::Suggested);
    }
    if let Some(hint) = hint {
        usage.remove(ContextKind::SuggestedSubcommand);
        usage.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![hint.into()]),
        );
    }
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

/// Whether clap's tip says how to write a value that begins with a dash, although the argument is an unknown option.
fn suggests_dashes(usage: &clap::Error) -> bool {
    let tips = match usage.get(ContextKind::Suggested) {
        Some(ContextValue::StyledStrs(tips)) => tips.as_slice(),
        _ => &[],
    };
    tips.iter()
        .any(|tip| tip.to_string().contains("as a value, use"))
}

/// Prints the error as one sentence, followed by a hint if there is one.
pub(crate) fn report(error: &anyhow::Error) {
    let message = message(error);
    let lines: Vec<_> = message.lines().map(plain).collect();
    message!("traceloom: {}", lines.join("\n  "));
    if let Some(hint) = crate::hints::for_error(error) {
        message!("  {hint}");
    }
}

/// The error and its causes. A cause that the message already contains is not repeated.
fn message(error: &anyhow::Error) -> String {
    let mut message = String::new();
    for cause in error.chain() {
        let cause = without_number(&cause.to_string());
        if message.is_empty() {
            message = cause;
        } else if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    message
}

/// `x: No such file or directory (os error 2)` as `x: no such file or directory`.
fn without_number(cause: &str) -> String {
    let Some((words, _)) = cause.split_once(" (os error") else {
        return cause.to_owned();
    };
    let begin = words.rfind(": ").map_or(0, |colon| colon + 2);
    let (before, reason) = words.split_at(begin);
    let mut letters = reason.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    let reason: String = first.into_iter().chain(letters).collect();
    format!("{before}{reason}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_the_system_are_parts_of_a_sentence() {
        let missing = std::io::Error::from_raw_os_error(2);
        let error = anyhow::Error::new(missing).context("cannot read x");
        assert_eq!(message(&error), "cannot read x: no such file or directory");
        let error = anyhow::anyhow!("x: Permission denied (os error 13)");
        assert_eq!(message(&error), "x: permission denied");
        assert_eq!(
            message(&error.context("x: permission denied")),
            "x: permission denied"
        );
    }
}
