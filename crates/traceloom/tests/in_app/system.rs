//! The same run recorded by the kernel, on one time line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

use testkit::KernelTurn;
use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::{RowId, SliceId, Trace};

use crate::app::{App, FRAMES, succeeds};

/// A recording of this machine.
struct Recording(Child);

impl Recording {
    fn start(app: &App) -> Self {
        let args = ["capture", "--target", "linux", "-o", "system.txt", "sched"];
        let mut command = app.traceloom(&args);
        command.stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("Starting tracing") {
            line.clear();
            assert!(said.read_line(&mut line).unwrap() > 0, "it ended");
        }
        // Further output is read, so that the process does not block.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        Self(child)
    }

    fn stop(mut self) {
        self.0.stdin.take().unwrap().write_all(b"\n").unwrap();
        assert!(self.0.wait().unwrap().success());
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // Whatever the result of the test, a running recording would affect the next one.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// The time that a thread in the kernel's trace ran between two times, ns.
fn ran(trace: &Trace, tid: i64, from: i64, to: i64) -> i64 {
    let of_thread = trace.sched_slices.rows().filter(|row| {
        let utid = row.utid.row();
        trace.threads.tid.get(utid) == tid
    });
    let overlap = of_thread.map(|row| (row.ts + row.dur).min(to) - row.ts.max(from));
    overlap.filter(|&ns| ns > 0).sum()
}

#[test]
fn what_ran_is_what_the_kernel_says() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let Some(app) = App::build() else { return };
    let recording = Recording::start(&app);
    app.run("app.ring");
    recording.stop();
    let files = ["app.ring", "system.txt"];
    let args = [
        &["report"],
        &files[..],
        &["-o", "both.html", "--method-map", "methods.txt"],
    ];
    succeeds(&mut app.traceloom(&args.concat()));
    let bytes = std::fs::read(app.path("both.html")).unwrap();
    let trace = read_bytes(&bytes, ReadOptions::default()).unwrap();

    // The duration of each call, and how long it ran.
    let times = |name: &str| -> Vec<(i64, i64)> {
        let spans = spans(&trace, &format!("com.example.app.Program.{name}"));
        let ran = |(tid, from, to)| (to - from, ran(&trace, tid, from, to));
        spans.into_iter().map(ran).collect()
    };
    let (naps, spins) = (times("nap"), times("spin"));
    assert_eq!(
        (naps.len(), spins.len()),
        (FRAMES as usize, FRAMES as usize)
    );
    // It sleeps for 5 ms, and spins on the CPU for 2 ms. Kernels of some virtual machines omit
    // switches from idle to a thread (counted as `sched_mismatch`). Such a run is then not in the
    // trace.
    let slept = |&(took, ran): &(i64, i64)| took - ran > 5_000_000 - 900_000;
    assert!(naps.iter().all(slept), "{naps:?}");
    let spins: Vec<i64> = spins.into_iter().map(|(_, ran)| ran).collect();
    assert!(spins.iter().any(|&ran| ran > 1_000_000), "{spins:?}");

    // The profile's CPU times are from the scheduler, because there is no thread clock.
    let profile = app.profile("both.html");
    let mut rows = profile["rows"].as_array().unwrap().iter();
    let spin = rows.find(|row| row["name"] == "spin").unwrap();
    let cpu_ns = spin["inclusive"]["cpu_ns"].as_i64().unwrap();
    let ran_ns: i64 = spins.iter().sum();
    assert!((cpu_ns - ran_ns).abs() * 100 <= ran_ns, "{cpu_ns} {ran_ns}");
    assert!(profile["total"]["cpu_ns"].as_i64().unwrap() >= cpu_ns);
}

/// The thread, begin and end of each slice with this name.
fn spans(trace: &Trace, name: &str) -> Vec<(i64, i64, i64)> {
    let rows = trace.slices.rows().enumerate();
    let named = rows.filter(|&(row, _)| trace.slice_name(SliceId::from_row(row)) == name);
    let span = named.map(|(_, slice)| {
        let utid = trace.tracks.utid.get(slice.track_id.row()).some();
        let tid = trace.threads.tid.get(utid.expect("a thread's").row());
        (tid, slice.ts, slice.ts + slice.dur)
    });
    span.collect()
}
