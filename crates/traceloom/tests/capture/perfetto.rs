//! A device with its own perfetto: a program with perfetto's options and messages that writes a
//! real trace in steps.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use testkit::{Corpus, Loopback};

use crate::android::{install_am, on, with_device};
use crate::work::{Running, open, said};

/// A trace of Android 12 in the corpus.
const TRACE: &str = "perfetto-proto/Perfetto-Skills__api32_startup_warm.perfetto-trace";

/// Reads the configuration, writes a tenth of the trace now and then, and the rest when it is terminated. It
/// refuses what the real one refuses.
const PERFETTO: &str = r#"
config= out= text= notify=
while [ $# -gt 0 ]; do case "$1" in
  -c|--config) config=$2; shift;;
  -o|--out) out=$2; shift;;
  --txt) text=1;;
  --notify-fd) notify=$2; shift;;
  *) printf '\nUsage: perfetto\n  --config -c\n  --out -o\n  --txt\n%s\n' "$NOTIFY" >&2; exit 1;;
esac; shift; done
say() { printf '\033[90m[000.142]\033[0m perfetto_cmd.cc:1179 %s\n' "$1" >&2; }
[ "$config" = - ] || exit 1
cat > "$DEVICE_HOME/config"
echo "$text" > "$DEVICE_HOME/config.kind"
[ -s "$DEVICE_HOME/config" ] || { say 'The TraceConfig is empty'; exit 1; }
if grep -q nonsense "$DEVICE_HOME/config"; then
  printf '%s:1:1 error: No field named "nonsense" in proto TraceConfig\n' "$config" >&2
  say 'The trace config is invalid, bailing out.'
  exit 1
fi
: > "$out" || { say "Failed to open $out"; exit 1; }
trap 'end=1' TERM INT
say 'Connected to the Perfetto traced service, TTL: 20s'
[ -z "$notify" ] || eval "printf '\0' >&$notify"
size=$(stat -c %s "$TRACE_FILE") part=$((size / 10)) done=0
while [ -z "$end" ]; do
  if [ $done -lt 9 ]; then
    tail -c +$((done * part + 1)) "$TRACE_FILE" | head -c $part >> "$out"; done=$((done + 1))
  elif [ -e "$DEVICE_HOME/ends" ]; then end=1; fi
  sleep 0.05
done
say 'SIGINT/SIGTERM received: disabling tracing.'
tail -c +$((done * part + 1)) "$TRACE_FILE" >> "$out"
say 'Trace written into the output file'
"#;

/// Runs a test with a device that has a perfetto and the real trace.
fn with_perfetto(test: impl FnOnce(&mut Loopback, &Path, &Path)) {
    let Some(trace) = Corpus::find().map(|corpus| corpus.root().join(TRACE)) else {
        return;
    };
    if !trace.is_file() {
        println!("skipped: the corpus has no {TRACE}");
        return;
    }
    with_device(|device, folder| {
        install(device, &trace, "");
        test(device, folder, &trace);
    });
}

/// Installs the program. `help` is what its help text has in addition.
fn install(device: &Loopback, trace: &Path, help: &str) {
    let trace = trace.canonicalize().unwrap();
    let script = format!(
        "TRACE_FILE='{}' NOTIFY='{help}'\n{PERFETTO}",
        trace.display()
    );
    device.install("perfetto", &script).unwrap();
}

fn capture(device: &Loopback, folder: &Path, args: &[&str]) -> Command {
    let mut command = on(device, folder, &[&["capture"], args].concat());
    command.env("TRACELOOM_DEVICE_FOLDER", device.home());
    command
}

fn run(device: &Loopback, folder: &Path, args: &[&str]) -> Output {
    capture(device, folder, args).output().unwrap()
}

/// The files that recordings left on the device.
fn left(device: &Loopback) -> Vec<String> {
    let entries = std::fs::read_dir(device.home()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| name.starts_with("traceloom-"))
        .collect()
}

fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !is_true() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The growing trace on the device.
fn growing(device: &Loopback) -> PathBuf {
    let is_trace = |name: &String| name.ends_with(".perfetto-trace");
    let name = left(device).into_iter().find(is_trace);
    device
        .home()
        .join(name.expect("a trace grows on the device"))
}

fn is_same(a: &Path, b: &Path) -> bool {
    std::fs::read(a).unwrap() == std::fs::read(b).unwrap()
}

#[test]
fn the_trace_arrives_as_the_device_wrote_it() {
    with_perfetto(|device, folder, trace| {
        // Newer versions report when everything records.
        for help in ["", "  --notify-fd FD"] {
            install(device, trace, help);
            let args = [
                "-a",
                "com.example.app",
                "-o",
                "out.pftrace",
                "sched",
                "freq",
            ];
            let output = Running::start(capture(device, folder, &args)).enter();
            let (_, stderr) = said(&output);
            assert!(output.status.success(), "{stderr}");
            assert!(
                stderr.contains("Recording with perfetto (Android with API level 33)."),
                "{stderr}"
            );
            assert!(is_same(&folder.join("out.pftrace"), trace));
            assert!(left(device).is_empty(), "{:?}", left(device));
            let config = std::fs::read(device.home().join("config")).unwrap();
            let config = String::from_utf8_lossy(&config).into_owned();
            assert!(config.contains("sched/sched_switch"), "{config}");
            assert!(config.contains("com.example.app"), "{config}");
        }
    });
}

#[test]
fn any_output_is_made_of_it() {
    with_perfetto(|device, folder, trace| {
        let direct = open(trace);
        for name in ["out.html", "out.json", "out.txt"] {
            let args = ["--perfetto", "-o", name, "sched"];
            let output = Running::start(capture(device, folder, &args)).interrupt();
            assert!(output.status.success(), "{:?}", said(&output));
            let made = open(&folder.join(name));
            assert!(!made.slices.is_empty(), "{name}");
            if name == "out.html" {
                assert_eq!(made.slices.len(), direct.slices.len());
                assert_eq!(made.thread_states.len(), direct.thread_states.len());
            }
        }
        assert!(left(device).is_empty(), "{:?}", left(device));
    });
}

#[test]
fn a_configuration_is_passed_on_and_the_devices_error_is_shown() {
    with_perfetto(|device, folder, trace| {
        let config = "duration_ms: 3000\nbuffers { size_kb: 4096 }\n";
        std::fs::write(folder.join("mine.pbtx"), config).unwrap();
        let args = ["--perfetto", "--config", "mine.pbtx", "-o", "out.pftrace"];
        let output = Running::start(capture(device, folder, &args)).enter();
        assert!(output.status.success(), "{:?}", said(&output));
        assert!(is_same(&folder.join("out.pftrace"), trace));
        let passed = std::fs::read_to_string(device.home().join("config")).unwrap();
        assert_eq!(passed, config);
        let kind = std::fs::read_to_string(device.home().join("config.kind")).unwrap();
        assert_eq!(kind, "1\n", "it is text");

        std::fs::write(folder.join("mine.pbtx"), "nonsense: 1\n").unwrap();
        let output = run(device, folder, &args);
        assert_eq!(output.status.code(), Some(2));
        let (_, stderr) = said(&output);
        assert!(
            stderr.contains("No field named \"nonsense\" in proto TraceConfig"),
            "{stderr}"
        );
        assert!(left(device).is_empty(), "{:?}", left(device));

        std::fs::write(folder.join("mine.pbtx"), " \n").unwrap();
        let output = run(device, folder, &args);
        insta::assert_snapshot!(said(&output).1, @"traceloom: mine.pbtx: the configuration for perfetto is empty");

        device.set_property("ro.build.version.sdk", "28").unwrap();
        std::fs::write(folder.join("mine.pbtx"), config).unwrap();
        install(device, trace, "");
        let script = "echo 'Usage: perfetto --config -c' >&2; exit 1";
        device.install("perfetto", script).unwrap();
        let output = run(device, folder, &args);
        insta::assert_snapshot!(said(&output).1, @"traceloom: Android with API level 28: its perfetto reads configurations only in the binary format, not as text");
    });
}

#[test]
fn the_printed_configuration_is_one_to_pass_on() {
    with_perfetto(|device, folder, _| {
        let args = ["--perfetto", "--print-config", "-t", "5", "--logcat", "gfx"];
        let output = run(device, folder, &args);
        let (stdout, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        assert!(stdout.starts_with("duration_ms: 20000\n"), "{stdout}");
        assert!(stdout.contains("log_ids: LID_CRASH\n"), "{stdout}");
        let output = run(device, folder, &["--print-config", "gfx"]);
        assert_eq!(output.status.code(), Some(2));
    });
}

#[test]
fn a_device_without_perfetto_records_with_atrace() {
    with_perfetto(|device, folder, _| {
        device.set_property("ro.build.version.sdk", "27").unwrap();
        let args = ["--perfetto", "-t", "1", "-o", "out.txt", "sched"];
        let output = run(device, folder, &args);
        let (_, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        let told = "Recording with atrace: Android with API level 27 has no perfetto, which comes with Android 9.";
        assert!(stderr.contains(told), "{stderr}");
        assert!(!open(&folder.join("out.txt")).thread_states.is_empty());

        let output = run(device, folder, &["-t", "1", "-o", "out.pftrace", "sched"]);
        assert_eq!(output.status.code(), Some(2));
        insta::assert_snapshot!(said(&output).1, @"traceloom: Android with API level 27 has no perfetto, which comes with Android 9; a .pftrace needs it");

        device.set_property("ro.build.version.sdk", "33").unwrap();
        std::fs::remove_file(device.home().join("bin/perfetto")).unwrap();
        let output = run(device, folder, &["-t", "1", "-o", "out.pftrace", "sched"]);
        insta::assert_snapshot!(said(&output).1, @"traceloom: this device (Android with API level 33) has no program perfetto; a .pftrace needs it");
    });
}

#[test]
fn a_recording_that_ends_by_itself_is_kept() {
    with_perfetto(|device, folder, trace| {
        std::fs::write(device.home().join("ends"), "").unwrap();
        let args = ["-t", "60", "-o", "out.pftrace", "sched"];
        let output = run(device, folder, &args);
        let (_, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        assert!(stderr.contains("perfetto ended by itself"), "{stderr}");
        assert!(is_same(&folder.join("out.pftrace"), trace));
        assert!(left(device).is_empty(), "{:?}", left(device));
    });
}

#[test]
fn a_killed_recorder_leaves_nothing_on_the_device() {
    with_perfetto(|device, folder, _| {
        let args = ["--collection-timeout", "1", "-o", "out.pftrace", "sched"];
        let running = Running::start(capture(device, folder, &args));
        assert_eq!(left(device).len(), 2, "the trace and its mark");
        running.kill();
        wait_until("the files stay", || left(device).is_empty());
    });
}

#[test]
fn an_abandoned_recording_is_fetched_or_removed() {
    with_perfetto(|device, folder, trace| {
        let size = std::fs::metadata(trace).unwrap().len();
        let abandon = |device: &Loopback| {
            let running = Running::start(capture(device, folder, &["-o", "x.pftrace", "sched"]));
            let file = growing(device);
            running.kill();
            // The guardian terminates perfetto, which writes the rest, and marks the recording as abandoned.
            let is_mark = |name: &String| !name.ends_with(".perfetto-trace");
            let mark = left(device).into_iter().find(is_mark).unwrap();
            let mark = device.home().join(mark);
            wait_until("it is not ended", || {
                let text = std::fs::read_to_string(&mark).unwrap();
                std::fs::metadata(&file).unwrap().len() == size && text.contains("abandoned")
            });
        };
        abandon(device);
        let resume = ["--resume", "-o", "resumed.pftrace"];
        let output = run(device, folder, &resume);
        assert!(output.status.success(), "{:?}", said(&output));
        assert!(is_same(&folder.join("resumed.pftrace"), trace));
        assert!(left(device).is_empty(), "{:?}", left(device));

        let output = run(device, folder, &["--resume", "-o", "nothing.html"]);
        assert_eq!(output.status.code(), Some(2));
        insta::assert_snapshot!(said(&output).1, @"traceloom: the device has no recording to fetch");

        abandon(device);
        let args = ["--perfetto", "-t", "1", "-o", "next.html", "sched"];
        let output = run(device, folder, &args);
        let (_, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        let removed = "An abandoned recording on the device was removed.";
        assert!(stderr.contains(removed), "{stderr}");
        assert!(left(device).is_empty(), "{:?}", left(device));
    });
}

#[test]
fn another_recording_is_left_alone() {
    with_perfetto(|device, folder, trace| {
        let first = Running::start(capture(device, folder, &["-o", "first.pftrace", "sched"]));
        let args = ["--perfetto", "-t", "1", "-o", "second.pftrace", "sched"];
        let output = run(device, folder, &args);
        let (_, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        assert!(!stderr.contains("removed"), "{stderr}");
        let output = first.enter();
        assert!(output.status.success(), "{:?}", said(&output));
        for name in ["first.pftrace", "second.pftrace"] {
            assert!(is_same(&folder.join(name), trace), "{name}");
        }
        assert!(left(device).is_empty(), "{:?}", left(device));
    });
}

#[test]
fn methods_of_an_app_are_recorded_beside_it() {
    let example = testkit::workspace_root().join("examples/app.trace");
    with_perfetto(|device, folder, trace| {
        install_am(device, &example);
        let args = [
            "--perfetto",
            "--method",
            "com.example.news",
            "-o",
            "both.html",
            "sched",
        ];
        let output = Running::start(capture(device, folder, &args)).enter();
        assert!(output.status.success(), "{:?}", said(&output));
        let both = open(&folder.join("both.html"));
        assert!(both.methods.len() > 50, "the methods of the app");
        let states = open(trace).thread_states.len();
        assert!(both.thread_states.len() >= states, "the system");
    });
}

#[test]
fn a_lost_device_keeps_its_trace_for_later() {
    with_perfetto(|device, folder, _| {
        let args = [
            "--perfetto",
            "--collection-timeout",
            "2",
            "-o",
            "out.html",
            "sched",
        ];
        let running = Running::start(capture(device, folder, &args));
        wait_until("nothing is written", || {
            std::fs::metadata(growing(device)).unwrap().len() > 0
        });
        device.unplug();
        let output = running.end();
        let (_, stderr) = said(&output);
        assert!(stderr.contains("traceloom capture --resume"), "{stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
        wait_until("the files stay", || left(device).is_empty());
    });
}

#[test]
fn options_that_perfetto_does_not_have() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |args: &[&str]| {
        let output = crate::work::traceloom(folder.path(), &[&["capture"], args].concat());
        let output = { output }.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        said(&output).1
    };
    let cases: [(&[&str], &str); 8] = [
        (&["--config", "x"], "--perfetto"),
        (&["--logcat"], "--perfetto"),
        (&["--perfetto", "--target", "linux"], "Android"),
        (&["--perfetto", "--live"], "leave out --perfetto"),
        (&["--perfetto", "-k", "f"], "--ktrace"),
        (&["--perfetto", "-o", "x.dat"], "--raw"),
        (&["--perfetto", "--config", "x", "sched"], "leave out"),
        (&["--method", "a.b", "-o", "x.pftrace"], "-o FILE.html"),
    ];
    for (args, expected) in cases {
        let said = refused(args);
        assert!(said.contains(expected), "{args:?}: {said}");
    }
}
