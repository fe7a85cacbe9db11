//! `--by`: how calls are grouped into rows.

use traceloom_analyze::GroupBy;

/// The grouping of rows.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// Method, or slice name
    Method,
    /// Class
    Class,
    /// Package
    Package,
    /// Thread
    Thread,
}

impl From<By> for GroupBy {
    fn from(by: By) -> Self {
        match by {
            By::Method => Self::Method,
            By::Class => Self::Class,
            By::Package => Self::Package,
            By::Thread => Self::Thread,
        }
    }
}
