//! Compares `traceview -r` with the output of the Java program.
//!
//! The golden files hold our own output. Each was compared, byte for byte, with the output of
//! Traceview's Java classes (without their window) for the same input. So was our output for 1,500
//! generated traces. The sums for the real traces are from the Java program's output.

mod made;

use std::ffi::OsString;
use std::path::Path;

use made::{ENTER, EXIT, Made, UNWIND, corpus, run, stderr, stdout};

fn regression(file: &Path) -> std::process::Output {
    run([OsString::from("traceview"), "-r".into(), file.into()])
}

fn check(trace: &Made, name: &str, expected: &str) {
    let output = regression(&trace.file(&format!("{name}.trace")));
    assert_eq!(stdout(&output), expected);
    assert_eq!(
        (stderr(&output).as_str(), output.status.code()),
        ("", Some(0))
    );
}

fn start(version: u16, clock: &'static str) -> Made {
    Made::new(version, clock)
        .threads(&[(1, "main"), (12, "Binder_2"), (9, "idle")])
        .methods(&[
            ("a.B", "outer", "()V"),
            ("a.B", "inner", "(I)J"),
            ("p/Q", "r", "()I"),
        ])
}

/// Both clocks: sleeps, recursion, an exit before any entry, an undeclared thread and method, a
/// call that stays open.
#[test]
fn dual_clock() {
    let mut trace = start(3, "dual");
    trace.record(1, 3, EXIT, &[5, 5]);
    trace.record(1, 1, ENTER, &[10, 10]);
    trace.record(1, 2, ENTER, &[20, 500]); // slept
    trace.record(1, 2, ENTER, &[30, 510]); // calls itself
    trace.record(12, 3, ENTER, &[0, 512]);
    trace.record(1, 2, EXIT, &[70, 550]);
    trace.record(1, 2, UNWIND, &[90, 570]);
    trace.record(12, 3, EXIT, &[40, 700]); // slept
    trace.record(40_000, 1, ENTER, &[1, 700]); // its id is signed there
    trace.record(1, 77, ENTER, &[95, 575]); // never ends
    trace.record(1, 3, ENTER, &[96, 576]);
    trace.record(1, 3, EXIT, &[99, 600]);
    check(&trace, "dual", include_str!("traceview/dual.txt"));
}

/// CPU clocks only: every change of thread is a context switch, and the time line is computed.
#[test]
fn thread_cpu_clock() {
    let mut trace = start(2, "thread-cpu");
    trace.record(1, 1, ENTER, &[100]);
    trace.record(1, 2, ENTER, &[110]);
    trace.record(12, 3, ENTER, &[7]);
    trace.record(12, 2, ENTER, &[9]);
    trace.record(1, 2, EXIT, &[151]);
    trace.record(12, 2, EXIT, &[30]);
    trace.record(12, 3, EXIT, &[31]);
    trace.record(1, 1, EXIT, &[200]);
    trace.record(1, 1, ENTER, &[210]);
    check(
        &trace,
        "thread-cpu",
        include_str!("traceview/thread-cpu.txt"),
    );
}

/// Version 1 with wall times beyond 35 minutes, which are signed in Traceview.
#[test]
fn wall_clock() {
    let mut trace = start(1, "wall");
    trace.record(1, 1, ENTER, &[2_147_483_000]);
    trace.record(1, 2, ENTER, &[2_147_483_600]);
    trace.record(200, 2, ENTER, &[2_147_483_640]);
    trace.record(1, 2, EXIT, &[2_147_483_700]);
    trace.record(1, 1, EXIT, &[2_147_484_000]);
    check(&trace, "wall", include_str!("traceview/wall.txt"));
}

/// Where the original crashes, ours continues and reports it.
#[test]
fn mismatched_exits_are_mended() {
    let mut trace = start(3, "dual");
    trace.record(1, 1, ENTER, &[0, 0]);
    trace.record(1, 2, ENTER, &[10, 10]);
    trace.record(1, 3, EXIT, &[15, 15]); // not running
    trace.record(1, 1, EXIT, &[20, 20]); // closes method 2 with it
    trace.record(1, 1, 3, &[21, 21]); // no such action
    let output = regression(&trace.file("mismatched.trace"));
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(
        text.contains(" 1       10       20       10       20       10       10  a.B.inner (I)J\n"),
        "{text}"
    );
    let told = stderr(&output);
    assert_eq!(told.lines().count(), 3, "{told}");
    assert!(
        told.lines().all(|line| line.starts_with("traceview: 1 ")),
        "{told}"
    );
}

#[test]
fn names_of_files() {
    let mut trace = start(2, "wall");
    trace.record(1, 1, ENTER, &[1]);
    let whole = trace.file("names.trace");
    let expected = stdout(&regression(&whole));
    assert!(expected.starts_with("totalCpuTime 0us\ntotalRealTime 0us\n\nThread Times\n"));
    assert_eq!(stdout(&regression(&whole.with_extension(""))), expected);
    let base = whole.with_file_name("old-names");
    let (text, data) = trace.parts();
    std::fs::write(base.with_extension("key"), text).unwrap();
    std::fs::write(base.with_extension("data"), data).unwrap();
    assert_eq!(stdout(&regression(&base)), expected);
}

#[test]
fn refusals() {
    let told = |args: &[&str]| {
        let output = run(["traceview"].iter().chain(args));
        (output.status.code(), stdout(&output), stderr(&output))
    };
    let (code, out, err) = told(&["-r", "/nowhere/x"]);
    assert_eq!(
        (code, out.as_str(), err.as_str()),
        (Some(1), "", "trace file '/nowhere/x' not found\n")
    );
    let (code, out, err) = told(&["-r", env!("CARGO_TARGET_TMPDIR")]);
    assert_eq!(
        (code, out.as_str(), err.as_str()),
        (Some(1), "Qemu trace files not supported yet.\n", "")
    );
    let (code, out, err) = told(&["-r"]);
    let usage = "Usage: java com.android.traceview.MainWindow [-r] trace\n  -r   regression only\n";
    assert_eq!((code, out.as_str(), err.as_str()), (Some(0), usage, ""));
    let (code, _, err) = told(&[env!("CARGO_MANIFEST_PATH")]);
    assert_eq!(code, Some(2));
    assert!(
        err.contains("traceloom profile") && err.contains("-r"),
        "{err}"
    );
    let (code, out, err) = told(&["-r", env!("CARGO_MANIFEST_PATH")]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.starts_with("Failed to read the trace file '"), "{err}");
    let (code, out, _) = told(&["--help"]);
    assert!(code == Some(0) && out.contains("Example:"));
}

/// FNV-1a, 64 bits.
fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[test]
fn real_traces() {
    let Some(corpus) = corpus() else {
        eprintln!("skipped: no corpus");
        return;
    };
    let mut checked = 0;
    for line in include_str!("traceview/real.tsv").lines() {
        let [path, bytes, expected] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let output = regression(&corpus.join(path));
        let found = (
            output.stdout.len().to_string(),
            format!("{:016x}", sum(&output.stdout)),
        );
        assert_eq!(found, (bytes.to_owned(), expected.to_owned()), "{path}");
        checked += 1;
    }
    eprintln!("{checked} real traces checked");
}

/// A trace in a container is read by traceloom's reader instead of Traceview's rules; the tables
/// must be the same.
#[test]
fn both_readings_agree_on_real_traces() {
    let Some(corpus) = corpus() else {
        eprintln!("skipped: no corpus");
        return;
    };
    let mut checked = 0;
    for line in include_str!("traceview/real.tsv").lines() {
        let path = corpus.join(line.split('\t').next().unwrap());
        let bytes = std::fs::read(&path).unwrap();
        // Only in Traceview's own reading, method id 0 replaces the top level.
        if bytes
            .windows(5)
            .any(|text| text == b"\n0x0\t" || text == b"\n0\tja")
        {
            continue;
        }
        let packed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packed.trace.gz");
        std::fs::write(&packed, gzip(&bytes)).unwrap();
        assert_eq!(
            stdout(&regression(&packed)),
            stdout(&regression(&path)),
            "{path:?}"
        );
        checked += 1;
    }
    eprintln!("{checked} real traces checked");
}

/// A gzip member of stored blocks.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let mut blocks = bytes.chunks(65_535).peekable();
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        out.push(u8::from(blocks.peek().is_none()));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(block);
    }
    let crc = !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
        })
    });
    out.extend(crc.to_le_bytes());
    out.extend((bytes.len() as u32).to_le_bytes());
    out
}
