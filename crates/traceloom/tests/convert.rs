//! `traceloom convert` end to end: data that a format cannot hold is reported.

mod made;

use std::path::Path;
use std::process::Output;

use made::run_in;
use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::ClockKind;

const APP: &[u8] = include_bytes!("../../../examples/app.trace");

const SYSTEM: &str = "# tracer: nop
  app-10 ( 10) [000] .... 1.000001: tracing_mark_write: B|10|draw
  app-10 ( 10) [000] .... 1.000002: tracing_mark_write: C|10|queue|3
  app-10 ( 10) [000] .... 1.000003: tracing_mark_write: C|10|queue|4
  app-10 ( 10) [000] .... 1.000004: tracing_mark_write: S|10|load|7
  app-10 ( 10) [000] .... 1.000005: tracing_mark_write: F|10|load|7
  app-10 ( 10) [000] .... 1.000006: my_event: value=7
  app-10 ( 10) [000] .... 1.000007: tracing_mark_write: E|10
";

fn convert(folder: &Path, args: &[&str]) -> Output {
    let output = run_in(folder, [&["convert"], args].concat());
    assert!(output.status.success(), "{output:?}");
    output
}

/// The single line on standard error, without its beginning.
fn left_out(folder: &Path, args: &[&str]) -> String {
    let errors = String::from_utf8(convert(folder, args).stderr).unwrap();
    assert_eq!(errors.lines().count(), 1, "{errors}");
    let line = errors.trim_end().split_once("cannot hold it: ");
    line.unwrap_or_else(|| panic!("{errors}")).1.to_owned()
}

fn with(name: &str, contents: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), contents).unwrap();
    folder
}

#[test]
fn a_method_trace_has_no_place_for_counters_and_async_slices() {
    let folder = with("a.ftrace", SYSTEM.as_bytes());
    let said = left_out(folder.path(), &["a.ftrace", "-o", "a.trace"]);
    for part in ["1 async slice", "2 counter values", "1 kernel event"] {
        assert!(
            said.split(", ").any(|found| found == part),
            "{part}: {said}"
        );
    }
}

#[test]
fn a_trace_of_its_own_kind_loses_nothing() {
    let folder = with("a.ftrace", SYSTEM.as_bytes());
    let output = convert(folder.path(), &["a.ftrace", "-o", "b.ftrace"]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// A workqueue event, a clock, a wake-up and a cookie. All of these were changed when written from
/// the tables.
const KERNEL: &str = "# tracer: nop
# entries-in-buffer/entries-written: 6/6   #P:2
  app-10    (   10) [000] d..2     1.000000: sched_wakeup: comm=b pid=11 prio=120 target_cpu=001\r
  app-10    (   10) [000] ...1     1.100000: tracing_mark_write: B|10|draw
  app-10    (   10) [000] d..2     1.200000: workqueue_queue_work: work struct=00000000b1a1e8a5 function=f
  app-10    (   10) [000] d..2     1.300000: clock_disable: gcc_clk state=0 cpu_id=0
  app-10    (   10) [000] ...1     1.400000: tracing_mark_write: S|10|FT|987654
  app-10    (   10) [000] ...1     1.500000: tracing_mark_write: C|10|big|9007199254740993
";

fn read(folder: &Path, name: &str) -> String {
    String::from_utf8(std::fs::read(folder.join(name)).unwrap()).unwrap()
}

#[test]
fn lines_of_a_text_are_copied() {
    let folder = with("a.ftrace", KERNEL.as_bytes());
    let folder = folder.path();
    let output = convert(folder, &["a.ftrace", "-o", "b.ftrace"]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(read(folder, "b.ftrace"), KERNEL);
    convert(folder, &["a.ftrace", "-o", "page.html"]);
    assert!(read(folder, "page.html").contains(KERNEL));
    convert(folder, &["page.html", "-o", "c.txt"]);
    assert_eq!(read(folder, "c.txt"), KERNEL);
    convert(folder, &["a.ftrace", "--rewrite", "-o", "d.txt"]);
    assert_ne!(read(folder, "d.txt"), KERNEL);
}

#[test]
fn a_cut_keeps_the_lines_of_the_range() {
    let folder = with("a.ftrace", KERNEL.as_bytes());
    let folder = folder.path();
    let range = ["--from", "150ms", "--until", "400ms"];
    let output = convert(folder, &[&["a.ftrace", "-o", "b.txt"][..], &range].concat());
    let lines: Vec<&str> = KERNEL.split_inclusive('\n').collect();
    assert_eq!(
        read(folder, "b.txt"),
        [0, 1, 4, 5].map(|n| lines[n]).concat()
    );
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    // Without --until, the last event is in the range.
    convert(folder, &["a.ftrace", "-o", "c.txt", "--from", "450ms"]);
    assert_eq!(read(folder, "c.txt"), [0, 1, 7].map(|n| lines[n]).concat());
    let refused = run_in(
        folder,
        ["convert", "a.ftrace", "-o", "d.txt", "--from", "2s"],
    );
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_cut_says_which_slices_it_cuts() {
    let text = format!("{SYSTEM}  app-10 ( 10) [000] .... 1.000008: my_event: value=8\n");
    let folder = with("a.ftrace", text.as_bytes());
    let range = ["--from", "3us", "--until", "7us"];
    let args = [&["a.ftrace", "-o", "b.txt"][..], &range].concat();
    let said = String::from_utf8(convert(folder.path(), &args).stderr).unwrap();
    assert!(
        said.starts_with("1 slice begins or ends outside the range"),
        "{said}"
    );
    convert(folder.path(), &[&args[..], &["--rewrite"]].concat());
    let rewritten = read(folder.path(), "b.txt");
    assert!(
        rewritten.contains("1.000004: tracing_mark_write: B|10|draw"),
        "{rewritten}"
    );
}

#[test]
fn several_traces_are_written_anew() {
    let mut archive = Vec::new();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(&mut archive));
    for name in ["a.txt", "b.txt"] {
        zip.start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
        std::io::Write::write_all(&mut zip, KERNEL.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    let folder = with("a.zip", &archive);
    let said = convert(folder.path(), &["a.zip", "-o", "b.txt"]).stderr;
    let said = String::from_utf8(said).unwrap();
    assert!(
        said.contains("written anew instead of copied: it contains several traces"),
        "{said}"
    );
}

#[test]
fn a_second_clock_is_not_dropped_in_silence() {
    let folder = with("app.trace", APP);
    let whole = convert(folder.path(), &["app.trace", "-o", "3.trace"]);
    assert!(!String::from_utf8_lossy(&whole.stderr).contains("CPU times"));
    for args in [
        &["app.trace", "-o", "2.trace", "--trace-version", "2"][..],
        &["app.trace", "-o", "app.html"],
        &["app.trace", "-o", "app.folded"],
    ] {
        let said = left_out(folder.path(), args);
        assert!(said.contains("CPU times of slices"), "{args:?}: {said}");
    }
    let cpu = left_out(folder.path(), &["app.trace", "-o", "cpu.folded", "--cpu"]);
    assert!(cpu.contains("wall times of slices"), "{cpu}");
}

/// Dalvik's traces start at a time of day; a page has it in whole milliseconds.
#[test]
fn the_time_of_day_stays_one_in_a_page() {
    let mut dalvik = APP.to_vec();
    let start = dalvik.windows(4).position(|four| four == b"SLOW").unwrap() + 8;
    let micros = 1_503_658_729_660_123u64;
    dalvik[start..start + 8].copy_from_slice(&micros.to_le_bytes());
    let folder = with("dalvik.trace", &dalvik);
    convert(folder.path(), &["dalvik.trace", "-o", "dalvik.html"]);
    let page = std::fs::read(folder.path().join("dalvik.html")).unwrap();
    let trace = read_bytes(&page, ReadOptions::default()).unwrap();
    let [clock] = &trace.clocks[..] else {
        panic!("{:?}", trace.clocks);
    };
    assert_eq!(clock.clock, ClockKind::Realtime);
    assert_eq!(
        clock.value_ns, clock.ts,
        "the trace's clock is the time of day"
    );
}
