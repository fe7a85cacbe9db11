//! What can be wrong with a question.

use thiserror::Error;

/// Why a question has no answer. Goes to the page as text, in the frame's `error`.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The question is no JSON object.
    #[error("the question is no JSON object: {0}")]
    NotJson(String),
    /// There is no such operation.
    #[error("no operation is called \"{0}\"")]
    UnknownOp(String),
    /// A field is missing, or of another kind than expected.
    #[error("field \"{field}\" of the question: {expected} expected, found {found}")]
    Field {
        /// The field's name.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A row number that the table does not have.
    #[error("{field} {id} does not exist: there are {count}")]
    NoSuchRow {
        /// The field's name.
        field: &'static str,
        /// The number asked for.
        id: u64,
        /// How many rows there are.
        count: u64,
    },
    /// The asker went away.
    #[error("cancelled")]
    Cancelled,
}

/// What a step to an answer gives. The error is boxed, so that each step passes on a pointer.
pub(crate) type Answered<T = ()> = Result<T, Box<EngineError>>;
