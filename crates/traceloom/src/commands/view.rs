//! `traceloom view`: shows traces in the browser, served from this machine.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, mpsc};

use anyhow::{Context, Result};
use traceloom_view::{Server, ServerOptions};

use crate::align::{AlignArgs, read_traces};
use crate::browser::open;
use crate::input::{InputArgs, look_at, parse_bytes, with_original_names};
use crate::print::message;
use crate::progress;
use crate::times::parse_number;

/// Show traces in the browser, from a server on this machine
///
/// Prints the URL of the page and, if there is a display, opens it. The server listens on loopback
/// only and answers only requests with the token in the URL. Ctrl-C ends it.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  traceloom view app.trace\n  traceloom view systrace.html app.trace --align start\n  traceloom view --no-open --port 8080 systrace.html"
)]
pub struct ViewArgs {
    /// The traces, shown on one time line; - is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Port to listen on [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, value_parser = parse_number::<u16>)]
    port: u16,

    /// Print the URL without opening a browser
    #[arg(long)]
    no_open: bool,

    /// Refuse files dropped on the page once this much memory is used (K, M or G)
    #[arg(long, value_name = "BYTES", default_value = "8G", value_parser = parse_bytes)]
    memory_limit: u64,

    #[cfg(feature = "query")]
    #[command(flatten)]
    query: super::query::PageQueryArgs,

    #[command(flatten)]
    align: AlignArgs,

    #[command(flatten)]
    open: InputArgs,
}

/// Runs the command.
///
/// # Errors
/// If the trace cannot be read, or the port is taken.
pub fn run(args: ViewArgs) -> Result<ExitCode> {
    for file in &args.files {
        look_at(file, &args.open)?;
    }
    let names = args.open.clone();
    let server = Server::bind(ServerOptions {
        port: args.port,
        memory_limit: args.memory_limit,
        read: args.open.read_options("dropped file")?,
        finish: Arc::new(move |trace| {
            with_original_names(trace, None, &names).map_err(|error| format!("{error:#}"))
        }),
        #[cfg(feature = "query")]
        query: args.query.options(),
        ..ServerOptions::default()
    })?;
    let handle = server.handle();
    let (listener, stop) = (handle.clone(), handle.clone());
    progress::also_call(move |done, total| listener.progress(done, total.unwrap_or(0)));
    // The server answers while the trace is read, so the page can show the progress.
    let (fail, failed) = mpsc::channel();
    std::thread::spawn(
        move || match read_traces(&args.files, &args.align, &args.open) {
            Ok(trace) => handle.ready(trace),
            Err(error) => {
                handle.failed(&format!("{error:#}"));
                // The receiver is gone only if Ctrl-C has ended the program.
                drop(fail.send(error));
                // Traces dropped on the page in the meantime stay open. The error is printed at the
                // end.
                if !handle.has_others() {
                    handle.stop();
                }
            }
        },
    );
    let url = server.url();
    let mut announced = Ok(());
    // The file is removed when the server has ended.
    let mut opened = None;
    // A user may press Ctrl-C as soon as the URL is visible.
    server.run_after(|| {
        announced = announce(&url);
        if announced.is_err() {
            return stop.stop();
        }
        if std::io::stderr().is_terminal() {
            message!("Ctrl-C ends the server");
        }
        opened = (!args.no_open).then(|| open(&url));
    })?;
    announced?;
    match failed.try_recv() {
        Ok(error) => Err(error),
        Err(_) => Ok(ExitCode::SUCCESS),
    }
}

/// Prints the URL on standard output, where scripts can read it.
///
/// # Errors
/// If standard output cannot be written.
pub fn announce(url: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{url}")
        .and_then(|()| out.flush())
        .context("cannot write the URL to standard output")
}
