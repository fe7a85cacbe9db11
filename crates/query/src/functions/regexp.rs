//! Regular expressions: `text REGEXP pattern`, `regexp`, `regexp_extract`, `regexp_replace_simple`.

use std::borrow::Cow;
use std::sync::Arc;

use regex::Regex;
use rusqlite::Connection;
use rusqlite::functions::Context;

use super::arguments::{refused, text};
use super::flags::PURE;
use crate::pattern::compile;

/// A compiled pattern. SQLite keeps it from row to row if the pattern is a constant.
struct Compiled {
    regex: Regex,
    ignores_case: bool,
}

/// Registers the functions with a connection. `text REGEXP pattern` calls `regexp(pattern, text)`.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    for (name, arguments) in [
        ("regexp", 2),
        ("regexp", 3),
        ("__intrinsic_regexp", 2),
        ("__intrinsic_regexp_with_flags", 3),
    ] {
        connection.create_scalar_function(name, arguments, PURE, |context| matches(context))?;
    }
    for name in ["regexp_extract", "__intrinsic_regexp_extract"] {
        connection.create_scalar_function(name, 2, PURE, |context| extract(context))?;
    }
    for name in ["regexp_replace_simple", "__intrinsic_regexp_replace_simple"] {
        connection.create_scalar_function(name, 3, PURE, |context| replace(context))?;
    }
    Ok(())
}

/// `regexp(pattern, text, flags)`: whether a part of the text matches. NULL if an argument is NULL.
fn matches(context: &Context<'_>) -> rusqlite::Result<Option<bool>> {
    let ignores_case = match context.len() {
        3 => match text(context, 2) {
            Some(flags) => ignores_case(&flags)?,
            None => return Ok(None),
        },
        _ => false,
    };
    let (Some(pattern), Some(text)) = (text(context, 0), text(context, 1)) else {
        return Ok(None);
    };
    let compiled = compiled(context, 0, &pattern, ignores_case)?;
    Ok(Some(compiled.regex.is_match(&text)))
}

/// The last flag applies: `i` ignores the case of letters, `c` does not.
fn ignores_case(flags: &str) -> rusqlite::Result<bool> {
    match flags.chars().find(|flag| !matches!(flag, 'i' | 'c')) {
        Some(flag) => Err(refused(format!("regexp: the flag {flag} is unknown"))),
        None => Ok(flags.ends_with('i')),
    }
}

/// `regexp_extract(text, pattern)`: the text that the pattern's group matches. Without a group, the text that the whole
/// pattern matches.
fn extract(context: &Context<'_>) -> rusqlite::Result<Option<String>> {
    let (Some(text), Some(pattern)) = (text(context, 0), text(context, 1)) else {
        return Ok(None);
    };
    let compiled = compiled(context, 1, &pattern, false)?;
    if compiled.regex.captures_len() > 2 {
        let message = "regexp_extract: the pattern has more than one group";
        return Err(refused(message.to_owned()));
    }
    let found = compiled.regex.captures(&text);
    Ok(found.map(|found| {
        let group = found.get(1).filter(|group| !group.is_empty());
        let whole = found.get(0).map(|whole| whole.as_str());
        let part = group.map(|group| group.as_str()).or(whole);
        part.unwrap_or_default().to_owned()
    }))
}

/// `regexp_replace_simple(text, pattern, replacement)`: the text with each match replaced. The replacement is plain
/// text.
fn replace(context: &Context<'_>) -> rusqlite::Result<Option<String>> {
    let arguments = (text(context, 0), text(context, 1), text(context, 2));
    let (Some(text), Some(pattern), Some(with)) = arguments else {
        return Ok(None);
    };
    let compiled = compiled(context, 1, &pattern, false)?;
    let with = regex::NoExpand(&with);
    Ok(Some(match compiled.regex.replace_all(&text, with) {
        Cow::Borrowed(text) => text.to_owned(),
        Cow::Owned(text) => text,
    }))
}

/// The pattern of an argument, compiled.
fn compiled(
    context: &Context<'_>,
    at: i32,
    pattern: &str,
    ignores_case: bool,
) -> rusqlite::Result<Arc<Compiled>> {
    let make = || {
        compile(pattern, ignores_case).map(|regex| Compiled {
            regex,
            ignores_case,
        })
    };
    let kept = context.get_or_create_aux(at, |_| make())?;
    // The pattern is a constant, but the flags may differ from row to row.
    if kept.ignores_case == ignores_case {
        return Ok(kept);
    }
    make().map(Arc::new).map_err(refused)
}
