//! Outputs: they appear complete, with their mode, and never through files of other users.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use traceloom_host::{NewFile, PlaceError, RECORDING, RESULT, Scratch, resolve};

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<_> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_file_appears_when_it_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    for text in ["first", "second"] {
        let before = names(folder.path());
        let mut new = NewFile::create(&path, RECORDING).unwrap();
        new.file().write_all(text.as_bytes()).unwrap();
        if cfg!(target_os = "linux") {
            assert_eq!(names(folder.path()), before);
        }
        new.persist().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(names(folder.path()), ["out"]);
        assert_eq!(mode(&path), 0o600);
    }
    let mut dropped = NewFile::create(&path, RESULT).unwrap();
    dropped.file().write_all(b"third").unwrap();
    drop(dropped);
    assert_eq!(fs::read_to_string(&path).unwrap(), "second");
    assert_eq!(names(folder.path()), ["out"]);
}

#[test]
fn a_result_has_the_usual_mode() {
    let folder = tempfile::tempdir().unwrap();
    let [ours, usual] = ["ours", "usual"].map(|name| folder.path().join(name));
    NewFile::create(&ours, RESULT).unwrap().persist().unwrap();
    fs::write(&usual, "").unwrap();
    assert_eq!(mode(&ours), mode(&usual));
}

#[test]
fn a_library_opens_a_file_by_its_temporary_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let new = NewFile::create_named(&path, RESULT).unwrap();
    let name = new.temporary_name().unwrap().to_owned();
    assert_eq!(name.parent(), Some(folder.path()));
    fs::write(&name, "text").unwrap();
    new.persist().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "text");
    assert_eq!(names(folder.path()), ["out"]);
    drop(NewFile::create_named(&path, RESULT).unwrap());
    assert_eq!(names(folder.path()), ["out"]);
}

#[test]
fn a_folder_in_its_place_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    fs::create_dir(&path).unwrap();
    let new = NewFile::create(&path, RESULT).unwrap();
    assert!(new.persist().is_err());
    assert_eq!(names(folder.path()), ["out"]);
}

#[test]
fn a_scratch_file_can_be_read_again() {
    let mut scratch = Scratch::new().unwrap();
    scratch.file().write_all(b"again").unwrap();
    let path = scratch.path();
    assert_eq!(fs::read_to_string(&path).unwrap(), "again");
    assert_eq!(mode(&path), 0o600);
    let id = |path: &Path| fs::metadata(path).map(|file| (file.dev(), file.ino()));
    let before = id(&path).unwrap();
    drop(scratch);
    // The path has the number of the open file, which another test may have by now.
    assert_ne!(id(&path).ok(), Some(before));
}

#[test]
fn links_of_ones_own_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let [link, target] = ["link", "target"].map(|name| folder.path().join(name));
    symlink("target", &link).unwrap();
    assert!(resolve(&link).unwrap().ends_with("target"));
    fs::write(&target, "").unwrap();
    assert_eq!(resolve(&link).unwrap(), target.canonicalize().unwrap());
    assert_eq!(resolve(&target).unwrap(), target);
}

/// Needs root, to give the link to another user.
#[test]
fn links_of_others_in_shared_folders_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let [link, target] = ["link", "target"].map(|name| folder.path().join(name));
    fs::write(&target, "precious").unwrap();
    symlink(&target, &link).unwrap();
    if std::os::unix::fs::lchown(&link, Some(12_345), None).is_err() {
        println!("skipped: only root can give a link to another user");
        return;
    }
    // Nobody else can write to this folder.
    assert_eq!(resolve(&link).unwrap(), target.canonicalize().unwrap());
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    let refused = resolve(&link).unwrap_err();
    assert!(
        matches!(&refused, PlaceError::Planted(at) if *at == link),
        "{refused}"
    );
    assert_eq!(resolve(&target).unwrap(), target);
}
