//! Which arguments are traces, and where the SQL is.

use std::ffi::OsString;
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
    if let Some((name, sql)) = piped(args)? {
        let files = args.inputs.clone();
        return Ok(Question { files, name, sql });
    }
    let Some((last, files)) = args.inputs.split_last() else {
        bail!("no trace is named");
    };
    if files.is_empty() {
        const USAGE: &str = "write: traceloom query FILE \"SELECT …\"";
        if is_sql(last) {
            bail!("there is no trace; {USAGE}");
        }
        bail!("there is no SQL; {USAGE}, name a file with --file, or pipe the SQL into it");
    }
    let (name, sql) = match last.to_str() {
        Some("-") => read(last)?,
        Some(sql) if is_sql(last) => ("SQL".to_owned(), sql.to_owned()),
        _ => bail!(
            "{} is a file: the last argument is the SQL; --file reads it from a file",
            last.display()
        ),
    };
    let files = files.to_vec();
    Ok(Question { files, name, sql })
}

/// The SQL from a pipe, if every argument is the name of a trace, and there is something in the pipe.
fn piped(args: &QueryArgs) -> Result<Option<(String, String)>> {
    if !args.inputs.iter().all(|input| input.exists()) || std::io::stdin().is_terminal() {
        return Ok(None);
    }
    let (name, sql) = read(Path::new("-"))?;
    Ok(Some((name, sql)).filter(|(_, sql)| !sql.trim().is_empty()))
}

/// Keeps SQL that begins with a comment from being an option: puts a space in front of it. An option is one word, or a
/// word and `=`.
pub(crate) fn keep_comments(args: Vec<OsString>) -> Vec<OsString> {
    let mut is_query = args.get(1).is_some_and(|name| name == "query");
    let keep = |arg: OsString| {
        is_query &= arg != "--";
        match arg.to_str() {
            Some(text) if is_query && is_comment(text) => format!(" {text}").into(),
            _ => arg,
        }
    };
    args.into_iter().map(keep).collect()
}

fn is_comment(argument: &str) -> bool {
    let name = argument.strip_prefix("--").unwrap_or_default();
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    name.contains(char::is_whitespace)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(args: &[&str]) -> Vec<OsString> {
        keep_comments(args.iter().map(OsString::from).collect())
    }

    #[test]
    fn a_comment_is_not_an_option() {
        for sql in [
            "-- a\nSELECT 1",
            "--a\nSELECT 1",
            "-- SELECT 1 = 2",
            "--\tx=y",
        ] {
            assert_eq!(
                kept(&["t", "query", "x", sql])[3],
                *format!(" {sql}"),
                "{sql}"
            );
            let others = [["t", "profile", sql, ""], ["t", "query", "--", sql]];
            for args in others {
                assert_eq!(kept(&args), args, "{sql}");
            }
        }
    }

    #[test]
    fn options_stay_options() {
        let args = [
            "t",
            "query",
            "--each",
            "--pattern={a b}/*",
            "--file",
            "q.sql",
            "-f",
            "--zzz",
        ];
        assert_eq!(kept(&args), args);
    }
}
