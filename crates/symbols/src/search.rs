//! Finds copies of a file of code on this machine.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use traceloom_formats::CodeFile;

use crate::elf::build_id;

/// Where Linux distributions install debug symbols, by build id.
const DEBUG: &str = "/usr/lib/debug/.build-id";

/// Endings of a file's name that mark a file with only its symbols.
const OF_SYMBOLS: [&str; 3] = [".debug", ".dbg", ".sym"];

/// Folders that the user names.
#[derive(Debug)]
pub(crate) struct Folders {
    folders: Vec<PathBuf>,
    /// All files in the folders, by file name.
    files: OnceLock<HashMap<String, Vec<PathBuf>>>,
}

impl Folders {
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self {
            folders,
            files: OnceLock::new(),
        }
    }

    /// Copies of a file: those in the user's folders, separate debug symbols, and the file itself.
    ///
    /// Their build ids match the trace. If the trace has no build id, only files in the user's folders count.
    pub fn candidates(&self, file: &CodeFile<'_>) -> Vec<PathBuf> {
        let path = file.path.trim_end_matches(" (deleted)");
        let named = self.named(&names_of(path));
        if file.build_id.is_empty() {
            return named;
        }
        let mut all = Vec::new();
        if let Some((first, rest)) = parts(file.build_id) {
            let names = [format!("{rest}.debug"), rest.to_owned()];
            all.extend(self.named(&names));
            all.extend(names.map(|name| Path::new(DEBUG).join(first).join(name)));
        }
        all.extend(named);
        all.push(PathBuf::from(path));
        let all = all.into_iter();
        all.filter(|path| build_id(path).as_deref() == Some(file.build_id))
            .collect()
    }

    /// Files in the user's folders with these names.
    fn named(&self, names: &[String]) -> Vec<PathBuf> {
        if self.folders.is_empty() {
            return Vec::new();
        }
        let files = self.files.get_or_init(|| all_files(&self.folders));
        let found = names.iter().filter_map(|name| files.get(name));
        found.flatten().cloned().collect()
    }
}

/// The two parts of a build id in the path of a symbol file: `.build-id/ab/cdef.debug`.
fn parts(build_id: &str) -> Option<(&str, &str)> {
    let is_hexadecimal = build_id.bytes().all(|digit| digit.is_ascii_hexdigit());
    let parts = build_id.split_at_checked(2).filter(|_| is_hexadecimal);
    parts.filter(|(_, rest)| !rest.is_empty())
}

/// The names that copies of a file may have. A library inside an APK has a path such as `base.apk!libfoo.so`.
fn names_of(path: &str) -> Vec<String> {
    let name = path.rsplit(['/', '!']).next().unwrap_or(path);
    let of_symbols = OF_SYMBOLS.map(|end| format!("{name}{end}"));
    std::iter::once(name.to_owned()).chain(of_symbols).collect()
}

/// All files in the folders and their subfolders. Links to folders are not followed, so that there are no cycles.
fn all_files(folders: &[PathBuf]) -> HashMap<String, Vec<PathBuf>> {
    let mut files: HashMap<String, Vec<PathBuf>> = HashMap::new();
    let mut left: Vec<PathBuf> = folders.iter().rev().cloned().collect();
    while let Some(folder) = left.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                left.push(entry.path());
            } else if let Ok(name) = entry.file_name().into_string() {
                files.entry(name).or_default().push(entry.path());
            }
        }
    }
    files
}
