//! Behaviour of our program where the original's output is no reference.

use std::fs;
use std::process::{Command, Output, Stdio};

use crate::build::{ENTER, EXIT, Trace};

fn ours(dir: &tempfile::TempDir, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dmtracedump"));
    command.current_dir(dir.path()).args(args);
    command
}

fn run(command: &mut Command) -> Output {
    command.output().expect("it runs")
}

fn with_trace(trace: &Trace) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary directory");
    fs::write(dir.path().join("a.trace"), trace.bytes()).expect("a file");
    dir
}

/// A caller, `<init>`, and a name that would end a label and a command line.
fn hostile() -> Trace {
    let mut trace = Trace::new(2);
    trace
        .method("4\tA\t<init>\t()V")
        .method("8\tB\"];x\t`touch pwned`{|}\\\t()V");
    trace.record(1, 4, ENTER, 1).record(1, 8, ENTER, 20);
    trace.record(1, 8, EXIT, 90_000).record(1, 4, EXIT, 100_000);
    trace
}

#[test]
fn the_picture_is_drawn_without_a_shell_and_nothing_else_is_left() {
    if !Command::new("dot")
        .arg("-V")
        .output()
        .is_ok_and(|o| o.status.success())
    {
        return eprintln!("skipped: no Graphviz");
    }
    let dir = with_trace(&hostile());
    let picture = "-o\"$(touch pwned).png";
    let output = run(&mut ours(&dir, &["-t0", "-g", picture, "a.trace"]));
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let mut names: Vec<_> = fs::read_dir(dir.path())
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().into_string())
        .collect();
    names.sort();
    assert_eq!(names, [Ok(picture.to_string()), Ok("a.trace".to_string())]);
    let bytes = fs::read(dir.path().join(picture)).expect("a picture");
    assert!(bytes.starts_with(b"\x89PNG"));
}

#[test]
fn a_missing_graphviz_is_told_and_is_no_failure() {
    let dir = with_trace(&hostile());
    let output = run(ours(&dir, &["-gout", "a.trace"]).env("PATH", ""));
    assert!(output.status.success());
    assert!(output.stderr.starts_with(b"dot: "));
    assert!(output.stdout.starts_with(b"\n===="));
}

#[test]
fn a_dot_file_that_cannot_be_written_is_an_error_after_the_profile() {
    let dir = with_trace(&hostile());
    let output = run(&mut ours(&dir, &["-kg", "no/such/out", "a.trace"]));
    assert_eq!(output.status.code(), Some(1));
    let message = b"Cannot write \"no/such/out.dot\": ";
    assert!(output.stderr.starts_with(message));
    assert!(output.stdout.starts_with(b"\n===="));
}

#[test]
fn a_pipe_is_read() {
    prints_the_same_from_a_pipe(&hostile(), 0);
}

/// A big file is read in pieces. Its last record is incomplete.
#[test]
fn a_big_file_prints_the_same_as_a_pipe() {
    let mut trace = Trace::with_methods(3, 300);
    for i in 0..100_000 {
        let (thread, method) = ((i / 7 % 3) as u16, 4 + 4 * (i * 7 % 300));
        trace.record(thread, method, i % 2, i);
    }
    prints_the_same_from_a_pipe(&trace, 5);
}

/// Compares a file without its last `cut` bytes with a pipe that gives the same bytes.
fn prints_the_same_from_a_pipe(trace: &Trace, cut: usize) {
    let dir = with_trace(trace);
    let path = dir.path().join("a.trace");
    let bytes = fs::read(&path).expect("a file");
    fs::write(&path, &bytes[..bytes.len() - cut]).expect("a file");
    for option in ["--", "-o"] {
        let from_file = run(&mut ours(&dir, &[option, "a.trace"]));
        let mut cat = Command::new("cat")
            .arg(&path)
            .stdout(Stdio::piped())
            .spawn()
            .expect("cat runs");
        let pipe = cat.stdout.take().expect("a pipe");
        let from_pipe = run(ours(&dir, &[option, "/dev/stdin"]).stdin(pipe));
        cat.wait().expect("cat ends");
        assert!(from_file == from_pipe, "{option}");
        let stderr = String::from_utf8_lossy(&from_file.stderr);
        assert_eq!(stderr.contains("hit EOF mid-record"), cut > 0);
    }
}

#[test]
fn a_closed_pipe_is_no_error_and_a_directory_is_one() {
    let mut trace = Trace::with_methods(2, 300);
    for i in 0..60_000 {
        trace.record(1, 4 + 4 * (i * i % 300), ENTER, i);
    }
    let dir = with_trace(&trace);
    for option in ["-o", "-h", "-k"] {
        let mut child = ours(&dir, &[option, "a.trace"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{option}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let is_silent = !stderr.contains("panicked") && !stderr.contains("write");
        assert!(is_silent, "{stderr}");
    }
    let output = run(&mut ours(&dir, &["."]));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stderr, b"Cannot read \".\".\n");
}

/// After a lost exit, the calls above the method that exits end with it. After a lost entry, the
/// exit is ignored.
#[test]
fn exits_that_do_not_match_are_repaired_and_counted() {
    let mut trace = Trace::with_methods(2, 3);
    trace.record(1, 4, ENTER, 0).record(1, 8, ENTER, 10);
    trace.record(1, 12, EXIT, 15).record(1, 4, EXIT, 30);
    let dir = with_trace(&trace);
    let output = run(&mut ours(&dir, &["a.trace"]));
    assert!(output.status.success());
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "WARNING: exits did not match the stack: 1 calls closed early, 1 exits ignored; first on \
         thread 1, exit from method C1.m2 ()V\tC.java\n"
    );
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("Total cycles: 30\n"));
    assert!(text.contains("       20   66.67  66.67  [2] C0.m1"));
    assert!(text.contains("       10   33.33 100.00  [1] C0.m0"));
}
