//! The objects that scripts have defined so far, besides tables and views.

use std::collections::{BTreeMap, BTreeSet};

use crate::dialect::Macros;
use crate::operators::Pool;
use crate::sqlite::defined::Defined;
use crate::stdlib::Library;

/// Macros, functions and modules.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub macros: Macros,
    pub functions: Defined,
    pub library: Library,
    /// The built-in views that scripts replaced by their own tables and views of the same name.
    pub replaced_views: BTreeSet<&'static str>,
    /// The tables created by `CREATE VIRTUAL TABLE`, by their names in lowercase.
    pub virtual_tables: BTreeSet<String>,
    /// The number of rows of each table of the trace, by its names in lowercase.
    pub row_counts: BTreeMap<String, usize>,
    /// The memory of operators.
    pub pool: Pool,
}

impl Catalog {
    /// Creates a catalog with only the standard library.
    pub fn new(pool: Pool, row_counts: BTreeMap<String, usize>) -> Self {
        Self {
            macros: Macros::default(),
            functions: Defined::new(row_counts.keys().cloned()),
            library: Library::default(),
            replaced_views: BTreeSet::new(),
            virtual_tables: BTreeSet::new(),
            row_counts,
            pool,
        }
    }
}
