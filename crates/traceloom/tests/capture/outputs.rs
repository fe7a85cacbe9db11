//! Output files that cannot be written: noticed before the recording, or its data is kept.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use testkit::KernelTurn;

use crate::load::{Load, load_for};
use crate::work::{Running, naps, open, said, traceloom};

const LINUX: [&str; 5] = ["capture", "--target", "linux", "-t", "60"];

/// A small file system, unmounted on drop.
struct Disk(PathBuf);

impl Disk {
    fn mount(at: PathBuf, options: &str) -> Option<Self> {
        std::fs::create_dir(&at).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "none"]).arg(&at);
        if mount.output().is_ok_and(|output| output.status.success()) {
            return Some(Self(at));
        }
        println!("skipped: mounting a file system is not permitted");
        None
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_bad_output_is_refused_before_the_recording() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (Some(_ro), Some(full)) = (
        Disk::mount(at("ro"), "size=64k,ro"),
        Disk::mount(at("full"), "size=64k"),
    ) else {
        return;
    };
    std::fs::write(full.0.join("filler"), [0; 64 << 10]).unwrap();
    for ending in ["dat", "txt", "html", "json", "gz"] {
        std::fs::create_dir(at(&format!("folder.{ending}"))).unwrap();
        let cases = [
            ("missing/x", "there is no folder missing"),
            ("folder", "is a folder"),
            ("ro/x", "read-only file system"),
            ("full/x", "no space left on device"),
        ];
        for (name, why) in cases {
            let name = format!("{name}.{ending}");
            let args = [&LINUX[..], &["-o", &name, "sched"]].concat();
            let output = traceloom(folder.path(), &args).output().unwrap();
            let (_, stderr) = said(&output);
            assert_eq!(output.status.code(), Some(2), "{stderr}");
            assert!(stderr.contains(&name) && stderr.contains(why), "{stderr}");
            assert!(!stderr.contains("Starting"), "{stderr}");
        }
    }
}

/// The file that a message says the data was kept in.
fn kept(stderr: &str) -> PathBuf {
    let (_, rest) = stderr
        .split_once("the recorded data was kept in ")
        .expect(stderr);
    rest.split(": ").next().unwrap().into()
}

/// Records into a disk that is too small. Returns the messages.
fn into_full_disk(folder: &Path, name: &str, how: &[&str]) -> String {
    let args = [&LINUX[..], &["-b", "2048", "-o", name, "sched"], how].concat();
    let mut command = traceloom(folder, &args);
    command
        .stdin(Stdio::null())
        .env("TMPDIR", folder.join("tmp"));
    let running = Running::start(command);
    naps(2);
    load_for(40_000);
    let output = running.interrupt();
    let (_, stderr) = said(&output);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("no space left on device"), "{stderr}");
    assert!(stderr.contains(name), "{stderr}");
    stderr
}

#[test]
fn what_does_not_fit_on_the_disk_of_the_output_is_kept_elsewhere() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("tmp")).unwrap();
    let Some(disk) = Disk::mount(folder.path().join("small"), "size=128k") else {
        return;
    };
    let ways: [(&str, &[&str]); 4] = [
        ("small/x.txt", &[]),
        ("small/x.html", &[]),
        ("small/x.dat", &["--ring", "60s"]),
        ("small/x.json", &["--until", "event:nothing"]),
    ];
    for (name, how) in ways {
        let stderr = into_full_disk(folder.path(), name, how);
        let kept = folder.path().join(kept(&stderr));
        let trace = open(&kept);
        assert!(trace.strings.lookup("nap 0").is_some(), "{stderr}");
        assert!(trace.sched_slices.len() > 1000, "{stderr}");
        std::fs::remove_file(kept).unwrap();
    }
    drop(disk);
}

#[test]
fn a_full_folder_for_temporary_files_loses_nothing_already_in_it() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let Some(_disk) = Disk::mount(folder.path().join("tmp"), "size=8m") else {
        return;
    };
    for (name, how) in [
        ("until.dat", &["--until", "event:nothing"][..]),
        ("until.txt", &["--until", "event:nothing"]),
        ("pages.html", &["--raw"]),
    ] {
        let args = [&LINUX[..], &["-b", "4096", "-o", name, "sched"], how].concat();
        let mut command = traceloom(folder.path(), &args);
        command
            .stdin(Stdio::null())
            .env("TMPDIR", folder.path().join("tmp"));
        let mut running = Running::start(command);
        naps(2);
        if name != "pages.html" {
            let load = Load::start();
            running.wait_for("the data stream ended: cannot store the recorded data in ");
            drop(load);
        } else {
            // An event has about 40 bytes.
            load_for(300_000);
            running.signal();
        }
        let output = running.end();
        let (_, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        let trace = open(&folder.path().join(name));
        assert!(trace.strings.lookup("nap 0").is_some(), "{stderr}");
        assert!(trace.sched_slices.len() > 10_000, "{stderr}");
    }
}
