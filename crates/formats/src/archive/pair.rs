//! Old recordings of methods are two files: `x.key` and `x.data`.

use rustc_hash::FxHashMap;

/// An entry to be read.
pub(crate) struct Entry {
    pub name: String,
    pub index: usize,
    /// The entry that continues this one.
    pub then: Option<usize>,
}

/// Joins each pair `x.key` and `x.data` into one entry, and omits folders. If names repeat, the nth `x.key` belongs to
/// the nth `x.data`.
pub(crate) fn pair(names: &[&str]) -> Vec<Entry> {
    let numbered = numbered(names);
    let rows = numbered.iter().enumerate();
    let by_name: FxHashMap<_, usize> = rows.map(|(row, name)| (*name, row)).collect();
    let other = |(name, number): (&str, usize), own: &str, other: &str| {
        let name = format!("{}{other}", name.strip_suffix(own)?);
        by_name.get(&(name.as_str(), number)).copied()
    };
    let mut entries = Vec::new();
    for (index, named) in numbered.iter().enumerate() {
        let is_second = other(*named, ".data", ".key").is_some();
        if is_second || named.0.ends_with('/') {
            continue;
        }
        entries.push(Entry {
            name: named.0.to_owned(),
            index,
            then: other(*named, ".key", ".data"),
        });
    }
    entries
}

/// Each name, with its number among equal names, from 1.
fn numbered<'a>(names: &[&'a str]) -> Vec<(&'a str, usize)> {
    let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
    let number = |name: &&'a str| {
        let count = seen.entry(name).or_default();
        *count += 1;
        (*name, *count)
    };
    names.iter().map(number).collect()
}
