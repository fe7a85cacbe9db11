//! A device: Android's own adbd on loopback behind Debian's adb, with our atrace on its path.

use std::path::Path;
use std::process::{Command, Output};

use testkit::{KernelTurn, Loopback};

use crate::work::{
    Running, SLEEP, TRACELOOM, check_sleeper, naps, open, record, said, sleeper, took_ms, traceloom,
};

/// Runs a test with a device and the kernel; prints a message if that is impossible.
pub fn with_device(test: impl FnOnce(&mut Loopback, &Path)) {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    match Loopback::start(Some(Path::new(TRACELOOM))) {
        Ok(mut device) => test(&mut device, folder.path()),
        Err(why) => println!("skipped: {why}"),
    }
}

pub fn on(device: &Loopback, folder: &Path, args: &[&str]) -> Command {
    let mut command = traceloom(folder, args);
    command.env("ANDROID_ADB_SERVER_PORT", device.port().to_string());
    command
}

fn run(device: &Loopback, folder: &Path, args: &[&str]) -> Output {
    on(device, folder, args).output().unwrap()
}

#[test]
fn the_whole_chain_as_systrace() {
    with_device(|device, folder| {
        let args = [
            "systrace",
            "-o",
            "trace.html",
            "-b",
            "2048",
            "-a",
            "com.example.app",
            "sched",
            "view",
            "nonsense",
        ];
        let output = record(on(device, folder, &args), || {
            assert_eq!(device.property("debug.atrace.app_0"), "com.example.app");
            sleeper("android sleeper");
        });
        let (stdout, stderr) = said(&output);
        assert!(output.status.success(), "{stdout}{stderr}");
        let page = folder.join("trace.html").canonicalize().unwrap();
        insta::assert_snapshot!(stdout.replace(page.to_str().unwrap(), "[page]"), @r"
        These categories are unavailable: nonsense
        Starting tracing (stop with enter)
        Tracing completed. Collecting output...
        Outputting Systrace results...
        Tracing complete, writing results

        Wrote trace HTML file: file://[page]
        ");
        check_sleeper(&open(&folder.join("trace.html")), "android sleeper");
        assert_eq!(device.property("debug.atrace.app_0"), "", "restored");
        let on = std::fs::read_to_string("/sys/kernel/tracing/set_event").unwrap();
        assert_eq!(on, "", "all events are off again");
    });
}

#[test]
fn text_that_was_not_compressed_from_an_old_device() {
    with_device(|device, folder| {
        device.set_property("ro.build.version.sdk", "22").unwrap();
        let args = ["capture", "--no-compress", "-o", "trace.txt", "sched"];
        let output = record(on(device, folder, &args), || sleeper("old sleeper"));
        assert!(output.status.success(), "{:?}", said(&output));
        check_sleeper(&open(&folder.join("trace.txt")), "old sleeper");

        device.set_property("ro.build.version.sdk", "17").unwrap();
        let output = run(device, folder, &["capture", "-t", "1", "sched"]);
        assert_eq!(output.status.code(), Some(2));
        insta::assert_snapshot!(said(&output).1, @"traceloom: Device SDK versions < 18 (Android 4.3) are not supported; this device has 17");
    });
}

#[test]
fn which_device_is_meant() {
    with_device(|device, folder| {
        let first = device.serial().to_owned();
        let second = device.add_device().unwrap();
        let output = run(device, folder, &["systrace", "-l"]);
        assert_eq!(output.status.code(), Some(1));
        let (_, stderr) = said(&output);
        assert!(
            stderr.contains("Multiple devices connected, serial number required"),
            "{stderr}"
        );
        assert!(
            stderr.contains(&first) && stderr.contains(&second),
            "{stderr}"
        );

        let output = run(device, folder, &["systrace", "-e", &second, "-l"]);
        let (stdout, stderr) = said(&output);
        assert!(
            stdout.contains("sched - CPU Scheduling"),
            "{stdout}{stderr}"
        );
        let output = on(device, folder, &["systrace", "-l"])
            .env("ANDROID_SERIAL", &first)
            .output()
            .unwrap();
        assert!(output.status.success());
        let output = run(device, folder, &["systrace", "-e", "nobody", "-l"]);
        let (_, stderr) = said(&output);
        assert!(
            stderr.contains("Device with the serial number \"nobody\" is not connected."),
            "{stderr}"
        );
    });
}

#[test]
fn a_device_that_goes_away_leaves_what_came() {
    with_device(|device, folder| {
        // It sends half a trace, and then nothing until it is unplugged.
        let half = "# tracer: nop\\n#\\n  app-7 (    7) [000] ...1 1.000000: tracing_mark_write: B|7|half\\n";
        let script = format!(
            "case \"$*\" in *--list_categories*) echo '  sched - CPU Scheduling';; *--async_stop*) printf 'TRACE:\\n{half}'; exec sleep 9;; esac"
        );
        std::fs::remove_file(device.home().join("bin/atrace")).unwrap();
        device.install("atrace", &script).unwrap();
        let args = [
            "capture",
            "-t",
            "1",
            "--collection-timeout",
            "2",
            "-o",
            "trace.txt",
            "sched",
        ];
        let output = run(device, folder, &args);
        let (_, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        assert!(
            stderr.contains("Warning: atrace did not hand over everything: "),
            "{stderr}"
        );
        let trace = open(&folder.join("trace.txt"));
        assert_eq!(trace.slices.len(), 1);

        device.unplug();
        let output = run(device, folder, &args);
        assert_eq!(output.status.code(), Some(2));
        let (_, stderr) = said(&output);
        assert!(!stderr.contains("panicked"), "{stderr}");
    });
}

#[test]
fn a_device_without_root_says_what_to_do() {
    with_device(|device, folder| {
        std::fs::remove_file(device.home().join("bin/atrace")).unwrap();
        let script = "case \"$*\" in *--list_categories*) echo '  sched - CPU Scheduling';; *) echo 'error opening trace';; esac";
        device.install("atrace", script).unwrap();
        let output = run(device, folder, &["systrace", "-t", "1", "sched"]);
        assert_eq!(output.status.code(), Some(1));
        insta::assert_snapshot!(said(&output).1, @"traceloom: Unable to get atrace data. Did you forget adb root? atrace said: error opening trace");
    });
}

/// An activity manager that stores its arguments, and writes a method trace when it is stopped.
pub fn install_am(device: &Loopback, trace: &Path) {
    let log = device.home().join("am.log");
    let script = format!(
        r#"echo "$*" >> {log}
case "$1 $2" in
"profile start"|"start -S") for last; do :; done
  [ "$1" = start ] && for word; do [ "$before" = --start-profiler ] && last=$word; before=$word; done
  echo "$last" > {log}.path;;
"profile stop") if [ "$3" = com.example.gone ]; then echo "Error: Could not find process: $3" >&2; exit 255; fi
  (sleep 0.2; cat {trace} > "$(cat {log}.path)") >/dev/null 2>&1 &;;
esac"#,
        log = log.display(),
        trace = trace.display(),
    );
    device.install("am", &script).unwrap();
}

#[test]
fn method_traces_alone_and_beside_the_system() {
    let example = testkit::workspace_root().join("examples/app.trace");
    with_device(|device, folder| {
        install_am(device, &example);
        let run = |args: &[&str], work: fn()| {
            let mut command = on(device, folder, args);
            command.env("TRACELOOM_DEVICE_FOLDER", device.home());
            record(command, work)
        };
        let args = [
            "capture",
            "--method",
            "com.example.news",
            "--sampling",
            "1000",
            "--clock-type",
            "dual",
            "--streaming",
            "-o",
            "app.txt",
        ];
        let output = run(&args, || ());
        assert!(output.status.success(), "{:?}", said(&output));
        let same =
            std::fs::read(folder.join("app.txt")).unwrap() == std::fs::read(&example).unwrap();
        assert!(same, "the trace came as the app wrote it");

        let args = [
            "capture",
            "--method",
            "com.example.news",
            "--start",
            "com.example.news/.Main",
            "sched",
            "-o",
            "both.html",
        ];
        let output = run(&args, || sleeper("beside"));
        assert!(output.status.success(), "{:?}", said(&output));
        let both = open(&folder.join("both.html"));
        check_sleeper(&both, "beside");
        assert!(
            both.methods.len() > 50,
            "the methods of the app are there too"
        );

        let log = std::fs::read_to_string(device.home().join("am.log")).unwrap();
        let numbers = numbers(&log);
        let log = log
            .replace(&device.home().display().to_string(), "[folder]")
            .replace(&numbers.0, "[pid]")
            .replace(&numbers.1, "[pid]");
        insta::assert_snapshot!(log, @r"
        profile start --clock-type dual --sampling 1000 --streaming com.example.news [folder]/traceloom-[pid].trace
        profile stop com.example.news
        start -S -W --start-profiler [folder]/traceloom-[pid].trace com.example.news/.Main
        profile stop com.example.news
        ");
        let left = std::fs::read_dir(device.home()).unwrap().flatten();
        let left = left.filter(|entry| {
            entry
                .path()
                .extension()
                .is_some_and(|ending| ending == "trace")
        });
        assert_eq!(left.count(), 0, "nothing stays on the device");

        let output = run(
            &["capture", "--method", "com.example.gone", "-o", "gone.txt"],
            || (),
        );
        assert_eq!(output.status.code(), Some(2));
        let (_, stderr) = said(&output);
        assert!(
            stderr.contains("Could not find process: com.example.gone"),
            "{stderr}"
        );
    });
}

/// The numbers of the two recordings.
fn numbers(log: &str) -> (String, String) {
    let mut pids = log
        .split("traceloom-")
        .skip(1)
        .filter_map(|rest| rest.split('.').next());
    let mut next = || pids.next().unwrap_or_default().to_owned();
    (next(), next())
}

#[test]
fn our_own_atrace_on_a_device_that_has_none() {
    with_device(|device, folder| {
        std::fs::remove_file(device.home().join("bin/atrace")).unwrap();
        let run = |args: &[&str]| {
            let mut command = on(device, folder, args);
            command.env("TRACELOOM_DEVICE_FOLDER", device.home());
            record(command, || sleeper("pushed"))
        };
        // It behaves according to its name; the name of the copy on the device ends in a number.
        let program = folder.join("atrace");
        std::fs::write(
            &program,
            format!("#!/bin/sh\nexec {TRACELOOM} atrace \"$@\"\n"),
        )
        .unwrap();
        let option = format!("--push-agent={}", program.display());
        let output = run(&["capture", &option, "-o", "pushed.txt", "sched"]);
        assert!(output.status.success(), "{:?}", said(&output));
        check_sleeper(&open(&folder.join("pushed.txt")), "pushed");
        let left = std::fs::read_dir(device.home()).unwrap().flatten();
        let left = left.filter(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .contains("traceloom-atrace")
        });
        assert_eq!(left.count(), 0, "the device has it no more");

        device.set_property("ro.product.cpu.abi", "mips").unwrap();
        let output = on(device, folder, &["capture", "--push-agent", "sched"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        insta::assert_snapshot!(said(&output).1, @"traceloom: there is no atrace for mips at target/dist/mips-unknown-linux-musl/atrace: build it with cargo xtask dist, or name a program with --push-agent=FILE");
    });
}

#[test]
fn a_device_is_watched() {
    with_device(|device, folder| {
        let args = [
            "capture",
            "--until",
            "slice:nap 9>1ms",
            "--ring",
            "60s",
            "-t",
            "60",
            "-o",
            "trace.txt",
            "sched",
        ];
        let running = Running::start(on(device, folder, &args));
        wait_until_events_are_on();
        naps(10);
        let output = running.end();
        let (_, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        assert!(took_ms(&stderr, "nap 9") >= SLEEP.as_millis() as f64);
        let trace = open(&folder.join("trace.txt"));
        assert!(trace.strings.lookup("nap 9").is_some());
        let on = std::fs::read_to_string("/sys/kernel/tracing/set_event").unwrap();
        assert_eq!(on, "", "all events are off again");
    });
}

/// atrace prints nothing when it begins to stream.
pub fn wait_until_events_are_on() {
    let begun = std::time::Instant::now();
    let mark = || std::fs::write("/sys/kernel/tracing/trace_marker", "traceloom waits").is_ok();
    let events = || {
        !std::fs::read("/sys/kernel/tracing/set_event")
            .unwrap_or_default()
            .is_empty()
    };
    while !(events() && mark()) {
        assert!(begun.elapsed().as_secs() < 60, "it does not record");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
