//! The interactive prompt: reads statements from a terminal and prints their results.

mod commands;
mod grid;
pub(super) mod history;
mod typed;

use std::time::Instant;

use anyhow::{Context, Result};
use rustyline::error::ReadlineError;
use rustyline::history::{FileHistory, History};
use rustyline::{CompletionType, Config, Editor};
use traceloom_query::{Names, Session, Value};

use super::args::QueryArgs;
use super::note::advise;
use super::running::Running;
use crate::failure::report;
use crate::print::{stream, terminal_width};
use commands::{Next, Settings, is_command};
use grid::Grid;
use typed::Typed;

const GREETING: &str = "SQL ends with a semicolon; .help lists the commands, .quit ends";

/// Answers what is typed, until `.quit` or the end of the input. Errors do not end it.
///
/// # Errors
/// If the terminal cannot be used.
pub(super) fn prompt(session: &mut Session, args: &QueryArgs) -> Result<()> {
    let stop = session.stop();
    signal_hook::flag::register(signal_hook::consts::SIGINT, stop.flag())
        .context("cannot handle Ctrl-C")?;
    let mut editor = editor()?;
    let history = (!args.no_history).then(history::file).flatten();
    if let Some(path) = &history {
        // The prompt also works without a history.
        _ = editor.load_history(path);
    }
    stream(|out| Ok(writeln!(out, "{GREETING}")?))?;
    let mut settings = Settings::default();
    loop {
        stop.allow();
        editor.set_helper(Some(Typed::new(Names::of(session))));
        let text = match editor.readline("sql> ") {
            Ok(text) => text,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(error).context("cannot read from the terminal"),
        };
        if text.trim().is_empty() {
            continue;
        }
        remember(&mut editor, &text, history.as_deref());
        if answer(session, args, &mut settings, &text) == Next::Quit {
            return Ok(());
        }
    }
}

fn editor() -> Result<Editor<Typed, FileHistory>> {
    let config = Config::builder()
        .max_history_size(history::REMEMBERED)?
        .completion_type(CompletionType::List)
        .build();
    let history = FileHistory::with_config(&config);
    Editor::with_history(config, history).context("cannot use the terminal")
}

fn remember(editor: &mut Editor<Typed, FileHistory>, text: &str, file: Option<&std::path::Path>) {
    _ = editor.history_mut().add(text);
    if let Some(path) = file {
        _ = editor.append_history(path);
    }
}

/// Answers a statement or a command, and reports its error.
fn answer(session: &mut Session, args: &QueryArgs, settings: &mut Settings, text: &str) -> Next {
    let answered = if is_command(text) {
        commands::run(session, settings, text)
    } else {
        query(session, args, settings, text).map(|()| Next::Ask)
    };
    answered.unwrap_or_else(|error| {
        report(&error);
        Next::Ask
    })
}

fn query(session: &mut Session, args: &QueryArgs, settings: &Settings, text: &str) -> Result<()> {
    let begun = Instant::now();
    let mut grid = Grid::default();
    let params = params_of(text, &args.param);
    let ran = session.run("input", text, &params, &mut Running::new(&mut grid));
    let took = begun.elapsed();
    ran?;
    stream(|out| grid.print(out, terminal_width()))?;
    advise(text);
    if settings.is_timed {
        stream(|out| Ok(writeln!(out, "{:.3} s", took.as_secs_f64())?))?;
    }
    Ok(())
}

/// The given parameters that occur in a text. Other parameters would be errors in this statement,
/// although a later statement may use them.
fn params_of(text: &str, given: &[(String, Value)]) -> Vec<(String, Value)> {
    let has = |name: &str| {
        [':', '@', '$']
            .iter()
            .any(|sign| text.contains(&format!("{sign}{name}")))
    };
    given
        .iter()
        .filter(|(name, _)| has(name))
        .cloned()
        .collect()
}
