//! Output on a terminal: no control sequence of a hostile name reaches it. Files and pipes get the
//! original bytes.
#![cfg(target_os = "linux")]

mod made;

use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::Path;
use std::process::Command;

use made::{ENTER, EXIT, Made, run_in};

/// Sets the window title, moves the cursor, returns to the start of the line, and reverses text.
const NAME: &str = "a\u{1b}]0;title\u{7}b\u{9b}2Jc\rd\u{202e}e";

/// A pseudo-terminal in raw mode: the screen's side and the program's side.
fn terminal() -> (File, OwnedFd) {
    let (mut screen, mut program) = (0, 0);
    // SAFETY: termios is plain data, and the pointers are valid.
    unsafe {
        let mut raw: libc::termios = std::mem::zeroed();
        libc::cfmakeraw(&mut raw);
        let opened = libc::openpty(
            &mut screen,
            &mut program,
            std::ptr::null_mut(),
            &raw,
            std::ptr::null(),
        );
        assert_eq!(opened, 0);
        (File::from_raw_fd(screen), OwnedFd::from_raw_fd(program))
    }
}

/// The output of the program on a terminal.
fn on_terminal(folder: &Path, args: &[&str]) -> String {
    let (mut screen, program) = terminal();
    let mut child = Command::new(env!("CARGO_BIN_EXE_traceloom"))
        .args(args)
        .current_dir(folder)
        .env("COLUMNS", "1000")
        .stdout(program)
        .spawn()
        .unwrap();
    let mut shown = Vec::new();
    let mut piece = [0; 4096];
    // The kernel returns EIO once the program has closed its side.
    while let Ok(length @ 1..) = screen.read(&mut piece) {
        shown.extend_from_slice(&piece[..length]);
    }
    assert!(child.wait().unwrap().success(), "{args:?}");
    String::from_utf8(shown).unwrap()
}

fn with_traces() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut calls = Made::new(2, "wall")
        .threads(&[(1, "main")])
        .methods(&[("Class", NAME, "()V")]);
    calls.record(1, 1, ENTER, &[1]);
    calls.record(1, 1, EXIT, &[9]);
    std::fs::write(folder.path().join("a.trace"), calls.bytes()).unwrap();
    let text = format!(
        "# tracer: nop\n\
         app-10 ( 10) [000] .... 1.000001: tracing_mark_write: B|10|{NAME}\n\
         app-10 ( 10) [000] .... 1.000003: my_event: value={NAME}\n\
         app-10 ( 10) [000] .... 1.000004: tracing_mark_write: E|10\n"
    );
    std::fs::write(folder.path().join("a.ftrace"), text).unwrap();
    folder
}

const COMMANDS: [&[&str]; 12] = [
    &["profile", "a.trace"],
    &["profile", "a.trace", "--csv"],
    &["profile", "a.trace", "--tree", "bottom-up", "--csv"],
    &["profile", "a.trace", "--folded"],
    &["profile", "a.trace", "--json"],
    &["info", "a.trace"],
    &["dmtracedump", "a.trace"],
    &["dmtracedump", "-o", "a.trace"],
    &["traceview", "-r", "a.trace"],
    &["convert", "a.trace", "--to", "trace", "-o", "-"],
    &["convert", "a.ftrace", "--to", "ftrace", "-o", "-"],
    &["events", "a.ftrace", "--csv"],
];

#[test]
fn a_terminal_is_given_no_commands() {
    let folder = with_traces();
    for args in COMMANDS {
        let shown = on_terminal(folder.path(), args);
        let is_command = |c: char| {
            c.is_control() && !matches!(c, '\n' | '\t') || ('\u{202a}'..='\u{202e}').contains(&c)
        };
        assert!(
            shown.contains("title") || args[0] == "info",
            "{args:?} {shown}"
        );
        assert!(!shown.contains(is_command), "{args:?} {shown:?}");
    }
}

#[test]
fn a_pipe_gets_every_byte() {
    let folder = with_traces();
    for args in [
        &["profile", "a.trace", "--csv"][..],
        &["dmtracedump", "a.trace"],
    ] {
        let output = run_in(folder.path(), args);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            text.contains("\u{1b}]0;title\u{7}b\u{9b}2J"),
            "{args:?} {text:?}"
        );
    }
}

#[test]
fn spreadsheets_get_no_formulas() {
    let folder = tempfile::tempdir().unwrap();
    let mut calls = Made::new(2, "wall").threads(&[(1, "main")]).methods(&[(
        "=cmd|'calc'!A0",
        "@SUM(1)",
        "-1+1",
    )]);
    calls.record(1, 1, ENTER, &[1]);
    calls.record(1, 1, EXIT, &[9]);
    std::fs::write(folder.path().join("a.trace"), calls.bytes()).unwrap();
    let printed = |option: &str| {
        let output = run_in(folder.path(), ["profile", "a.trace", option]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let (plain, safe) = (printed("--csv"), printed("--csv-safe"));
    assert!(
        plain.contains("\n1,=cmd|'calc'!A0,@SUM(1),-1+1,"),
        "{plain}"
    );
    assert!(
        safe.contains("\n1,'=cmd|'calc'!A0,'@SUM(1),'-1+1,"),
        "{safe}"
    );
}
