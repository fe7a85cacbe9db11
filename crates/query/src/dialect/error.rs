//! Errors in PerfettoSQL texts.

use thiserror::Error;

use super::location::Location;
use super::source::Fragment;

/// An error in PerfettoSQL text, and its location.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{location}: {problem}")]
pub struct Error {
    /// Where the problem is.
    pub location: Location,
    /// The problem.
    pub problem: Problem,
}

impl Error {
    /// A problem at a place that is not inside a macro.
    pub fn new(at: Fragment, problem: Problem) -> Self {
        Self::at(Location::new(at), problem)
    }

    /// A problem at a place that may be inside macros.
    pub fn at(location: Location, problem: Problem) -> Self {
        Self { location, problem }
    }
}

/// A problem in a script. Quoted texts are shortened if they are long.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// A character that cannot begin a token.
    #[error("unexpected character {0:?}")]
    Character(char),
    /// SQLite ends a text at its first NUL character, and would ignore the rest.
    #[error("the text contains a NUL character")]
    Nul,
    /// A text of 4 GiB or more.
    #[error("a script must be shorter than 4 GiB")]
    TooLong,
    /// A string, quoted name or comment without its end.
    #[error("{what} is not closed: {close} is missing")]
    Unterminated {
        /// `this string`, `this name`, `this comment`, `this variable`.
        what: &'static str,
        /// The missing character or characters.
        close: &'static str,
    },
    /// A number that runs into a name: `12ab`, `0xfg`.
    #[error("{0} is not a number")]
    Number(String),
    /// A blob literal with an odd number of digits, or with other characters.
    #[error("a blob literal has an even number of hexadecimal digits")]
    Blob,
    /// `?`, `:`, `@`, `#` or `$` without a name.
    #[error("a variable needs a name")]
    Variable,
    /// An unexpected token.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What the grammar requires.
        expected: &'static str,
        /// The token there.
        found: String,
    },
    /// An unknown type of a column, an argument or a result.
    #[error("unknown type {0}; known are {known}", known = super::types::Type::NAMES.join(", "))]
    Type(String),
    /// An unknown type of a macro's argument or result.
    #[error("unknown macro type {0}; known are {known}", known = super::types::MacroType::NAMES.join(", "))]
    MacroType(String),
    /// `USING` with something other than `DATAFRAME`.
    #[error("unknown kind of table {0}; the only one is DATAFRAME")]
    TableKind(String),
    /// `...` after an argument of a function that has a `SELECT`.
    #[error("only a function with DELEGATES TO can have an argument with ...")]
    VariadicBody,
    /// `...` after an argument that is not the last.
    #[error("only the last argument can have ...")]
    VariadicOrder,
    /// Two arguments with the same name.
    #[error("there are two arguments named {0}")]
    DuplicateArgument(String),
    /// A second definition without `OR REPLACE`.
    #[error("macro {0}! is already defined; CREATE OR REPLACE replaces it")]
    DuplicateMacro(String),
    /// A definition of one of the built-in macros.
    #[error("macro {0}! is built in and cannot be defined")]
    BuiltinMacro(String),
    /// A call of a macro that is not defined.
    #[error("there is no macro {0}!")]
    UnknownMacro(String),
    /// A call with too few or too many arguments.
    #[error("macro {name}! takes {expected}, but {found} given", found = were(*found))]
    ArgumentCount {
        /// Name of the macro, without `!`.
        name: String,
        /// How many it takes, in words.
        expected: String,
        /// How many the call has.
        found: usize,
    },
    /// An argument of a built-in macro that must be a list.
    #[error("expected a list of values in parentheses, such as (a, b)")]
    List,
    /// `!` that does not belong to a call.
    #[error("expected a macro call, such as name!(arguments)")]
    Bang,
    /// A call without its closing parenthesis.
    #[error("the call of macro {0}! is not closed: ) is missing")]
    UnclosedCall(String),
    /// A macro that calls itself, directly or through others.
    #[error("macro {0}! calls itself")]
    Recursion(String),
    /// Macro calls that are nested too deeply.
    #[error("macro calls are nested more than {0} deep")]
    Depth(usize),
    /// An expansion that exceeds the size limit.
    #[error("the macros of this statement expand to more than {0} bytes")]
    Size(usize),
    /// A string that is not of the form `name(argument TYPE, …)`.
    #[error("\"{text}\" is not a prototype: {reason}")]
    Prototype {
        /// The string, or the argument in it that is wrong.
        text: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}

fn were(count: usize) -> String {
    match count {
        0 => "none was".into(),
        1 => "1 was".into(),
        more => format!("{more} were"),
    }
}

/// A piece of a script in a message. Characters that cannot be seen are escaped, and long pieces shortened.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut short: String = text.chars().take(LONGEST).map(visible).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}

fn visible(character: char) -> String {
    match character {
        '\'' | '"' | '\\' => character.into(),
        other => other.escape_debug().collect(),
    }
}
