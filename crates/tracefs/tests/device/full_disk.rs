//! Recordings whose disk is full.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use traceloom_formats::{ReadOptions, read_bytes};

use crate::kernel::Kernel;
use crate::left_behind::{send, unusual};
use crate::program::{Device, Program, said, wait_until_recording};
use crate::workload::Marker;

#[test]
fn a_full_disk_is_reported_and_everything_restored() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let before = unusual(&kernel);
    for args in [&["-t", "0"][..], &["-z", "-t", "0"], &["--raw", "-t", "0"]] {
        let args = [args, &["-o", "/dev/full", "sched"]].concat();
        let said = device.run(Program::Ours, &args);
        assert_eq!(
            (said.code, said.stderr.as_str()),
            (
                Some(1),
                "error writing to /dev/full: No space left on device (28)"
            )
        );
        assert_eq!(kernel.settings(), before);
    }
    // An output file that cannot be created is reported before the recording.
    let folder = device.path("no/such/folder/trace");
    let said = device.run(
        Program::Ours,
        &["-t", "600", "-o", folder.to_str().unwrap()],
    );
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""));
    assert!(
        said.stderr.contains("No such file or directory (2)"),
        "{said:?}"
    );
}

/// A mounted file system of 256 KB. It is unmounted when dropped.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", "size=256k", "none"])
            .arg(folder.path());
        assert!(mount.status().unwrap().success());
        Self(folder)
    }

    /// Whether this disk has no space left. (A file that takes space for a moment would fill it for the recorder too.)
    fn is_full(&self) -> bool {
        let path = std::ffi::CString::new(self.0.path().to_str().unwrap()).unwrap();
        // SAFETY: numbers, for which zeros are valid.
        let mut disk: libc::statvfs = unsafe { std::mem::zeroed() };
        // SAFETY: a C string, and a structure to fill.
        assert_eq!(unsafe { libc::statvfs(path.as_ptr(), &raw mut disk) }, 0);
        disk.f_bavail == 0
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

/// Long marks, as many as fit into several pages of the buffer.
fn put_pages_of_marks(marker: &mut Marker) {
    for _ in 0..20 {
        marker.put(&format!("I|1|{}", "x".repeat(900)));
    }
}

/// A disk that fills during the recording: the recording goes on, and all of it is kept on another disk.
#[test]
fn what_a_full_disk_cannot_take_is_kept_on_another_one() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let other = tempfile::tempdir().unwrap();
    let disk = SmallDisk::mount();
    let file = disk.0.path().join("trace.dat");
    let kept = other.path().join("trace.dat");
    let args = ["--raw", "--stream", "-o", file.to_str().unwrap()];
    // The buffer has room for what is written while the recorder changes to the other disk.
    let args = [&args[..], &["-b", "16384", "sched"]].concat();
    let mut command = device.command(Program::Ours, &args);
    let mut child = command.env("TMPDIR", other.path()).spawn().unwrap();
    wait_until_recording(&mut child);
    let mut marker = Marker::open();
    marker.put("I|1|the first");
    while !disk.is_full() {
        put_pages_of_marks(&mut marker);
        // The recorder must keep up, however late it runs.
        std::thread::sleep(Duration::from_millis(1));
    }
    marker.put("I|1|the last");
    send(&child, libc::SIGINT);
    let end = said(child);
    let message = format!(
        "error writing to {}: No space left on device (28); the trace is in {}",
        file.display(),
        kept.display()
    );
    assert_eq!((end.code, end.stderr), (Some(1), message));
    kernel.wait_for(kernel.baseline());
    let trace = read_bytes(&fs::read(kept).unwrap(), ReadOptions::default()).unwrap();
    for mark in ["the first", "the last"] {
        assert!(trace.strings.lookup(mark).is_some(), "{mark}");
    }
    assert!(!file.exists());
}

/// The same for text, which is written after the recording.
#[test]
fn a_text_that_a_full_disk_cannot_take_is_kept_on_another_one() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let other = tempfile::tempdir().unwrap();
    let disk = SmallDisk::mount();
    let file = disk.0.path().join("trace.txt");
    let begun = device.run(Program::Ours, &["--async_start", "-b", "1024"]);
    assert_eq!(begun.code, Some(0), "{begun:?}");
    let mut marker = Marker::open();
    for _ in 0..20 {
        put_pages_of_marks(&mut marker);
    }
    marker.put("I|1|the last");
    let args = ["--async_stop", "-o", file.to_str().unwrap()];
    let mut command = device.command(Program::Ours, &args);
    let end = said(command.env("TMPDIR", other.path()).spawn().unwrap());
    assert_eq!(end.code, Some(1), "{end:?}");
    assert!(end.stderr.contains("(28); the trace is in "), "{end:?}");
    let text = fs::read_to_string(other.path().join("trace.txt")).unwrap();
    assert!(text.starts_with("TRACE:\n") && text.contains("I|1|the last"));
    kernel.wait_for(kernel.baseline());
}

/// Runs the command with every folder for temporary files on one small disk. The mounts can hide
/// the program and the fake device, so both are opened before.
fn on_one_small_disk(device: &Device, inner: &Command) -> Command {
    const SCRIPT: &str = "exec 3<\"$0\"; mount --bind \"$DEVICE\" /mnt && \
        mount -t tmpfs -o size=256k none /tmp && mount --bind /tmp /var/tmp && \
        mkdir -p \"$DEVICE\" && mount --bind /mnt \"$DEVICE\" && exec /proc/self/fd/3 \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", SCRIPT]);
    command.arg(inner.get_program()).args(inner.get_args());
    let set = |(name, value): (_, Option<_>)| value.map(|value| (name, value));
    command.envs(inner.get_envs().filter_map(set));
    command.env("DEVICE", device.path("")).env("TMPDIR", "/tmp");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// No disk has space left: the recording ends, and the message is the system's.
#[test]
fn disks_that_fill_while_recording_are_reported_and_everything_restored() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    // A full buffer that does not overwrite would refuse marks too.
    let args = [
        "--raw",
        "-c",
        "-o",
        "/tmp/trace.dat",
        "-t",
        "600",
        "-b",
        "64",
    ];
    let mut command = on_one_small_disk(&device, &device.command(Program::Ours, &args));
    let mut child = command.spawn().unwrap();
    wait_until_recording(&mut child);
    let mut marker = Marker::open();
    // The kernel refuses marks once the recording has stopped.
    while marker.try_put(&"x".repeat(1_000)) {}
    let end = said(child);
    let no_space = "error writing trace: No space left on device (28)";
    assert_eq!((end.code, end.stderr.as_str()), (Some(1), no_space));
    kernel.wait_for(kernel.baseline());
}
