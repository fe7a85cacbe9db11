//! Why an operator failed.

/// Why an operator failed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// An argument is wrong.
    Refused(String),
    /// The query was stopped.
    Interrupted,
    /// The memory limit is reached.
    Memory,
}

impl Failure {
    /// An argument is wrong.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::Refused(message.into())
    }
}
