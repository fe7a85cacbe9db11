//! Puts the results of many files below each other.

use anyhow::Result;
use traceloom_query::{Output, ValueRef};

use super::file::Answer;

/// The results of one query on many files, as one result.
pub(super) struct Below<'a> {
    /// The names of the file's own columns.
    own: &'a [String],
    has_columns: bool,
    out: &'a mut dyn Output,
}

impl<'a> Below<'a> {
    pub fn new(own: &'a [String], out: &'a mut dyn Output) -> Self {
        Self {
            own,
            has_columns: false,
            out,
        }
    }

    /// Adds the rows of a file. The query's columns are the same in each file, because every trace has the same tables.
    ///
    /// # Errors
    /// If the rows cannot be written.
    pub fn add(&mut self, answer: &Answer) -> Result<()> {
        if !self.has_columns {
            self.out
                .columns(&[self.own, &answer.result.names].concat())?;
            self.has_columns = true;
        }
        for row in &answer.result.rows {
            let values = answer.own.iter().chain(row).map(ValueRef::from);
            self.out.row(&values.collect::<Vec<_>>())?;
        }
        Ok(())
    }
}
