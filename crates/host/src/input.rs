//! The files of an input, and their bytes.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::perf_folder::perf_folder;

/// The files that make up the input `path`, in the order in which they are read:
///
/// * the file itself;
/// * `a.key` and `a.data` of old tools, for either of them, and for `a` if there is no file `a`;
/// * `a.trace`, for `a` if there are no other files of this name;
/// * the files of a folder that `perf record --threads` wrote. `is_perf` judges the first eight bytes of its `data`.
///
/// `None` if there is no such file.
pub fn input_files(path: &Path, is_perf: impl FnOnce(&[u8]) -> bool) -> Option<Vec<PathBuf>> {
    if let Some(files) = perf_folder(path, is_perf) {
        return Some(files);
    }
    if path.exists() {
        return Some(with_partner(path));
    }
    let pair = [".key", ".data"].map(|ending| with_ending(path, ending));
    if pair.iter().all(|file| file.exists()) {
        return Some(pair.into());
    }
    let trace = with_ending(path, ".trace");
    trace.exists().then(|| vec![trace])
}

/// An existing file, and the other file of its pair if there is one.
fn with_partner(path: &Path) -> Vec<PathBuf> {
    let pair = [path.with_extension("key"), path.with_extension("data")];
    let partner = match path.extension().and_then(|ending| ending.to_str()) {
        Some("key") => &pair[1],
        Some("data") => &pair[0],
        _ => return vec![path.to_owned()],
    };
    if partner.exists() {
        pair.into()
    } else {
        vec![path.to_owned()]
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Finds inputs that are given twice, because each file of a pair names both.
#[derive(Default, Debug)]
pub struct OpenedPairs(Vec<Vec<PathBuf>>);

impl OpenedPairs {
    /// Whether an input with these [files](input_files) is not one of the pairs so far. A single file always is new.
    pub fn is_new(&mut self, files: Vec<PathBuf>) -> bool {
        if files.len() < 2 {
            return true;
        }
        let is_new = !self.0.contains(&files);
        self.0.push(files);
        is_new
    }
}

/// The reason why an input was not read to its end.
#[derive(Debug, Error)]
pub enum FeedError<E> {
    /// The system did not read it.
    #[error("cannot read")]
    Read(#[source] io::Error),
    /// Its consumer refused it.
    #[error(transparent)]
    Refused(E),
}

/// Reads an input to its end, in parts of `part_bytes`. The last part may be shorter.
///
/// # Errors
/// If it cannot be read, or `take` fails.
pub fn feed<E>(
    mut from: impl Read,
    part_bytes: usize,
    mut take: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), FeedError<E>> {
    let mut part = Vec::new();
    loop {
        part.clear();
        let mut next = from.by_ref().take(part_bytes as u64);
        next.read_to_end(&mut part).map_err(FeedError::Read)?;
        if part.is_empty() {
            return Ok(());
        }
        take(&part).map_err(FeedError::Refused)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with empty files, and the names of the files of an input in it.
    fn folder(names: &[&str]) -> (tempfile::TempDir, impl Fn(&str) -> Option<Vec<String>>) {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let path = folder.path().to_owned();
        let files = move |name: &str| {
            let files = input_files(&path.join(name), |_| false)?;
            let names = files.iter().map(|file| file.strip_prefix(&path).unwrap());
            Some(names.map(|name| name.display().to_string()).collect())
        };
        (folder, files)
    }

    fn some(names: &[&str]) -> Option<Vec<String>> {
        Some(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn a_pair_is_found_by_either_file_and_by_its_base_name() {
        let (_folder, files) = folder(&["a.key", "a.data", "a.trace", "b.data", "c.key"]);
        for name in ["a.key", "a.data", "a"] {
            assert_eq!(files(name), some(&["a.key", "a.data"]), "{name}");
        }
        assert_eq!(files("b.data"), some(&["b.data"]));
        assert_eq!(files("c.key"), some(&["c.key"]));
        assert_eq!((files("b"), files("c"), files("d.key")), (None, None, None));
    }

    #[test]
    fn a_base_name_is_the_last_choice() {
        let (_folder, files) = folder(&["a", "a.trace", "b.c.trace", "x.key.trace"]);
        assert_eq!(files("a"), some(&["a"]));
        assert_eq!(files("b.c"), some(&["b.c.trace"]));
        assert_eq!(files("b"), None);
        assert_eq!(files("x.key"), some(&["x.key.trace"]));
    }

    #[test]
    fn only_pairs_are_read_once() {
        let pair = || vec![PathBuf::from("a.key"), PathBuf::from("a.data")];
        let one = || vec![PathBuf::from("a")];
        let mut opened = OpenedPairs::default();
        let are_new = [one(), pair(), one(), pair()].map(|files| opened.is_new(files));
        assert_eq!(are_new, [true, true, true, false]);
    }

    #[test]
    fn parts_have_the_given_size() {
        let mut parts = Vec::new();
        let fed = feed(&b"abcdefgh"[..], 3, |part| {
            parts.push(part.to_vec());
            Ok::<(), ()>(())
        });
        assert!(fed.is_ok());
        assert_eq!(parts, [&b"abc"[..], b"def", b"gh"]);
        let refused = feed(&b"abc"[..], 2, |part| Err(part.len()));
        assert!(matches!(refused, Err(FeedError::Refused(2))));
    }
}
