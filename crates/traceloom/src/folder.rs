//! Messages about a folder that was given instead of a trace.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use traceloom_formats::{SNIFF_BYTES, detect};

/// The maximum number of names that are read. Folders may have millions of files.
const MOST_NAMES: usize = 10_000;
const MOST_OPENED: usize = 100;

/// Advice for a folder: names the first trace in it, if there is one.
pub(crate) fn advice(folder: &Path) -> String {
    match first_trace(folder) {
        Some(name) => format!(
            "is a folder; name a trace in it, such as {}",
            folder.join(name).display()
        ),
        None => "is a folder, and none of its files is a trace; name the trace itself".to_owned(),
    }
}

fn first_trace(folder: &Path) -> Option<String> {
    let files = std::fs::read_dir(folder).ok()?.take(MOST_NAMES).flatten();
    let mut names: Vec<_> = files.map(|file| file.file_name()).collect();
    names.sort();
    let is_trace = |path: &Path| {
        // Opening a pipe would wait for its writer.
        let is_file = std::fs::metadata(path).is_ok_and(|facts| facts.is_file());
        let mut head = Vec::new();
        let file = is_file.then(|| File::open(path).ok()).flatten();
        let read = file.map(|file| file.take(SNIFF_BYTES as u64).read_to_end(&mut head));
        matches!(read, Some(Ok(_))) && detect(&head).is_some()
    };
    let mut names = names.iter().take(MOST_OPENED);
    let found = names.find(|name| is_trace(&folder.join(name)))?;
    Some(found.to_string_lossy().into_owned())
}
