//! A BattOr's measurements, in addition to the trace recorded with them.

use std::time::Duration;

use testkit::{BattorFaults, FakeBattor, KernelTurn};
use traceloom_trace::{RowId, Trace};

use crate::android::{on, with_device};
use crate::clocks::{slept_for, spans};
use crate::work::{Running, TRACELOOM, open, record, said, sleeper, traceloom};

/// Checks the power in the middle of each slice and after it.
fn check_power(trace: &Trace, slices: &[(i64, i64)]) {
    let is_current = |row: usize| {
        let track = trace.tracks.row(trace.counters.track_id.get(row).row());
        trace.strings.get(track.name) == "battor.current_ma"
    };
    let rows = (0..trace.counters.len()).filter(|&row| is_current(row));
    let samples: Vec<_> = rows
        .map(|row| (trace.counters.ts.get(row), trace.counters.value.get(row)))
        .collect();
    let at = |ts: i64| {
        let distance = |sample: &&(i64, f64)| (sample.0 - ts).abs();
        samples
            .iter()
            .min_by_key(distance)
            .map_or(-1.0, |(_, ma)| *ma)
    };
    // The tolerance for the precision of the clocks is half of a slice's length.
    let middle = (FakeBattor::BUSY_MA + FakeBattor::IDLE_MA) / 2.0;
    for (begin, end) in slices {
        let half = (end - begin) / 2;
        assert!(at(begin + half) > middle, "while it was busy");
        assert!(at(end + half) < middle, "behind that");
    }
}

#[test]
fn what_is_drawn_lies_where_it_was_drawn() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for name in ["trace.html", "trace.json"] {
        let battor = FakeBattor::attach(BattorFaults::default()).unwrap();
        let path = battor.path().to_str().unwrap();
        let args = [
            "capture",
            "--target",
            "linux",
            "--battor",
            "--battor-path",
            path,
            "-o",
            name,
            "sched",
        ];
        let output = record(traceloom(folder.path(), &args), || {
            let busy = (0..4).map(|_| busy_and_idle());
            battor.set_busy(busy.collect());
        });
        let (_, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        let trace = open(&folder.path().join(name));
        let slices = spans(&trace, "both 0");
        assert_eq!(slices.len(), 4);
        check_power(&trace, &slices);
        assert!(
            trace
                .repairs
                .count(traceloom_trace::RepairKind::BadClockSync)
                == 0
        );
    }
}

/// The clocks of the meter and the kernel are compared by a question and an answer, which take a while on a busy machine.
const BUSY: Duration = Duration::from_millis(100);

/// A busy period followed by a pause of the same length. Returns its start and end.
fn busy_and_idle() -> (u64, u64) {
    let slept = slept_for(1, BUSY);
    let (begun, ended) = (slept[0].begun_us, slept[0].ended_us);
    std::thread::sleep(Duration::from_micros(ended - begun));
    (begun, ended)
}

#[test]
fn a_device_is_not_charged_meanwhile() {
    with_device(|device, folder| {
        let battor = FakeBattor::attach(BattorFaults::default()).unwrap();
        let path = battor.path().to_str().unwrap();
        let charging = device.home().join("charging_enabled");
        let read = || std::fs::read_to_string(&charging).unwrap();
        std::fs::write(&charging, "1\n").unwrap();
        let args = [
            "systrace",
            "--battor",
            "--battor-path",
            path,
            "--battor-categories",
            "x",
            "sched",
        ];
        let mut command = on(device, folder, &args);
        command.env("TRACELOOM_DEVICE_FOLDER", device.home());
        let output = record(command, || {
            assert_eq!(read(), "0\n");
            sleeper("measured");
        });
        let (_, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        wait_until(|| read() == "1\n");
        let trace = open(&folder.join("trace.html"));
        assert!(trace.strings.lookup("battor.power_mw").is_some());

        // Charging is also turned on again if the recorder was killed.
        let mut command = on(device, folder, &args);
        command.env("TRACELOOM_DEVICE_FOLDER", device.home());
        let running = Running::start(command);
        assert_eq!(read(), "0\n");
        running.kill();
        wait_until(|| read() == "1\n");
        reset_atrace();

        // If charging cannot be controlled, there is a message, and the meter still works.
        std::fs::remove_file(&charging).unwrap();
        let mut command = on(device, folder, &args);
        command.env("TRACELOOM_DEVICE_FOLDER", device.home());
        let output = record(command, || sleeper("measured"));
        let (stdout, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        assert!(
            stdout.contains("Charging over USB cannot be turned off"),
            "{stdout}"
        );
    });
}

#[test]
fn a_meter_that_is_gone_takes_nothing_from_the_trace() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let line = "/nowhere/ttyUSB0";
    let args = [
        "capture",
        "--target",
        "linux",
        "--battor",
        "--battor-path",
        line,
        "-o",
        "t.html",
        "sched",
    ];
    let output = record(traceloom(folder.path(), &args), || sleeper("alone"));
    let (_, stderr) = said(&output);
    assert!(output.status.success(), "{stderr}");
    assert!(
        stderr.contains("Warning: /nowhere/ttyUSB0: No such file or directory"),
        "{stderr}"
    );
    assert!(
        stderr.contains("Warning: Only 1 of 2 tracing agents started."),
        "{stderr}"
    );
    crate::work::check_sleeper(&open(&folder.path().join("t.html")), "alone");
}

/// Resets what a killed recorder leaves of atrace's settings.
fn reset_atrace() {
    let mut program = std::process::Command::new(TRACELOOM);
    let reset = program.args(["atrace", "--async_stop"]).output();
    assert!(reset.unwrap().status.success());
}

fn wait_until(is_so: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed().as_secs() < 60, "it never is");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
