//! Every way to write, in libraries of every layout: marks are caught, other writes pass through, and everything is
//! restored.

use std::fs::File;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::Path;

use traceloom_inapp::hook::{Hook, Libraries, MAGIC_FD, Options};

use super::build::{Library, Workshop};
use super::elf::words;
use super::process::{alone, errno, keep, kept, set_errno};
use super::snapshot::Snapshot;
use super::writer::{WAYS, Writer};

/// Name, compiler, flags.
const LAYOUTS: &[(&str, &str, &[&str])] = &[
    ("relro", "cc", &["-Wl,-z,relro,-z,lazy"]),
    ("norelro", "cc", &["-Wl,-z,norelro,-z,lazy"]),
    ("now", "cc", &["-Wl,-z,relro,-z,now"]),
    ("noplt", "cc", &["-fno-plt", "-Wl,-z,relro,-z,now"]),
    ("noplt_lazy", "cc", &["-fno-plt", "-Wl,-z,lazy"]),
    ("relr", "cc", &["-Wl,-z,pack-relative-relocs"]),
    ("sysv", "cc", &["-Wl,--hash-style=sysv"]),
    ("gnu", "cc", &["-Wl,--hash-style=gnu"]),
    ("symbolic", "cc", &["-Wl,-Bsymbolic"]),
    ("clang", "clang", &["-Wl,-z,now"]),
    ("lld", "clang", &["-fuse-ld=lld", "LLD"]),
    ("lld_lazy", "clang", &["-fuse-ld=lld", "LLD", "-Wl,-z,lazy"]),
    (
        "lld_relr",
        "clang",
        &["-fuse-ld=lld", "LLD", "-Wl,-z,pack-relative-relocs"],
    ),
    (
        "lld_large_pages",
        "clang",
        &["-fuse-ld=lld", "LLD", "-Wl,-z,max-page-size=16384"],
    ),
];

fn options() -> Options {
    Options {
        libraries: Libraries::Named(vec!["libwriter.so".into()]),
        ..Options::default()
    }
}

#[test]
fn every_layout() {
    alone("layouts::every_layout", || {
        let workshop = Workshop::new();
        let _fortify = workshop.fortify();
        let built = LAYOUTS
            .iter()
            .filter(|(name, compiler, flags)| layout(&workshop, name, compiler, flags));
        let count = built.count();
        assert!(count >= 6, "only {count} layouts could be built");
    });
}

fn layout(workshop: &Workshop, name: &str, compiler: &str, flags: &[&str]) -> bool {
    let lld = Workshop::lld();
    if flags.contains(&"LLD") && lld.is_none() {
        println!("skipped: {name}: rustc comes without ld.lld");
        return false;
    }
    let mut flags: Vec<_> = flags
        .iter()
        .map(|flag| {
            if *flag == "LLD" {
                lld.as_deref().unwrap()
            } else {
                flag
            }
        })
        .collect();
    flags.push("-Wl,-soname,libwriter.so");
    let Some(path) = workshop.library(compiler, "writer.c", name, &flags) else {
        return false;
    };
    eprintln!("{name}");
    for flags in [libc::RTLD_LAZY, libc::RTLD_NOW] {
        let writer = Writer::from(Library::open_with(&path, flags));
        check_layout(&path, &writer);
        // Lazy slots are bound by the first call.
        WAYS.iter()
            .enumerate()
            .for_each(|(way, _)| assert_eq!(writer.put_by(way, -1, b"x"), -1));
        check_layout(&path, &writer);
    }
    true
}

fn check_layout(path: &Path, writer: &Writer) {
    let before = Snapshot::of(path);
    let hook = Hook::install(&options(), keep).unwrap();
    let report = hook.report();
    assert_eq!(
        (
            report.libraries,
            report.refused,
            report.broken,
            report.unfinished
        ),
        (1, 0, 0, 0),
        "{report:?}"
    );
    let hooked = Snapshot::of(path);
    assert_eq!(before.changed_words(&hooked), report.changed);
    assert_eq!(report.changed, words(path));
    assert!(report.changed >= 4);
    for way in 0..WAYS.len() {
        caught(writer, way);
        passed_through(writer, way);
    }
    assert_eq!(hook.refresh().unwrap().changed, 0);
    // The calls did not bind any word again.
    hooked.assert_same(&Snapshot::of(path));
    let removed = hook.remove().unwrap();
    assert_eq!((removed.restored, removed.left_alone), (report.changed, 0));
    before.assert_same(&Snapshot::of(path));
    assert_eq!(writer.put(MAGIC_FD, b"B|1|gone"), -1);
    assert_eq!(kept(), [""; 0]);
    if before.changed_words(&Snapshot::of(path)) > 0 {
        // That call bound a lazy slot. In the next round, all slots are bound.
        assert_eq!(before.changed_words(&Snapshot::of(path)), 1);
    }
}

fn caught(writer: &Writer, way: usize) {
    let long = format!("B|7|{}", "x".repeat(100_000));
    let marks = [
        "B|7|name",
        "E|7",
        "E",
        "S|7|async|1",
        "F|7|async|1",
        "C|7|counter|-5",
        "I|7|instant",
        "N|7|track|instant",
        "G|7|track|async|9",
        "H|7|track|9",
        "B|7|with|bars",
        "B|7|",
        "B|7|mit Größe",
        &long,
    ];
    for mark in marks {
        set_errno(libc::ENOTTY);
        assert_eq!(
            writer.put_by(way, MAGIC_FD, mark.as_bytes()),
            mark.len() as isize
        );
        assert_eq!(errno(), libc::ENOTTY);
    }
    assert_eq!(kept(), marks);
    assert_eq!(writer.put_by(way, MAGIC_FD, b"E|7\n"), 4);
    assert_eq!(kept(), ["E|7"], "without the line feed");
}

/// Other writes behave as without the hook: results, `errno`, partial writes, invalid addresses.
fn passed_through(writer: &Writer, way: usize) {
    let (mut here, there) = UnixStream::pair().unwrap();
    let fd = there.as_raw_fd();
    assert_eq!(writer.put_by(way, fd, b"B|7|to a file"), 13);
    let mut text = [0; 13];
    here.read_exact(&mut text).unwrap();
    assert_eq!(&text, b"B|7|to a file");

    assert_eq!(
        (writer.put_by(way, -1, b"B|7|x"), errno()),
        (-1, libc::EBADF)
    );
    let full = File::options().write(true).open("/dev/full").unwrap();
    assert_eq!(
        (writer.put_by(way, full.as_raw_fd(), b"B|7|x"), errno()),
        (-1, libc::ENOSPC)
    );
    assert_eq!(writer.put_by(way, fd, b""), 0);

    there.set_nonblocking(true).unwrap();
    let much = vec![b'B'; 16 << 20];
    let part = writer.put_by(way, fd, &much);
    assert!((1..much.len() as isize).contains(&part), "{part}");
    assert_eq!((writer.put_by(way, fd, &much), errno()), (-1, libc::EAGAIN));

    // SAFETY: nothing but the kernel reads from this invalid address, and it refuses.
    let invalid = unsafe { std::slice::from_raw_parts(std::ptr::without_provenance(8), 4) };
    there.set_nonblocking(false).unwrap();
    drop(here);
    let pipe = pipe();
    assert_eq!(
        (writer.put_by(way, pipe.1.as_raw_fd(), invalid), errno()),
        (-1, libc::EFAULT)
    );
    assert_eq!(kept(), [""; 0]);
}

fn pipe() -> (std::io::PipeReader, std::io::PipeWriter) {
    std::io::pipe().unwrap()
}

#[test]
fn only_the_chosen_libraries() {
    alone("layouts::only_the_chosen_libraries", || {
        let workshop = Workshop::new();
        let _fortify = workshop.fortify();
        let build = |name: &str| workshop.library("cc", "writer.c", name, &[]).unwrap();
        let (one, other) = (build("writer"), build("other"));
        let (one, other) = (Writer::open(&one), Writer::open(&other));
        let hook = Hook::install(&options(), keep).unwrap();
        assert_eq!(one.put(MAGIC_FD, b"E|1"), 3);
        assert_eq!(other.put(MAGIC_FD, b"E|2"), -1);
        assert!(matches!(
            Hook::install(&Options::default(), keep),
            Err(traceloom_inapp::hook::HookError::Installed)
        ));
        drop(hook);
        let all = Hook::install(&Options::default(), keep).unwrap();
        assert_eq!(
            (one.put(MAGIC_FD, b"E|3"), other.put(MAGIC_FD, b"E|4")),
            (3, 3)
        );
        assert_eq!(kept(), ["E|1", "E|3", "E|4"]);
        assert!(
            all.report().libraries > 3 && all.report().changed > 8,
            "{:?}",
            all.report()
        );
        assert_eq!(
            (all.report().broken, all.report().refused),
            (0, 0),
            "{:?}",
            all.report()
        );
        let removed = all.remove().unwrap();
        assert_eq!(removed.left_alone, 0);
    });
}
