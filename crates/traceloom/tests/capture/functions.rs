//! Function tracing (`-k`) on a kernel that does not support it: an error only if nothing else is
//! requested.

use testkit::KernelTurn;

use crate::abandoned::wait_for;
use crate::android::{on, with_device};
use crate::linux::settings;
use crate::work::{said, traceloom};

fn refuses() -> bool {
    let tracers = std::fs::read_to_string("/sys/kernel/tracing/available_tracers");
    let refuses = !tracers.unwrap_or_default().contains("function_graph");
    if !refuses {
        println!("skipped: this kernel can trace functions");
    }
    refuses
}

/// The complaint, on any kernel.
fn complaint(output: &std::process::Output) -> String {
    let tracers = std::fs::read_to_string("/sys/kernel/tracing/available_tracers").unwrap();
    said(output).1.replace(tracers.trim_end(), "[tracers]")
}

#[test]
fn this_machine_says_that_it_traces_none() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    if !refuses() {
        return;
    }
    let (folder, before) = (tempfile::tempdir().unwrap(), settings());
    for output in ["x.txt", "x.dat"] {
        let args = ["capture", "--target", "linux", "-k", "vfs_read", "-t", "1"];
        let args = [&args[..], &["-o", output, "sched"]].concat();
        let output = traceloom(folder.path(), &args).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        insta::allow_duplicates!(insta::assert_snapshot!(complaint(&output), @r"
        traceloom: error: this kernel does not trace functions (-k): its tracers are [tracers], without function_graph
          leave out --ktr to record everything else
        "));
    }
    assert_eq!(settings(), before);
}

#[test]
fn a_device_says_that_it_traces_none() {
    with_device(|device, folder| {
        if !refuses() {
            return;
        }
        let before = settings();
        for output in ["x.txt", "x.dat"] {
            let args = [
                "capture", "-k", "vfs_read", "-t", "1", "-o", output, "sched",
            ];
            let output = on(device, folder, &args).output().unwrap();
            assert_eq!(output.status.code(), Some(2));
            insta::allow_duplicates!(
                insta::assert_snapshot!(complaint(&output), @"traceloom: atrace did not start on the device: error: this kernel does not trace functions (-k): its tracers are [tracers], without function_graph")
            );
        }
        // Android's own atrace says the same in other words, and exits with 0.
        std::fs::remove_file(device.home().join("bin/atrace")).unwrap();
        let script = "case \"$*\" in *--list*) echo '  sched - CPU Scheduling';; *_start*) \
                      echo 'error opening set_ftrace_filter: No such file or directory (2)' >&2; \
                      echo 'unable to start tracing' >&2;; esac";
        device.install("atrace", script).unwrap();
        let args = [
            "capture", "-k", "vfs_read", "-t", "1", "-o", "x.txt", "sched",
        ];
        let output = on(device, folder, &args).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        insta::assert_snapshot!(said(&output).1, @"traceloom: atrace did not start on the device: error opening set_ftrace_filter: No such file or directory (2)");
        // The shell on the device restores them after the host has ended.
        wait_for(&before);
    });
}
