//! Recordings of several files. Old recordings of methods are two: `x.key` and `x.data`. perf may write a folder: `data`, which
//! has the header, and `data.0`, `data.1` …

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

/// An entry to be read.
pub(crate) struct Entry {
    pub name: String,
    pub index: usize,
    /// The entries that continue this one, in order.
    pub then: Vec<usize>,
}

/// Joins the files of each recording into one entry, and omits folders. If names repeat, the nth `x.key` belongs to the
/// nth `x.data`. `is_perf` looks whether an entry begins like a file of perf.
pub(crate) fn pair(names: &[&str], is_perf: impl Fn(usize) -> bool) -> Vec<Entry> {
    let numbered = numbered(names);
    let rows = numbered.iter().enumerate();
    let by_name: FxHashMap<_, usize> = rows.map(|(row, name)| (*name, row)).collect();
    let other = |(name, number): (&str, usize), own: &str, other: &str| {
        let name = format!("{}{other}", name.strip_suffix(own)?);
        by_name.get(&(name.as_str(), number)).copied()
    };
    let mut further = further(&numbered, &by_name, is_perf);
    let mut entries = Vec::new();
    for (index, named) in numbered.iter().enumerate() {
        let is_second = other(*named, ".data", ".key").is_some();
        if is_second || named.0.ends_with('/') || further.of_others.contains(&index) {
            continue;
        }
        let then = further.by_header.remove(&index).unwrap_or_default();
        let then = then.into_values().chain(other(*named, ".key", ".data"));
        entries.push(Entry {
            name: named.0.to_owned(),
            index,
            then: then.collect(),
        });
    }
    entries
}

/// The further files of folders that perf wrote.
#[derive(Default)]
struct Further {
    /// The files by their numbers, for the file with the header.
    by_header: FxHashMap<usize, BTreeMap<u32, usize>>,
    of_others: FxHashSet<usize>,
}

fn further(
    numbered: &[(&str, usize)],
    by_name: &FxHashMap<(&str, usize), usize>,
    is_perf: impl Fn(usize) -> bool,
) -> Further {
    let mut further = Further::default();
    let mut known: FxHashMap<usize, bool> = FxHashMap::default();
    for (index, (name, number)) in numbered.iter().enumerate() {
        let Some((header, nth)) = header_of(name) else {
            continue;
        };
        let header = by_name.get(&(header, *number)).copied();
        let mut has_header = |at| *known.entry(at).or_insert_with(|| is_perf(at));
        if let Some(at) = header.filter(|at| has_header(*at)) {
            further.by_header.entry(at).or_default().insert(nth, index);
            further.of_others.insert(index);
        }
    }
    further
}

/// The name of the file with the header, and the number of a further file.
fn header_of(name: &str) -> Option<(&str, u32)> {
    let (header, number) = name.rsplit_once('.')?;
    let is_header = header.rsplit('/').next() == Some("data");
    let number = number.parse().ok()?;
    is_header.then_some((header, number))
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

#[cfg(test)]
mod tests {
    use super::pair;

    /// The name of each entry, and those that continue it.
    fn joined(names: &[&str]) -> Vec<String> {
        let entries = pair(names, |at| names[at].starts_with("perf"));
        let entry = |entry: super::Entry| {
            let then = entry.then.into_iter().map(|at| format!("+{}", names[at]));
            entry.name + &then.collect::<String>()
        };
        entries.into_iter().map(entry).collect()
    }

    #[test]
    fn files_of_one_recording_are_joined() {
        assert_eq!(
            joined(&["x.data", "a/", "x.key", "y.key"]),
            ["x.key+x.data", "y.key"]
        );
        assert_eq!(
            joined(&["perf/data.10", "perf/data", "perf/data.9", "perf/data.old"]),
            ["perf/data+perf/data.9+perf/data.10", "perf/data.old"]
        );
        assert_eq!(
            joined(&["logs/data", "logs/data.1"]),
            ["logs/data", "logs/data.1"]
        );
    }
}
