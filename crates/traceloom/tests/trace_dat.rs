//! A `trace.dat` through the commands.

mod made;

use made::run_in;
use traceloom_formats::{ReadOptions, read_bytes};

const DAT: &[u8] = include_bytes!("../../../examples/app.dat");

fn with_dat() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("app.dat"), DAT).unwrap();
    folder
}

fn printed(args: &[&str]) -> String {
    let output = run_in(with_dat().path(), args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn info() {
    insta::assert_snapshot!(printed(&["info", "app.dat"]), @r"
    app.dat: trace.dat (trace-cmd), 4.000 s
      trace-dat-version  7
      trace-cmd          3.2.0
      uname              Linux phone 6.1.0 aarch64
      cpus               2
      clock              local
      buffer             other
      events             188

    Tables
                 43  slices
                 25  counter values
                  6  instants
                 36  sched slices
                 18  wake-ups
                 43  thread states
                 24  other events
                146  arguments
                 10  tracks

    Processes (1)
          pid  threads  name
         4711        2  com.example.app

    Threads (10)
          tid      pid      slices       running  name
         4720     4711          18       78.0 µs  RenderThread
         4711     4711           6      138.0 µs  com.example.app
            0        ?           0       8.000 s  swapper
         5000        ?           0          0 ns  hwuiTask0
           77        ?           0          0 ns  ksoftirqd/0
         5001        ?           0          0 ns  hwuiTask0
         5002        ?           0          0 ns  hwuiTask0
         5003        ?           0          0 ns  hwuiTask0
         5004        ?           0          0 ns  hwuiTask0
         5005        ?           0          0 ns  hwuiTask0

    Repairs (5 kinds)
             17 × lost_events (loss): the recorder lost events: its buffer was overrun
                 first: byte 24557, CPU 1
              3 × buffer_overflow (loss): the recording buffer was full: events before or after it are missing
                 first: the whole file, CPU 1: overrun 20, commit overrun 0, dropped 0
              1 × missing_exit (mended): a caller returned while its callee was still open, or what came next is lost; closed with the caller, or where last seen
                 first: byte 12955, the end of a kernel slice is missing
              2 × missing_tgid (mended): lines lack the process of their thread; found from other events
                 first: byte 12299, thread 4711
              7 × unknown_process (note): no event or dump tells which process these threads belong to
                 first: byte 17193, thread 5000
    ");
}

#[test]
fn profile() {
    insta::assert_snapshot!(printed(&["profile", "app.dat", "--sort", "exclusive"]), @r"
    app.dat: 2 threads, 24 slices, total running 0.194 ms, real 0.206 ms
    30 repairs: 1 missing_exit, 17 lost_events, 3 buffer_overflow, 2 missing_tgid, 7 unknown_process (traceloom info explains)
    19 slices on tracks of no thread are not counted (--all-tracks counts them)

    Incl Running     %  Excl Running     %  Incl Real     %  Excl Real     %  Runnable  Sleeping  Uninterr.  Calls+Recur  Running/Call  Real/Call  Slice
           0.054  27.8         0.054  27.8      0.066  32.0      0.066  32.0     0.000     0.000      0.012          6+0         0.009      0.011  draw
           0.021  10.8         0.021  10.8      0.021  10.2      0.021  10.2     0.000     0.000      0.000          1+0         0.021      0.021  doFrame 0
           0.021  10.8         0.021  10.8      0.021  10.2      0.021  10.2     0.000     0.000      0.000          1+0         0.021      0.021  doFrame 1
           0.021  10.8         0.021  10.8      0.021  10.2      0.021  10.2     0.000     0.000      0.000          1+0         0.021      0.021  doFrame 2
           0.021  10.8         0.021  10.8      0.021  10.2      0.021  10.2     0.000     0.000      0.000          1+0         0.021      0.021  doFrame 3
           0.021  10.8         0.021  10.8      0.021  10.2      0.021  10.2     0.000     0.000      0.000          1+0         0.021      0.021  doFrame 4
           0.021  10.8         0.021  10.8      0.021  10.2      0.021  10.2     0.000     0.000      0.000          1+0         0.021      0.021  doFrame 5
           0.014   7.4         0.012   6.2      0.014   7.0      0.012   5.8     0.000     0.000      0.000          6+0         0.002      0.002  vfs_read
           0.002   1.2         0.002   1.2      0.002   1.2      0.002   1.2     0.000     0.000      0.000          6+0         0.000      0.000  rw_verify_area
    ");
}

/// Text and reports written from it contain the same slices, switches and counters.
#[test]
fn convert_and_report() {
    let folder = with_dat();
    for args in [
        &["convert", "app.dat", "-o", "out.ftrace"][..],
        &["convert", "app.dat", "-o", "out.json"],
        &["report", "app.dat", "-o", "out.html"],
    ] {
        let output = run_in(folder.path(), args);
        assert!(output.status.success(), "{args:?}: {output:?}");
    }
    let read = |bytes: &[u8]| read_bytes(bytes, ReadOptions::default()).unwrap();
    let counts = |bytes: &[u8]| {
        let trace = read(bytes);
        let (slices, sched) = (trace.slices.len(), trace.sched_slices.len());
        (
            slices,
            sched,
            trace.thread_states.len(),
            trace.counters.len(),
        )
    };
    let file = |name| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(counts(&file("out.html")), counts(DAT));
    assert_eq!(counts(&file("out.ftrace")), counts(DAT));
    let spans = |trace: traceloom_trace::Trace| trace.slices.span_count();
    assert_eq!(spans(read(&file("out.json"))), spans(read(DAT)));
}

/// A large file is mapped and read in place; a small one, and standard input, are read in chunks.
#[test]
fn a_mapped_file_reads_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let big = testkit::busy_dat(60_000, 1);
    assert!(big.len() > 1 << 20);
    let path = folder.path().join("big.dat");
    std::fs::write(&path, &big).unwrap();
    let info = |args: &[&str]| {
        let output = run_in(folder.path(), args);
        assert!(output.status.success(), "{output:?}");
        let facts: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        facts["counts"].clone()
    };
    let fresh = info(&["info", "--json", "big.dat"]);
    // A file that changed recently is not mapped.
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    std::fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(long_ago)
        .unwrap();
    assert_eq!(info(&["info", "--json", "big.dat"]), fresh);
    assert!(fresh["sched_slices"].as_u64() > Some(5_000), "{fresh}");
}
