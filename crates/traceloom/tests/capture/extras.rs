//! Data recorded in addition to the trace: memory of processes, groups, latencies.

use std::path::Path;
use std::process::Command;
use std::thread;

use testkit::KernelTurn;
use traceloom_trace::{RowId, Trace};

use crate::android::{on, with_device};
use crate::clocks::{Slept, monotonic_us, slept};
use crate::work::{open, record, said, sleeper, traceloom};

/// Additional memory of this process while it is sampled.
const HELD: usize = 96 << 20;

/// The values of a counter of this process, in order.
fn counter(trace: &Trace, name: &str) -> Vec<f64> {
    let pid = i64::from(std::process::id());
    let is_ours = |row: usize| {
        let track = trace.tracks.row(trace.counters.track_id.get(row).row());
        let upid = track.upid.some();
        let owner = upid.map(|upid| trace.processes.pid.get(upid.row()));
        owner == Some(pid) && trace.strings.get(track.name) == name
    };
    let rows = (0..trace.counters.len()).filter(|&row| is_ours(row));
    rows.map(|row| trace.counters.value.get(row)).collect()
}

/// Records while this process has [`HELD`] bytes and a thread with a known name, until the end.
fn record_memory(command: Command) -> std::process::Output {
    let (release, held) = std::sync::mpsc::channel::<()>();
    let (ready, is_ready) = std::sync::mpsc::channel();
    let holder = thread::Builder::new().name("holds \"memory\"".to_owned());
    let holder = holder.spawn(move || {
        let memory = vec![1u8; HELD];
        ready.send(()).unwrap();
        _ = held.recv();
        drop(std::hint::black_box(memory));
    });
    is_ready.recv().unwrap();
    let output = record(command, || sleeper("beside"));
    drop(release);
    holder.unwrap().join().unwrap();
    output
}

/// The data about this process in `/proc` must be in the trace.
fn check_memory(path: &Path) {
    let trace = open(path);
    let last = |name: &str| counter(&trace, name).last().copied().unwrap_or(-1.0);
    for name in ["mem.rss", "mem.pss", "mem.private_dirty", "mem.virt"] {
        assert!(last(name) >= HELD as f64, "{name}: {}", last(name));
    }
    assert!(last("mem.rss") <= last("mem.virt"));
    assert!(last("utime") >= 0.0 && last("oom_score_adj") >= -1000.0);
    let threads = trace.threads.name.iter();
    let has = |name: &str| threads.clone().any(|id| trace.strings.get(id) == name);
    assert!(has("holds \"memory\""), "the kernel cuts names only at 15");
    // The region of the vector, and the program's own file.
    let maps: Vec<_> = trace.slices.rows().filter(|row| row.instant).collect();
    let program = std::env::current_exe().unwrap();
    let is_program = |name: &str| Path::new(name) == program;
    assert!(
        maps.iter()
            .any(|row| is_program(trace.strings.get(row.name)))
    );
    let name = |row: usize| {
        trace
            .tracks
            .row(trace.counters.track_id.get(row).row())
            .name
    };
    let total = (0..trace.counters.len())
        .find(|&row| trace.strings.get(name(row)) == "MemTotal")
        .map(|row| trace.counters.value.get(row));
    assert_eq!(total, Some(memory_total()));
    let (first, last) = trace.bounds;
    let inside = |ts: i64| ts >= first && ts <= last;
    assert!(
        trace.counters.ts.iter().all(inside),
        "on the trace's time line"
    );
    assert!(
        last - first < 600_000_000_000,
        "which is no longer than the recording"
    );
}

/// The machine's memory, bytes.
fn memory_total() -> f64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kb = line.unwrap().split_whitespace().next().unwrap();
    kb.parse::<f64>().unwrap() * 1024.0
}

/// The arguments for a dump of this process.
fn dump_args(output: &str) -> Vec<String> {
    let name = std::env::args().next().unwrap();
    let args = [
        "capture",
        "--process-dump",
        "--process-dump-interval",
        "100",
    ];
    let args = args.into_iter().map(str::to_owned);
    let full = ["--process-dump-full".to_owned(), format!("other,{name}")];
    let rest = ["--process-dump-mmaps", "-o", output, "sched"].map(str::to_owned);
    args.chain(full).chain(rest).collect()
}

#[test]
fn memory_of_processes_on_this_machine() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for name in ["trace.html", "trace.json"] {
        let mut args = dump_args(name);
        args.extend(["--target", "linux"].map(str::to_owned));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let output = record_memory(traceloom(folder.path(), &args));
        assert!(output.status.success(), "{:?}", said(&output));
        check_memory(&folder.path().join(name));
    }
}

#[test]
fn memory_of_processes_on_a_device() {
    with_device(|device, folder| {
        for name in ["trace.html", "trace.json"] {
            let args = dump_args(name);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let output = record_memory(on(device, folder, &args));
            assert!(output.status.success(), "{:?}", said(&output));
            check_memory(&folder.join(name));
        }
    });
}

/// A group of CPUs of this kernel that contains this process's thread while the test runs.
struct Group(std::path::PathBuf);

impl Group {
    fn new() -> Option<Self> {
        let root = Path::new("/sys/fs/cgroup/cpuset");
        let group = root.join(format!("traceloom-test-{}", std::process::id()));
        std::fs::create_dir(&group).ok()?;
        let group = Self(group);
        for file in ["cpuset.cpus", "cpuset.mems"] {
            std::fs::write(group.0.join(file), std::fs::read(root.join(file)).ok()?).ok()?;
        }
        std::fs::write(group.0.join("tasks"), group.tid().to_string()).ok()?;
        Some(group)
    }

    fn tid(&self) -> i32 {
        // SAFETY: the call takes nothing and cannot fail.
        unsafe { libc::gettid() }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        _ = std::fs::write("/sys/fs/cgroup/cpuset/tasks", self.tid().to_string());
        _ = std::fs::remove_dir(&self.0);
    }
}

#[test]
fn groups_of_cpus() {
    with_device(|device, folder| {
        let Some(group) = Group::new() else {
            println!("skipped: no cpuset groups can be made here");
            return;
        };
        for name in ["trace.json", "trace.html"] {
            let args = ["systrace", "-o", name, "sched"];
            let output = record(on(device, folder, &args), || sleeper("grouped"));
            assert!(output.status.success(), "{:?}", said(&output));
            let trace = open(&folder.join(name));
            let name = group.0.file_name().unwrap().to_str().unwrap();
            let facts = trace.metadata.rows().map(|row| {
                let [key, value] = [row.key, row.value].map(|id| trace.strings.get(id));
                (key.to_owned(), value.to_owned())
            });
            let prefix = format!("cgroup.tasks./{name} (root=");
            let tasks = facts.into_iter().find(|(key, _)| key.starts_with(&prefix));
            let tasks = tasks.map(|(_, tasks)| tasks).unwrap_or_default();
            assert!(
                tasks.split(' ').any(|tid| tid == group.tid().to_string()),
                "{tasks}"
            );
        }
        // The events of groups were not requested.
        let args = ["systrace", "-j", "-o", "trace.json", "view"];
        let output = record(on(device, folder, &args), || sleeper("alone"));
        assert!(output.status.success(), "{:?}", said(&output));
        let json = std::fs::read_to_string(folder.join("trace.json")).unwrap();
        assert!(!json.contains("cgroupDump"));
    });
}

#[test]
fn latencies_of_a_walt() {
    with_device(|device, folder| {
        let file = device.home().join("trace.txt");
        for name in ["trace.html", "trace.json"] {
            std::fs::write(&file, "of an earlier test\n").unwrap();
            let args = ["systrace", "--walt", "-o", name, "sched"];
            let mut command = on(device, folder, &args);
            command.env("TRACELOOM_DEVICE_FOLDER", device.home());
            let output = record(command, || {
                assert_eq!(std::fs::read(&file).unwrap(), b"", "emptied");
                std::fs::write(&file, walt(&slept(5))).unwrap();
            });
            let (_, stderr) = said(&output);
            assert!(output.status.success(), "{stderr}");
            let trace = open(&folder.join(name));
            crate::clocks::check_both(&trace, 5, |number| {
                format!("tap {number}|description=from touch to dot|WALT")
            });
            assert!(trace.strings.lookup("of an earlier test").is_none());
        }
        // If the app wrote nothing, the trace is still complete.
        std::fs::remove_file(&file).unwrap();
        let args = ["systrace", "--walt", "-o", "trace.html", "sched"];
        let mut command = on(device, folder, &args);
        command.env("TRACELOOM_DEVICE_FOLDER", device.home());
        let output = record(command, || sleeper("beside"));
        let (_, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        assert!(
            stderr.contains("the WALT app wrote nothing to "),
            "{stderr}"
        );
    });
}

/// The output of the app, in its format.
fn walt(slept: &[Slept]) -> String {
    let line = |us: u64, text: String| {
        let (seconds, fraction) = (us / 1_000_000, us % 1_000_000);
        format!(
            "WALTThread-1234 (42) [000] ...1 {seconds}.{fraction:06}: tracing_mark_write: {text}\n"
        )
    };
    let lines = slept.iter().enumerate().map(|(number, slept)| {
        let begin = format!("B|42|tap {number}|description=from touch to dot|WALT");
        line(slept.begun_us, begin) + &line(slept.ended_us, format!("E|42|tap {number}||WALT"))
    });
    assert!(slept.iter().all(|slept| slept.ended_us <= monotonic_us()));
    lines.collect()
}

#[test]
fn what_has_no_place_is_refused() {
    let run = |args: &[&str]| {
        let args = [&["capture"], args].concat();
        let output = traceloom(Path::new("."), &args).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        said(&output).1.trim_end().to_owned()
    };
    insta::assert_snapshot!(run(&["--process-dump", "-o", "x.txt"]), @"traceloom: --process-dump needs an output file that can hold its data: .html or .json");
    insta::assert_snapshot!(run(&["--walt", "-o", "x.dat"]), @"traceloom: --walt needs an output file that can hold its data: .html or .json");
    insta::assert_snapshot!(run(&["--walt", "--target", "linux"]), @"traceloom: --walt is for Android");
}
