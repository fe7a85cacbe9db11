//! What scripts have defined so far, besides tables and views.

use std::collections::BTreeSet;

use crate::dialect::Macros;
use crate::sqlite::defined::Defined;
use crate::stdlib::Library;

/// Macros, functions and modules.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    pub macros: Macros,
    pub functions: Defined,
    pub library: Library,
    /// The names of span joins, in lowercase.
    pub span_joins: BTreeSet<String>,
}
