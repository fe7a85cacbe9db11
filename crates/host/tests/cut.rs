//! Files that are truncated while they are mapped.
#![cfg(unix)]

use std::fs::File;
use std::path::Path;

use traceloom_host::{Content, Map, Truncated};

const MEGABYTES: usize = 4 << 20;

fn file(folder: &Path, length: usize) -> File {
    let path = folder.join("file");
    std::fs::write(&path, vec![7; length]).unwrap();
    File::options().read(true).write(true).open(path).unwrap()
}

#[test]
fn a_truncated_map_reads_as_zeros_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(folder.path(), MEGABYTES);
    let map = Map::new(&file).unwrap();
    assert_eq!((map[0], map[MEGABYTES - 1], map.check()), (7, 7, Ok(())));
    file.set_len(10_000).unwrap();
    assert_eq!(map[9_999], 7);
    assert_eq!((map[1 << 20], map[MEGABYTES - 1]), (0, 0));
    assert_eq!(map.check(), Err(Truncated));
    // Truncate the file again, before its first end.
    file.set_len(0).unwrap();
    assert!(map.iter().all(|byte| *byte == 0));
}

#[test]
fn what_became_longer_again_was_still_truncated() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(folder.path(), MEGABYTES);
    let map = Map::new(&file).unwrap();
    file.set_len(0).unwrap();
    assert_eq!(map[MEGABYTES / 2], 0);
    file.set_len(2 * MEGABYTES as u64).unwrap();
    assert_eq!(map.check(), Err(Truncated));
}

/// The rest of the last page reads as zeros without any signal.
#[test]
fn a_cut_inside_the_last_page_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(folder.path(), MEGABYTES);
    let map = Map::new(&file).unwrap();
    file.set_len(MEGABYTES as u64 - 5).unwrap();
    assert_eq!(map[MEGABYTES - 1], 0);
    assert_eq!(map.check(), Err(Truncated));
}

#[test]
fn threads_may_read_past_the_end_together() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(folder.path(), MEGABYTES);
    let map = Map::new(&file).unwrap();
    file.set_len(0).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert!(map.iter().all(|byte| *byte == 0)));
        }
    });
    assert_eq!(map.check(), Err(Truncated));
}

#[test]
fn other_maps_stay_as_they_are() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let files = folders
        .each_ref()
        .map(|folder| file(folder.path(), MEGABYTES));
    let [cut, whole] = files.each_ref().map(|file| Map::new(file).unwrap());
    files[0].set_len(0).unwrap();
    assert!(cut.iter().all(|byte| *byte == 0));
    assert!(whole.iter().all(|byte| *byte == 7));
    assert_eq!((cut.check(), whole.check()), (Err(Truncated), Ok(())));
}

#[test]
fn small_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let small = file(folder.path(), 1000);
    let content = Content::open(&folder.path().join("file")).unwrap();
    small.set_len(0).unwrap();
    assert!(content.iter().all(|byte| *byte == 7));
    assert_eq!(content.check(), Ok(()));
}

#[test]
fn pieces_are_the_bytes_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for length in [1000, MEGABYTES + 1] {
        let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let content = Content::open(&path).unwrap();
        let mut buffer = Vec::new();
        for (from, to) in [(0, 300), (length - 300, length), (length, length)] {
            let piece = content.piece(from, 300, &mut buffer);
            assert!(piece == &bytes[from..to], "{from} of {length}");
        }
        assert!(content.piece(length + 1, 300, &mut buffer).is_empty());
    }
}

#[test]
fn a_piece_of_a_truncated_file_is_zeros() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(folder.path(), MEGABYTES);
    let content = Content::open(&folder.path().join("file")).unwrap();
    file.set_len(10_000).unwrap();
    let mut buffer = Vec::new();
    assert_eq!(content.piece(9_000, 1_000, &mut buffer), [7; 1_000]);
    assert_eq!(content.piece(1 << 20, 1_000, &mut buffer), [0; 1_000]);
    assert_eq!(content.check(), Err(Truncated));
}

/// Slots are freed: one after the other, more maps are made than can be guarded at once.
#[test]
fn maps_can_be_made_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(folder.path(), 1 << 20);
    for _ in 0..200 {
        assert_eq!(Map::new(&file).unwrap()[5], 7);
    }
}
