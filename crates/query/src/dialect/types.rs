//! Types of columns, arguments and results.

use super::source::Span;

/// A type name of PerfettoSQL. Several names have the same kind of value but differ in its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// True or false: 1 or 0.
    Bool,
    /// A signed 64-bit integer.
    Long,
    /// Older name of `LONG`.
    Int,
    /// Older name of `LONG`.
    Uint,
    /// A time, ns.
    Timestamp,
    /// A length of time, ns.
    Duration,
    /// The id of a row of this table.
    Id,
    /// The id of a row of another table.
    JoinId,
    /// The id of a set of arguments.
    ArgSetId,
    /// A 64-bit floating-point number.
    Double,
    /// Older name of `DOUBLE`.
    Float,
    /// A text.
    String,
    /// A blob.
    Bytes,
    /// A serialised protobuf message.
    Proto,
    /// A value of any kind.
    Any,
}

/// The kinds of value that types have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Storage {
    /// An integer that is 0 or 1.
    Bool,
    /// A signed 64-bit integer.
    Long,
    /// A 64-bit floating-point number.
    Double,
    /// A text.
    String,
    /// A blob.
    Bytes,
    /// Any of them.
    Any,
}

const TYPES: [Type; 15] = [
    Type::Bool,
    Type::Long,
    Type::Int,
    Type::Uint,
    Type::Timestamp,
    Type::Duration,
    Type::Id,
    Type::JoinId,
    Type::ArgSetId,
    Type::Double,
    Type::Float,
    Type::String,
    Type::Bytes,
    Type::Proto,
    Type::Any,
];

impl Type {
    /// All names, in the order of the variants.
    pub const NAMES: [&str; 15] = [
        "BOOL",
        "LONG",
        "INT",
        "UINT",
        "TIMESTAMP",
        "DURATION",
        "ID",
        "JOINID",
        "ARGSETID",
        "DOUBLE",
        "FLOAT",
        "STRING",
        "BYTES",
        "PROTO",
        "ANY",
    ];

    /// The type of that name; case does not matter.
    pub fn parse(name: &str) -> Option<Self> {
        find(&Self::NAMES, &TYPES, name)
    }

    /// Its name, in capitals.
    pub fn name(self) -> &'static str {
        Self::NAMES.get(self as usize).copied().unwrap_or_default()
    }

    /// The kind of its values.
    pub fn storage(self) -> Storage {
        match self {
            Self::Bool => Storage::Bool,
            Self::Double | Self::Float => Storage::Double,
            Self::String => Storage::String,
            Self::Bytes | Self::Proto => Storage::Bytes,
            Self::Any => Storage::Any,
            _ => Storage::Long,
        }
    }
}

/// The kind of text that a macro takes or returns. It documents the macro; the expansion does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MacroType {
    /// The name of a column.
    ColumnName,
    /// Names of columns in parentheses.
    ColumnNameList,
    /// An expression.
    Expr,
    /// Expressions in parentheses.
    ExprList,
    /// Expressions separated by commas.
    UnparenExprList,
    /// The name of a table, or a `SELECT` in parentheses.
    TableOrSubquery,
    /// A part of the text between `SELECT` and `FROM`.
    ProjectionFragment,
    /// Names of tables in parentheses.
    TableNameList,
}

const MACRO_TYPES: [MacroType; 8] = [
    MacroType::ColumnName,
    MacroType::ColumnNameList,
    MacroType::Expr,
    MacroType::ExprList,
    MacroType::UnparenExprList,
    MacroType::TableOrSubquery,
    MacroType::ProjectionFragment,
    MacroType::TableNameList,
];

impl MacroType {
    /// All names, in the order of the variants.
    pub const NAMES: [&str; 8] = [
        "ColumnName",
        "ColumnNameList",
        "Expr",
        "ExprList",
        "UnparenExprList",
        "TableOrSubquery",
        "_ProjectionFragment",
        "_TableNameList",
    ];

    /// The type of that name; case does not matter.
    pub fn parse(name: &str) -> Option<Self> {
        find(&Self::NAMES, &MACRO_TYPES, name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES.get(self as usize).copied().unwrap_or_default()
    }
}

fn find<T: Copy>(names: &[&str], types: &[T], name: &str) -> Option<T> {
    let found = names
        .iter()
        .position(|known| known.eq_ignore_ascii_case(name))?;
    types.get(found).copied()
}

/// A name in a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name, without quotes.
    pub text: String,
    /// Where it is, with its quotes.
    pub span: Span,
}

/// A column of a table, view or result, or an argument of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name; functions refer to an argument as `$name`.
    pub name: Name,
    /// Its type.
    pub kind: Type,
    /// The table and column that the type refers to: `JOINID(thread.id)`.
    pub refers_to: Option<(String, String)>,
    /// Whether `...` follows: the argument stands for any number of values.
    pub variadic: bool,
}

/// An argument of a macro.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MacroArgument {
    /// Its name; the body refers to it as `$name`.
    pub name: Name,
    /// The kind of text that it takes.
    pub kind: MacroType,
}
