//! `traceloom convert` end to end: what a format has no place for is said.

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

/// The one line on standard error, without its beginning.
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

/// Dalvik's traces start at a time of day; a page says it as one, whole to the millisecond.
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
