//! Errors in questions.

use thiserror::Error;

/// The reason why a question has no answer. The page gets it as text, in the frame's `error`.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The question is not a JSON object.
    #[error("the question is not a JSON object: {0}")]
    NotJson(String),
    /// There is no such operation.
    #[error("no operation is called \"{0}\"")]
    UnknownOp(String),
    /// Fields are missing.
    #[error("the question: {0}")]
    Fields(String),
    /// A field has a value of the wrong type or out of range.
    #[error("field \"{field}\" of the question: {problem}")]
    Field {
        /// The field's name.
        field: String,
        /// What was expected, and what was found.
        problem: String,
    },
    /// A row number that the table does not have.
    #[error("{field} {id} does not exist: there are {count}")]
    NoSuchRow {
        /// The field's name.
        field: &'static str,
        /// The row number in the question.
        id: u64,
        /// How many rows there are.
        count: u64,
    },
    /// More transforms of the call tree than one question may have.
    #[error("the question has {count} transforms; it may have up to {most}")]
    TooManyTransforms {
        /// How many it has.
        count: usize,
        /// How many it may have.
        most: usize,
    },
    /// The answer is no longer wanted.
    #[error("cancelled")]
    Cancelled,
}

/// The result of a step towards an answer. The error is boxed to keep results small.
pub(crate) type Answered<T = ()> = Result<T, Box<EngineError>>;
