//! Prototypes in strings, which older scripts pass to functions: `SELECT create_function('f(x INT)', 'INT', 'SELECT
//! $x + 1')`.

use super::error::{Problem, quoted};
use super::types::Type;

/// A function that a string describes: `name(argument TYPE, …)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prototype {
    /// The function.
    pub name: String,
    /// Names and types of its arguments. The function's SQL refers to an argument as `$name`.
    pub arguments: Vec<(String, Type)>,
}

impl Prototype {
    /// Reads `name(argument TYPE, …)`.
    ///
    /// # Errors
    /// [`Problem::Prototype`] if the text has another form; [`Problem::Type`] if a type is unknown.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let refused = |reason| Problem::Prototype {
            text: quoted(text),
            reason,
        };
        let (name, rest) = text
            .split_once('(')
            .ok_or_else(|| refused("( is missing"))?;
        let (arguments, rest) = rest
            .split_once(')')
            .ok_or_else(|| refused(") is missing"))?;
        let name = name.trim();
        if !is_name(name) {
            return Err(refused(NAME));
        }
        if !rest.trim().is_empty() {
            return Err(refused("something follows the )"));
        }
        Ok(Self {
            name: name.into(),
            arguments: Self::parse_columns(arguments)?,
        })
    }

    /// Reads `name TYPE, name TYPE, …`: the columns that `create_view_function` returns. May be empty.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn parse_columns(text: &str) -> Result<Vec<(String, Type)>, Problem> {
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        text.split(',').map(column).collect()
    }
}

const NAME: &str = "a name consists of letters, digits and _";

fn is_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !text.is_empty() && text.bytes().all(allowed)
}

fn column(text: &str) -> Result<(String, Type), Problem> {
    let refused = |reason| Problem::Prototype {
        text: quoted(text.trim()),
        reason,
    };
    let mut words = text.split_whitespace();
    let (Some(name), Some(kind), None) = (words.next(), words.next(), words.next()) else {
        return Err(refused("an argument consists of a name and a type"));
    };
    if !is_name(name) {
        return Err(refused(NAME));
    }
    let kind = Type::parse(kind).ok_or_else(|| Problem::Type(quoted(kind)))?;
    Ok((name.into(), kind))
}
