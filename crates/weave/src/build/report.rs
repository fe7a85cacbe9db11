//! The report of a build.

use std::collections::BTreeMap;

use crate::weaver::SkipReason;

/// The result of a build.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Number of class files in all inputs.
    pub classes: usize,
    /// Number of classes with at least one woven method.
    pub woven_classes: usize,
    /// Number of those that came from the cache.
    pub cached_classes: usize,
    /// Number of methods in all class files.
    pub methods: usize,
    /// Number of woven methods.
    pub woven_methods: usize,
    /// Number of methods that were not woven, by [`SkipReason::name`].
    pub skipped: BTreeMap<&'static str, usize>,
    /// Methods that should have been woven and could not be.
    pub failures: Vec<Failure>,
    /// Class files that could not be read and were copied unchanged: path and reason.
    pub unreadable: Vec<(String, String)>,
    /// Archives whose signatures were dropped, because they would no longer be valid.
    pub unsigned: Vec<String>,
    /// Entries that were skipped because another input had an entry with the same name.
    pub duplicates: Vec<String>,
    /// Size of all class files before weaving, bytes. Classes from the cache are not counted.
    pub bytes_before: u64,
    /// Size of the same class files after weaving, bytes.
    pub bytes_after: u64,
}

/// A method that could not be woven.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Class and method: `com.example.Feed.load(I)V`.
    pub method: String,
    /// The file that contains it.
    pub place: String,
    /// The reason.
    pub why: SkipReason,
}

impl Report {
    pub(super) fn count(&mut self, why: &SkipReason) {
        *self.skipped.entry(why.name()).or_default() += 1;
    }
}
