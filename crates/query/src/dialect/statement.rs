//! The statements of PerfettoSQL.

use super::source::Fragment;
use super::types::{Column, MacroArgument, MacroType, Name, Type};

/// One statement of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The whole statement without comments around it and without its semicolon.
    pub sql: Fragment,
    /// What it does.
    pub kind: StatementKind,
}

/// The kind of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatementKind {
    /// A statement of SQLite. Its macros must be expanded ([`Macros::expand`](super::Macros::expand)) before it is
    /// run.
    Sqlite,
    /// `CREATE PERFETTO TABLE`.
    CreateTable(CreateRelation),
    /// `CREATE PERFETTO VIEW`.
    CreateView(CreateRelation),
    /// `CREATE VIRTUAL TABLE … USING SPAN_JOIN(…)`.
    CreateSpanJoin(CreateSpanJoin),
    /// `CREATE VIRTUAL TABLE … USING __intrinsic_flamegraph(…)`.
    CreateFlamegraph(CreateFlamegraph),
    /// `CREATE VIRTUAL TABLE … USING __intrinsic_window(…)`.
    CreateWindow(CreateWindow),
    /// `CREATE PERFETTO FUNCTION`.
    CreateFunction(CreateFunction),
    /// `CREATE PERFETTO MACRO`.
    CreateMacro(CreateMacro),
    /// `CREATE PERFETTO INDEX`.
    CreateIndex(CreateIndex),
    /// `DROP PERFETTO …`.
    Drop(Drop),
    /// `INCLUDE PERFETTO MODULE`.
    Include(Include),
}

/// `CREATE [OR REPLACE] PERFETTO TABLE name [USING DATAFRAME] [(columns)] AS select`, or the same with `VIEW`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateRelation {
    /// Whether an existing table or view is replaced.
    pub replace: bool,
    /// The table or view.
    pub name: Name,
    /// The columns that `select` must have; empty if none are listed.
    pub columns: Vec<Column>,
    /// The rows. Macros in it are not yet expanded.
    pub select: Fragment,
}

/// `CREATE [OR REPLACE] PERFETTO FUNCTION name(arguments) RETURNS type AS select`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateFunction {
    /// Whether an existing function is replaced.
    pub replace: bool,
    /// The function.
    pub name: Name,
    /// Its arguments.
    pub arguments: Vec<Column>,
    /// What it returns.
    pub returns: Returns,
    /// What it does.
    pub body: FunctionBody,
}

/// What a function returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Returns {
    /// One value of this type.
    Scalar(Type),
    /// Rows with these columns.
    Table(Vec<Column>),
}

/// What a function does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FunctionBody {
    /// It runs this `SELECT`, in which `$name` is an argument. Macros in it are not yet expanded.
    Select(Fragment),
    /// It is another name of a function that is built in.
    DelegatesTo(Name),
}

/// `CREATE [OR REPLACE] PERFETTO MACRO name(arguments) RETURNS type AS body`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateMacro {
    /// Whether an existing macro is replaced.
    pub replace: bool,
    /// The macro; case matters.
    pub name: Name,
    /// Its arguments.
    pub arguments: Vec<MacroArgument>,
    /// The kind of text that a call expands to.
    pub returns: MacroType,
    /// The text that replaces a call; `$name` is an argument.
    pub body: Fragment,
}

/// `CREATE [OR REPLACE] PERFETTO INDEX name ON table(columns)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateIndex {
    /// Whether an existing index is replaced.
    pub replace: bool,
    /// The index.
    pub name: Name,
    /// Its table.
    pub table: Name,
    /// Its columns.
    pub columns: Vec<Name>,
}

/// `CREATE VIRTUAL TABLE name USING SPAN_JOIN(table PARTITIONED column, table PARTITIONED column)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateSpanJoin {
    /// The table to create.
    pub name: Name,
    /// The rows that it has.
    pub kind: SpanJoin,
    /// The left and the right table.
    pub tables: [SpanTable; 2],
}

/// Which intervals a span join keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanJoin {
    /// The intervals of both tables: `SPAN_JOIN`.
    Inner,
    /// The intervals of the left table: `SPAN_LEFT_JOIN`.
    Left,
    /// The intervals of either table: `SPAN_OUTER_JOIN`.
    Outer,
}

/// A table of a span join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpanTable {
    /// The table.
    pub name: Name,
    /// Only rows with the same value of this column are joined.
    pub partition: Option<Name>,
}

/// `CREATE VIRTUAL TABLE name USING __intrinsic_flamegraph(table)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateFlamegraph {
    /// The flame graph to create.
    pub name: Name,
    /// The frames: the name of a table, or a `SELECT` in parentheses. Macros in it are not yet expanded.
    pub source: Fragment,
}

/// `CREATE VIRTUAL TABLE name USING __intrinsic_window(start, dur, step)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateWindow {
    /// The table of intervals to create.
    pub name: Name,
    /// The numbers. Macros in them are not yet expanded.
    pub numbers: Fragment,
}

/// `DROP PERFETTO INDEX name ON table`, or another kind of object without `ON`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drop {
    /// The kind of object.
    pub object: Object,
    /// Its name.
    pub name: Name,
    /// The table of an index.
    pub table: Option<Name>,
}

/// The kinds of object that can be dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Object {
    /// A table.
    Table,
    /// A view.
    View,
    /// A function.
    Function,
    /// A macro.
    Macro,
    /// An index.
    Index,
}

/// `INCLUDE PERFETTO MODULE name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    /// The name as written, without spaces: `a.b.c`, `a.b.*`, or `*`.
    pub module: Name,
}

impl Include {
    /// The prefix of the modules' names, if the name ends in `*`: `a.b.` for `a.b.*`.
    pub fn prefix(&self) -> Option<&str> {
        self.module.text.strip_suffix('*')
    }
}
