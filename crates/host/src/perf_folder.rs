//! Folders in which perf writes a recording of several files.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The bytes that show whether a file is perf's.
const MAGIC_BYTES: u64 = 8;

/// The files of a folder that `perf record --threads` wrote, in order: `data`, which has the header, then `data.0`,
/// `data.1` … `None` if the folder has no such file, or if `is_perf` rejects its first eight bytes.
pub(crate) fn perf_folder(
    folder: &Path,
    is_perf: impl FnOnce(&[u8]) -> bool,
) -> Option<Vec<PathBuf>> {
    let header = folder.join("data");
    // Opening a pipe would wait for its writer.
    if !header.is_file() || !is_perf(&magic(&header)?) {
        return None;
    }
    let names = std::fs::read_dir(folder).ok()?.flatten();
    let numbers = names.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        name.strip_prefix("data.")?.parse::<u32>().ok()
    });
    let mut numbers: Vec<_> = numbers.collect();
    numbers.sort_unstable();
    let further = numbers.into_iter();
    let further = further.map(|number| folder.join(format!("data.{number}")));
    Some([header].into_iter().chain(further).collect())
}

fn magic(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(MAGIC_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::perf_folder;

    #[test]
    fn the_files_are_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let files = |is_perf: bool| {
            let files = perf_folder(folder.path(), |magic| is_perf && magic == b"PERFILE2")?;
            let names = files.iter().map(|file| file.strip_prefix(&folder).unwrap());
            Some(
                names
                    .map(|name| name.display().to_string())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(files(true), None);
        for name in ["data", "data.10", "data.9", "data.old", "other"] {
            std::fs::write(folder.path().join(name), "PERFILE2 and more").unwrap();
        }
        assert_eq!(files(true).unwrap(), ["data", "data.9", "data.10"]);
        assert_eq!(files(false), None);
    }
}
