//! Which arguments are traces, and where the SQL is.

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::args::QueryArgs;

/// The SQL, and the files to run it on.
pub(super) struct Question {
    pub files: Vec<PathBuf>,
    /// Where the SQL comes from, for messages.
    pub name: String,
    pub sql: String,
}

/// Whether to show the prompt: no SQL was given, and standard input is a terminal.
pub(super) fn is_prompt(args: &QueryArgs) -> bool {
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let has_sql = args.file.is_some() || args.inputs.iter().any(|input| !input.exists());
    is_terminal && !has_sql && !args.each
}

/// Separates the SQL from the traces.
///
/// # Errors
/// If there is no SQL or no trace, or the SQL cannot be read.
pub(super) fn question(args: &QueryArgs) -> Result<Question> {
    if let Some(path) = &args.file {
        let (name, sql) = read(path)?;
        let files = args.inputs.clone();
        return Ok(Question { files, name, sql });
    }
    let Some((last, files)) = args.inputs.split_last() else {
        bail!("no trace is named");
    };
    let (name, sql) = match last.to_str() {
        Some("-") if !files.is_empty() => read(last)?,
        Some(_) if is_sql(last) && files.is_empty() => bail!("there is no trace; {USAGE}"),
        Some(sql) if is_sql(last) => ("SQL".to_owned(), sql.to_owned()),
        _ => return piped(&args.inputs),
    };
    let files = files.to_vec();
    Ok(Question { files, name, sql })
}

const USAGE: &str = "write: traceloom query FILE \"SELECT …\"";

/// All arguments are traces, so the SQL must come from standard input.
fn piped(files: &[PathBuf]) -> Result<Question> {
    let is_trace = files.iter().any(|file| file.as_os_str() == "-");
    if !is_trace && !std::io::stdin().is_terminal() {
        let (name, sql) = read(Path::new("-"))?;
        if !sql.trim().is_empty() {
            let files = files.to_vec();
            return Ok(Question { files, name, sql });
        }
    }
    match files {
        [_, .., last] => bail!(
            "{} is a file: the last argument is the SQL; --file reads it from a file",
            last.display()
        ),
        _ => bail!("there is no SQL; {USAGE}"),
    }
}

/// Whether an argument is not the name of a file.
fn is_sql(argument: &Path) -> bool {
    argument.as_os_str() != "-" && !argument.exists()
}

/// The name and the content of a file with SQL.
fn read(path: &Path) -> Result<(String, String)> {
    if path.as_os_str() != "-" {
        let name = path.display().to_string();
        let sql =
            std::fs::read_to_string(path).with_context(|| format!("cannot read the SQL {name}"))?;
        return Ok((name, sql));
    }
    let mut stdin = std::io::stdin();
    if stdin.is_terminal() {
        bail!("standard input is a terminal; pipe the SQL into it, or use --file");
    }
    let mut sql = String::new();
    stdin
        .read_to_string(&mut sql)
        .context("cannot read the SQL from standard input")?;
    Ok(("standard input".to_owned(), sql))
}
