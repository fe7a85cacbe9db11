//! Recordings with several clocks are placed on one time line.

use std::path::Path;
use std::time::Duration;

use testkit::{Clock, KernelTurn, Loopback, MethodTraceBytes, Record};
use traceloom_trace::{ClockKind, RowId, Trace};

use crate::android::{install_am, on, with_device};
use crate::work::{open, record, said, sleeper, traceloom};

/// The duration of each slice of [`slept`].
pub const SLEEP: Duration = Duration::from_millis(10);

/// The value of CLOCK_MONOTONIC, µs.
pub fn monotonic_us() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call fills the struct that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000 + time.tv_nsec as u64 / 1000
}

/// A sleep as another recorder may have recorded it, by CLOCK_MONOTONIC.
pub struct Slept {
    pub begun_us: u64,
    pub ended_us: u64,
}

/// Sleeps with a slice around each, through the kernel's marker.
pub fn slept(count: u32) -> Vec<Slept> {
    slept_for(count, SLEEP)
}

/// The same; each takes this time.
pub fn slept_for(count: u32, time: Duration) -> Vec<Slept> {
    let mut marker = std::fs::File::options()
        .write(true)
        .open("/sys/kernel/tracing/trace_marker")
        .unwrap();
    let mut mark = |text: String| std::io::Write::write_all(&mut marker, text.as_bytes()).unwrap();
    let pid = std::process::id();
    let sleep = |number| {
        let begun_us = monotonic_us();
        mark(format!("B|{pid}|both {number}"));
        std::thread::sleep(time);
        mark(format!("E|{pid}"));
        let ended_us = monotonic_us();
        Slept { begun_us, ended_us }
    };
    (0..count).map(sleep).collect()
}

/// A method around each sleep, as an app would record it.
fn methods(slept: &[Slept]) -> MethodTraceBytes {
    let start_us = slept[0].begun_us;
    let number = |at: usize| 4 * (at as u32 + 1);
    let records = slept.iter().enumerate().flat_map(|(at, slept)| {
        let ends = [(0, slept.begun_us), (1, slept.ended_us)];
        ends.map(|(action, us)| Record {
            tid: 1,
            method: number(at),
            action,
            cpu_us: 0,
            time_us: (us - start_us) as u32,
        })
    });
    let method = |at| (number(at), format!("app.Both\tboth{at}\t()V\tBoth.java"));
    MethodTraceBytes {
        version: 2,
        clock: Clock::Wall,
        vm: "art",
        pid: Some(std::process::id()),
        start_us,
        elapsed_us: monotonic_us() - start_us,
        threads: vec![(1, "main".to_owned())],
        methods: (0..slept.len()).map(method).collect(),
        records: records.collect(),
    }
}

/// The begins and ends of slices or methods with this name, ns. A method's class may come before
/// the name.
pub fn spans(trace: &Trace, name: &str) -> Vec<(i64, i64)> {
    let named = trace.slices.rows().filter(|row| {
        let method = row.method_id.some();
        let method = method.map(|id| trace.methods.row(id.row()).name);
        let text = trace.strings.get(method.unwrap_or(row.name));
        text.rsplit('.').next() == Some(name)
    });
    named.map(|row| (row.ts, row.ts + row.dur)).collect()
}

/// Checks that each slice is inside the other recorder's item with the given name. The tolerance
/// for the precision of the clocks is smaller than their length.
pub fn check_both(trace: &Trace, count: u32, other: impl Fn(u32) -> String) {
    let inexact = SLEEP.as_nanos() as i64;
    for number in 0..count {
        let system = spans(trace, &format!("both {number}"));
        let around = spans(trace, &other(number));
        let ([(begin, end)], [(enter, exit)]) = (&system[..], &around[..]) else {
            panic!("both {number}: {system:?} {around:?}");
        };
        assert!(
            enter - inexact < *begin && *end < exit + inexact,
            "both {number}: {system:?} is not in {around:?}"
        );
    }
}

#[test]
fn methods_beside_the_system_are_where_they_happened() {
    with_device(|device, folder| {
        let recorded = device.home().join("recorded.trace");
        install_am(device, &recorded);
        for name in ["both.html", "both.json"] {
            let args = [
                "capture",
                "--method",
                "com.example.app",
                "sched",
                "-o",
                name,
            ];
            let mut command = on(device, folder, &args);
            command.env("TRACELOOM_DEVICE_FOLDER", device.home());
            let output = record(command, || {
                std::fs::write(&recorded, methods(&slept(8)).to_bytes()).unwrap();
            });
            let (_, stderr) = said(&output);
            assert!(output.status.success(), "{stderr}");
            assert!(
                stderr.contains("by CLOCK_MONOTONIC, which both files recorded"),
                "{stderr}"
            );
            check_both(&open(&folder.join(name)), 8, |number| {
                format!("both{number}")
            });
        }
    });
}

/// The markers that the controller recorded: their names, with the side that wrote each.
fn markers(trace: &Trace) -> Vec<&str> {
    let rows = trace.clocks.iter();
    let named = rows.filter(|row| row.clock == ClockKind::Trace && !row.name.is_empty());
    named.map(|row| row.name.as_str()).collect()
}

#[test]
fn markers_are_in_the_trace_and_with_the_controller() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let args = ["capture", "--target", "linux", "-o", "trace.json", "sched"];
    let output = record(traceloom(folder.path(), &args), || sleeper("marked"));
    assert!(output.status.success(), "{:?}", said(&output));
    check_controller(&folder.path().join("trace.json"));
}

#[test]
fn a_devices_markers_are_there_too() {
    with_device(|device: &mut Loopback, folder| {
        let args = ["systrace", "-j", "-o", "trace.json", "sched"];
        let output = record(on(device, folder, &args), || sleeper("marked"));
        assert!(output.status.success(), "{:?}", said(&output));
        check_controller(&folder.join("trace.json"));
    });
}

/// One marker at the start and one at the end, in both texts.
fn check_controller(path: &Path) {
    let trace = open(path);
    let markers = markers(&trace);
    assert_eq!(markers.len(), 2, "{markers:?}");
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(json["controllerTraceDataKey"], "systraceController");
    let controller = json["systraceController"].as_str().unwrap();
    let controller: serde_json::Value = serde_json::from_str(controller).unwrap();
    assert_eq!(controller["metadata"]["clock-domain"], "SYSTRACE");
    let text = json["systemTraceEvents"].as_str().unwrap();
    for (event, marker) in controller["traceEvents"]
        .as_array()
        .unwrap()
        .iter()
        .zip(markers)
    {
        assert_eq!(event["ph"], "c");
        assert_eq!(event["args"]["sync_id"], marker);
        assert!(event["args"]["issue_ts"].as_f64().unwrap() <= event["ts"].as_f64().unwrap());
        assert!(text.contains(&format!("trace_event_clock_sync: name={marker}")));
    }
}
