//! `traceloom convert`: writes a trace, or a part of it, in another format.

mod args;
mod copy;
mod left_out;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use traceloom_formats::{CopyForm, FORMATS, WriteError, WriteOptions, Writer, Written};
use traceloom_host::Scratch;
use traceloom_trace::Trace;

use crate::input::{leave, read_trace, save_stdin};
use crate::output::write_file;
use crate::print::{message, most_bytes, too_long, within};
use crate::times::parse_time;

pub use args::ConvertArgs;
pub use left_out::left_out;

/// Runs the command.
///
/// # Errors
/// If the input cannot be read, no format fits the output, or it cannot be written.
pub fn run(args: &ConvertArgs) -> Result<ExitCode> {
    let (id, writer) = choose_writer(args.to.as_deref(), &args.output)?;
    match CopyForm::of(id).filter(|_| !args.rewrite) {
        Some(form) => convert_text(args, form, writer),
        None => rewrite(args, writer),
    }
}

/// Copies the lines if possible; otherwise writes the text from the tables. Both read the input
/// again.
fn convert_text(args: &ConvertArgs, form: CopyForm, writer: &dyn Writer) -> Result<ExitCode> {
    let (mut args, saved) = (args.clone(), saved_stdin(args)?);
    args.open.saved_stdin = saved.as_ref().map(Scratch::path);
    if copy::copied(&args, form, writer)? {
        return Ok(ExitCode::SUCCESS);
    }
    rewrite(&args, writer)
}

fn saved_stdin(args: &ConvertArgs) -> Result<Option<Scratch>> {
    let is_stdin = args.input.as_os_str() == "-";
    is_stdin.then(save_stdin).transpose()
}

/// Writes the trace from its tables.
fn rewrite(args: &ConvertArgs, writer: &dyn Writer) -> Result<ExitCode> {
    let mut trace = read_trace(&args.input, &args.open)?;
    let most = most_bytes(trace.sources.bytes.iter().sum(), args.all);
    if let Some((from, until)) = args.range.within(&trace)? {
        trace = trace.cut(from, until);
    }
    let options = WriteOptions {
        trace_version: args.trace_version,
        streaming: args.streaming,
        cpu_time: args.cpu,
        max_depth: args.depth.unwrap_or(u32::MAX),
        max_bytes: most,
    };
    let mut written = Written::default();
    write_file(&args.output, |out| {
        within(most, out, |out| {
            written = write(&trace, writer, &options, out)?;
            Ok(())
        })
    })?;
    if let Some(line) = left_out(&written, writer) {
        message!("{line}");
    }
    leave(trace);
    Ok(ExitCode::SUCCESS)
}

fn write(
    trace: &Trace,
    writer: &dyn Writer,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> Result<Written> {
    match writer.write(trace, options, out) {
        Err(WriteError::TooLong { bytes, most }) => Err(too_long(Some(bytes), most)),
        written => Ok(written?),
    }
}

fn choose_writer(to: Option<&str>, output: &Path) -> Result<(&'static str, &'static dyn Writer)> {
    let mut known = Vec::new();
    for format in FORMATS {
        let Some(writer) = format.writer() else {
            continue;
        };
        let chosen = match to {
            Some(id) => id == format.id() || writer.extensions().contains(&id),
            None => has_extension(output, writer.extensions()),
        };
        if chosen {
            return Ok((format.id(), writer));
        }
        known.push(format!(
            "{} (.{})",
            format.id(),
            writer.extensions().join(", .")
        ));
    }
    let what = match to {
        Some(id) if parse_time(id).is_ok() => {
            bail!("--to chooses the output format; a time range ends with --until {id}")
        }
        Some(id) => format!("no format called {id} can be written"),
        None if output.as_os_str() == "-" => {
            "standard output has no ending that names a format".to_owned()
        }
        None => format!(
            "the ending of {} names no format to write",
            output.display()
        ),
    };
    bail!("{what}; choose one with --to: {}", known.join(", "))
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    extensions
        .iter()
        .any(|ending| name.ends_with(&format!(".{ending}")))
}
