//! `--config`: options of `capture` from a TOML file.
//!
//! Each key is the name of a long option. The options become arguments before those on the command
//! line, so the same checks apply to both.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::options::is_options_file;

/// Keys for arguments without an option name: the categories, and the command to record.
const CATEGORIES: &str = "categories";
const COMMAND: &str = "command";

/// Options that are not allowed in a file.
const NOT_IN_A_FILE: [&str; 3] = ["config", "help", "version"];

/// Adds the options of the file that `--config` names. `args` are the arguments of `command`, without
/// its name. Options on the command line win over those in the file.
///
/// # Errors
/// If the file cannot be read, or has an unknown key or a wrong value. The message names the line.
pub fn with_config(command: &Command, args: Vec<OsString>) -> Result<Vec<OsString>> {
    let given = matches(command, &args);
    let Some(path) = given
        .as_ref()
        .and_then(|given| given.get_one::<PathBuf>("config"))
        .filter(|path| is_options_file(path))
    else {
        return Ok(args);
    };
    let text = std::fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read {}", path.display()))?;
    let file = File {
        path,
        text: &text,
        command,
    };
    let table = DeTable::parse(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| line(&text, span.start));
        anyhow::anyhow!("{}:{line}: {}", path.display(), error.message())
    })?;
    let (mut all, mut recorded) = (Vec::new(), Vec::new());
    let mut categories = Vec::new();
    for (key, value) in table.get_ref() {
        let found = file.option(key, value)?;
        if given
            .as_ref()
            .is_some_and(|given| is_given(given, &found.id))
        {
            continue;
        }
        match found.id.as_str() {
            CATEGORIES => categories = found.args,
            COMMAND => recorded = found.args,
            _ => all.extend(found.args),
        }
    }
    all.extend(categories);
    all.extend(args);
    if !recorded.is_empty() {
        all.push("--".into());
        all.extend(recorded);
    }
    Ok(all)
}

/// The options that are given on the command line. Their errors are reported later, when all arguments are parsed.
fn matches(command: &Command, args: &[OsString]) -> Option<ArgMatches> {
    let command = command.clone().ignore_errors(true);
    let args = std::iter::once("capture".into()).chain(args.iter().cloned());
    command.try_get_matches_from(args).ok()
}

fn is_given(given: &ArgMatches, id: &str) -> bool {
    given.try_contains_id(id).is_ok() && given.value_source(id) == Some(ValueSource::CommandLine)
}

/// An option of the file, as arguments.
struct Found {
    id: String,
    args: Vec<OsString>,
}

struct File<'a> {
    path: &'a Path,
    text: &'a str,
    command: &'a Command,
}

impl File<'_> {
    fn option(
        &self,
        key: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Found> {
        let name = key.get_ref().as_ref().replace('_', "-");
        if name == CATEGORIES || name == COMMAND {
            let args = self.texts(&name, value)?;
            if let Some(option) = args
                .iter()
                .find(|arg| name == CATEGORIES && arg.starts_with('-'))
            {
                return self.wrong(value, &format!("{option} is not a category"));
            }
            return Ok(Found {
                id: name,
                args: args.into_iter().map(OsString::from).collect(),
            });
        }
        let Some(arg) = self.options().find(|arg| arg.get_long() == Some(&name)) else {
            let allowed = self.options().filter_map(Arg::get_long);
            let allowed: Vec<_> = [CATEGORIES, COMMAND].into_iter().chain(allowed).collect();
            let line = line(self.text, key.span().start);
            bail!(
                "{}:{line}: unknown key {}; allowed are {}",
                self.path.display(),
                key.get_ref().as_ref(),
                allowed.join(", ")
            );
        };
        let args = self.arguments(&name, arg, value)?;
        self.check(value, arg, &args)?;
        Ok(Found {
            id: arg.get_id().to_string(),
            args,
        })
    }

    /// The options that are allowed in a file.
    fn options(&self) -> impl Iterator<Item = &Arg> {
        let all = self.command.get_arguments();
        all.filter(|arg| {
            let long = arg.get_long();
            long.is_some_and(|long| !NOT_IN_A_FILE.contains(&long)) && !arg.is_hide_set()
        })
    }

    fn arguments(
        &self,
        name: &str,
        arg: &Arg,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<OsString>> {
        let is_flag = matches!(arg.get_action(), ArgAction::SetTrue);
        let has_default = arg
            .get_num_args()
            .is_some_and(|range| range.min_values() == 0);
        match value.get_ref() {
            DeValue::Boolean(false) if is_flag || has_default => Ok(Vec::new()),
            DeValue::Boolean(true) if is_flag || has_default => {
                Ok(vec![format!("--{name}").into()])
            }
            _ if is_flag => self.wrong(value, &format!("{name} is true or false")),
            DeValue::Array(_) => {
                let texts = self.texts(name, value)?;
                match arg.get_action() {
                    ArgAction::Append => Ok(texts.iter().map(|text| option(name, text)).collect()),
                    _ if is_list(arg) => Ok(vec![option(name, &texts.join(","))]),
                    _ => self.wrong(value, &format!("{name} has one value, not a list")),
                }
            }
            _ => Ok(vec![option(name, &self.text_of(name, value)?)]),
        }
    }

    /// The texts of a list, or a single text.
    fn texts(&self, name: &str, value: &Spanned<DeValue<'_>>) -> Result<Vec<String>> {
        match value.get_ref() {
            DeValue::Array(items) => items.iter().map(|item| self.text_of(name, item)).collect(),
            _ => Ok(vec![self.text_of(name, value)?]),
        }
    }

    fn text_of(&self, name: &str, value: &Spanned<DeValue<'_>>) -> Result<String> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            DeValue::Integer(number) => Ok(number.to_string()),
            _ => self.wrong(
                value,
                &format!("{name} is a text or a number, or a list of them"),
            ),
        }
    }

    /// Checks the value as on the command line. Combinations of options are checked later.
    fn check(&self, value: &Spanned<DeValue<'_>>, arg: &Arg, args: &[OsString]) -> Result<()> {
        let alone = std::iter::once("capture".into()).chain(args.iter().cloned());
        let Err(error) = self.command.clone().try_get_matches_from(alone) else {
            return Ok(());
        };
        if !matches!(
            error.kind(),
            ErrorKind::InvalidValue | ErrorKind::ValueValidation
        ) {
            return Ok(());
        }
        let said = error.to_string();
        let said = said.split("\n\n").next().unwrap_or_default();
        let said = said.trim_start_matches("error: ");
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        self.wrong(value, &format!("{said}\n({help})"))
    }

    fn wrong<T>(&self, value: &Spanned<DeValue<'_>>, why: &str) -> Result<T> {
        let line = line(self.text, value.span().start);
        bail!("{}:{line}: {why}", self.path.display())
    }
}

fn option(name: &str, value: &str) -> OsString {
    format!("--{name}={value}").into()
}

/// Whether the option takes values that are separated by commas.
fn is_list(arg: &Arg) -> bool {
    let names = arg.get_value_names().unwrap_or_default();
    names.iter().any(|name| name.ends_with(",…"))
}

/// The number of a line, from 1.
fn line(text: &str, offset: usize) -> usize {
    text.bytes()
        .take(offset)
        .filter(|&byte| byte == b'\n')
        .count()
        + 1
}
