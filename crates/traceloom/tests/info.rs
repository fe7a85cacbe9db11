//! `traceloom info` end to end.

mod made;

use std::process::Command;

use made::{refused_in, run_in};

/// The JSON that `info` prints for a text.
fn info(name: &str, text: &str) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let output = run_in(folder.path(), ["info", "--json", name]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_thread_that_still_runs_when_the_trace_ends_ran_until_then() {
    let facts = info(
        "open.ftrace",
        "\
          <idle>-0     [000] d..2 1.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=busy next_pid=7 next_prio=120
            busy-7     [000] .... 1.250000: tracing_mark_write: C|7|n|1
",
    );
    let thread = facts["threads"].as_array().unwrap();
    let busy = thread.iter().find(|thread| thread["tid"] == 7).unwrap();
    assert_eq!(busy["running_ns"], 250_000_000);
}

const EXAMPLE: &[u8] = include_bytes!("../../../examples/app.trace");

fn with_example() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.trace"), EXAMPLE).unwrap();
    folder
}

/// `perf record --threads` writes a folder: one file has the header, the others have the samples.
#[test]
fn a_folder_of_perf_is_one_trace() {
    const DIR_FORMAT: u8 = 24;
    let whole = testkit::tiny_perf_data();
    let mut header = whole.clone();
    let further = header.records.split_off(1);
    let version = testkit::PerfRecord::default().u64(&[1]);
    header.features.push((DIR_FORMAT, version));
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: Vec<u8>| std::fs::write(folder.path().join(name), bytes);
    write("whole", whole.to_bytes()).unwrap();
    std::fs::create_dir(folder.path().join("perf")).unwrap();
    write("perf/data", header.to_bytes()).unwrap();
    let (first, second) = further.split_at(4);
    for (name, records) in [("perf/data.10", second), ("perf/data.9", first)] {
        let records = records.iter();
        let bytes = records.flat_map(|record| record.to_bytes(false));
        write(name, bytes.collect()).unwrap();
    }
    let shown = |name| {
        let shown = run_in(folder.path(), ["info", "--json", name]).stdout;
        let shown: serde_json::Value = serde_json::from_slice(&shown).unwrap();
        (shown["counts"].clone(), shown["repairs"].clone())
    };
    assert_eq!(shown("perf"), shown("whole"));
    assert_ne!(shown("perf/data").1, shown("whole").1);
}

#[test]
fn a_key_and_its_data_file_are_one_trace() {
    let folder = tempfile::tempdir().unwrap();
    let binary = EXAMPLE.windows(4).position(|four| four == b"SLOW").unwrap();
    std::fs::write(folder.path().join("p.key"), &EXAMPLE[..binary]).unwrap();
    std::fs::write(folder.path().join("p.data"), &EXAMPLE[binary..]).unwrap();
    for names in [&["p.key", "p.data"][..], &["p.data", "p.key", "p"]] {
        let args = [&["info", "--json"], names].concat();
        let shown: serde_json::Value =
            serde_json::from_slice(&run_in(folder.path(), args).stdout).unwrap();
        assert_eq!(shown["counts"]["slices"], 3851, "{names:?}");
    }
    let args = ["profile", "p.key", "p.data", "--json", "--limit=1"];
    let shown: serde_json::Value =
        serde_json::from_slice(&run_in(folder.path(), args).stdout).unwrap();
    assert_eq!(shown["calls"], 3851);
}

/// Python's tests open the same kinds of input.
#[test]
fn a_trace_opens_by_its_name_without_the_ending() {
    let folder = with_example();
    let slices = |name| {
        let shown = run_in(folder.path(), ["info", "--json", name]).stdout;
        let shown: serde_json::Value = serde_json::from_slice(&shown).unwrap();
        shown["counts"]["slices"].clone()
    };
    assert_eq!(slices("a"), 3851);
    std::fs::write(folder.path().join("a"), "# tracer: nop\n").unwrap();
    assert_eq!(slices("a"), 0, "a file of exactly this name is preferred");
}

#[test]
fn wrong_side_files_and_ranges_are_refused() {
    let folder = with_example();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("bad.toml", "x = [");
    let nopid = String::from_utf8_lossy(EXAMPLE).find("pid=14230").unwrap();
    let without = [&EXAMPLE[..nopid], b"xxx=14230", &EXAMPLE[nopid + 9..]].concat();
    std::fs::write(folder.path().join("nopid.trace"), without).unwrap();
    for (args, told) in [
        (
            &["profile", "a.trace", "--from=2s", "--to=1s"][..],
            "--to is not after --from",
        ),
        (
            &[
                "convert",
                "a.trace",
                "-o",
                "b.html",
                "--from=2s",
                "--until=1s",
            ],
            "--until is not after",
        ),
        (
            &["profile", "nopid.trace", "--process", "app"],
            "there is none; the trace names no process",
        ),
        (
            &["info", "a.trace", "--process-dump", "bad.toml"],
            "not a process dump",
        ),
        (
            &["profile", "a.trace", "--tree=top-down", "--min-percent=nan"],
            "nan is not a percentage",
        ),
        (
            &["convert", "a.trace", "-o", "none/b.html"],
            "there is no folder none",
        ),
        (
            &["convert", "a.trace", "--to=ftrace", "-o", "."],
            "is a folder",
        ),
    ] {
        let errors = refused_in(folder.path(), args);
        assert!(errors.contains(told), "{args:?}: {errors}");
    }
    let errors = refused_in(folder.path(), &["info", "a.trace", "--events", "bad.toml"]);
    assert_eq!(errors.matches("unclosed array").count(), 1, "{errors}");
    assert!(!folder.path().join("b.html").exists());
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_a_pipe_a_pipe() {
    use std::os::unix::fs::FileTypeExt;
    let folder = with_example();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("real.html"), "old").unwrap();
    std::os::unix::fs::symlink("real.html", at("link.html")).unwrap();
    let linked = run_in(folder.path(), ["convert", "a.trace", "-o", "link.html"]);
    assert!(linked.status.success());
    assert!(at("link.html").is_symlink());
    assert!(std::fs::metadata(at("real.html")).unwrap().len() > 1000);

    let made = Command::new("mkfifo").arg(at("pipe.html")).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no mkfifo");
        return;
    }
    let reader = std::thread::spawn({
        let pipe = at("pipe.html");
        move || std::fs::read(pipe).unwrap().len()
    });
    let piped = run_in(folder.path(), ["convert", "a.trace", "-o", "pipe.html"]);
    let kept = std::fs::metadata(at("pipe.html")).unwrap();
    assert!(kept.file_type().is_fifo(), "the pipe was replaced");
    assert!(piped.status.success());
    assert!(reader.join().unwrap() > 1000);
}
