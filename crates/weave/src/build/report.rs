//! What a build did.

use std::collections::BTreeMap;

use crate::weaver::LeftOut;

/// What was woven, and what was not and why.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Class files in all inputs.
    pub classes: usize,
    /// Those with at least one woven method.
    pub woven_classes: usize,
    /// Of those, the ones that came out of the cache.
    pub cached_classes: usize,
    /// Methods in all class files.
    pub methods: usize,
    /// Those that were woven.
    pub woven_methods: usize,
    /// Methods that were not woven, by [`LeftOut::name`].
    pub left_out: BTreeMap<&'static str, usize>,
    /// Methods that were wanted and could not be woven.
    pub failures: Vec<Failure>,
    /// Class files that could not be read and were copied as they are: where, and why.
    pub unreadable: Vec<(String, String)>,
    /// Archives whose signatures were dropped, since they hold no longer.
    pub unsigned: Vec<String>,
    /// Entries that came twice on the way into one archive, of which the first stayed.
    pub duplicates: Vec<String>,
    /// Bytes of all class files before.
    pub bytes_before: u64,
    /// Bytes of all class files after. Those from the cache count as what they are.
    pub bytes_after: u64,
}

/// A method that could not be woven.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Class and method: `com.example.Feed.load(I)V`.
    pub method: String,
    /// The file that has it.
    pub place: String,
    /// Why.
    pub why: LeftOut,
}

impl Report {
    pub(super) fn count(&mut self, why: &LeftOut) {
        *self.left_out.entry(why.name()).or_default() += 1;
    }
}
