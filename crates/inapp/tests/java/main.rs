//! Java programs that use the library through its Java class, in a real virtual machine.

mod sampling;

use std::path::Path;
use std::process::Command;

use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::{RowId, SliceId, Trace};

/// Runs a command that must succeed, and returns its output.
fn succeeds(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}

/// Compiles a program and runs it with these arguments and a folder. Returns the folder and the output.
fn run(program: &str, arguments: &[&str]) -> Option<(tempfile::TempDir, String)> {
    if Command::new("javac").arg("-version").output().is_err() {
        println!("skipped: no javac");
        return None;
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let exe = std::env::current_exe().expect("the path of the test program");
    let library = exe.with_file_name("libtraceloom_inapp.so");
    std::fs::copy(library, folder.path().join("libtraceloom.so"))
        .expect("the library is built with the test");
    succeeds(
        Command::new("javac")
            .args(["--release", "8", "-Xlint:all,-options", "-Werror", "-d"])
            .arg(folder.path())
            .arg("-sourcepath")
            .arg(format!("{0}/java:{0}/tests/java", here.display()))
            .arg(here.join("java/traceloom/Recorder.java"))
            .arg(here.join(format!("tests/java/{program}.java"))),
    );
    let mut path = std::ffi::OsString::from("-Djava.library.path=");
    path.push(folder.path());
    let printed = succeeds(
        Command::new("java")
            // The machine's own messages come at any moment, also inside a line of the program.
            .args(["-Xcheck:jni", "-XX:+DisplayVMOutputToStderr", "-cp"])
            .arg(folder.path())
            .arg(path)
            .arg(program)
            .args(arguments)
            .arg(folder.path()),
    );
    Some((folder, printed))
}

fn read(folder: &Path, file: &str) -> Trace {
    let bytes = std::fs::read(folder.join(file)).expect(file);
    read_bytes(&bytes, ReadOptions::default()).expect(file)
}

/// Depth and name of each slice.
fn slices(trace: &Trace) -> Vec<String> {
    let shown = trace.slices.spans().map(|row| {
        let depth = trace.slices.depth.get(row);
        format!("{depth} {}", trace.slice_name(SliceId::from_row(row)))
    });
    shown.collect()
}

/// Checks the program's output. The machine's own warnings are on standard error: it reports that
/// SIGBUS has a foreign handler. That handler is the recorder's, which calls the machine's.
fn assert_fine(printed: &str) {
    assert!(printed.lines().any(|line| line == "fine"), "{printed}");
}

fn instants(trace: &Trace) -> Vec<&str> {
    let rows = trace.slices.instants();
    rows.map(|row| trace.strings.get(trace.slices.name.get(row)))
        .collect()
}

/// The recursion ends in a StackOverflowError, so some ends of calls are missing.
#[test]
fn a_full_stack_leaves_no_call_open() {
    let Some((folder, printed)) = run("Overflow", &[]) else {
        return;
    };
    let trace = read(folder.path(), "overflow.ring");
    let deep = printed.lines().find_map(|line| line.strip_prefix("depth "));
    let deep: usize = deep.and_then(|deep| deep.parse().ok()).expect("the depth");
    let shown = slices(&trace);
    assert_eq!(shown[0], "0 Overflow.run");
    assert_eq!(shown.last().map(String::as_str), Some("0 Overflow.after"));
    assert!(shown.len() >= deep, "{} of {deep}", shown.len());
    assert!(trace.slices.dur.iter().all(|dur| dur >= 0));
    let lost = trace
        .repairs
        .count(traceloom_trace::RepairKind::MissingExit);
    assert!(
        lost > 0,
        "no end is missing: the test does not test anything"
    );
}

/// The virtual machine has its own fault handler. It throws an InternalError for faults in its
/// mapped files.
#[test]
fn a_virtual_machine_survives_that_the_file_is_cut() {
    if let Some((_, printed)) = run("Cut", &[]) {
        assert_fine(&printed);
    }
}

#[test]
fn messages_and_frames_of_the_main_thread() {
    let Some((folder, printed)) = run("Messages", &[]) else {
        return;
    };
    assert_fine(&printed);
    let trace = read(folder.path(), "messages.ring");
    let expected = [
        "0 com.example.Feed$Load",
        "0 com.example.MyHandler 7",
        "1 inside",
        "0 Choreographer frame",
        "0 android.app.ActivityThread$H 159",
    ];
    assert_eq!(slices(&trace), expected);
    let saved = |name: &str| read(folder.path(), &format!("messages.ring.{name}.ring"));
    let frame = saved("slow-frame-1");
    assert!(
        instants(&frame)
            .iter()
            .any(|name| name.starts_with("slow frame: "))
    );
    // The stack is that of the moment when the trigger fired: the main thread sleeps in its message.
    let blocked = saved("blocked-2");
    let found = instants(&blocked);
    let last = found.iter().rposition(|name| *name == "stack of main");
    let stack = &found[last.expect("a stack")..];
    let at = |part: &str| {
        stack
            .iter()
            .position(|name| name.starts_with("at ") && name.contains(part))
    };
    let (inner, outer) = (at("Messages.sleeps("), at("Messages.main("));
    assert!(inner.is_some() && inner < outer, "{found:?}");
}

#[test]
fn a_java_program() {
    let Some((folder, _)) = run("Program", &[]) else {
        return;
    };
    let methods = [
        "0 Program.run",
        "1 Program.work",
        "1 Program.work",
        "1 Program.work",
        "1 Program.throwing",
        "0 a section ä",
        "0 load",
        "0 Program.run",
        "1 Program.work",
        "1 Program.throwing",
    ];
    for file in ["java.ring", "last.ring"] {
        let trace = read(folder.path(), file);
        assert_eq!(slices(&trace), methods, "{file}");
        assert!(trace.slices.dur.iter().all(|dur| dur >= 0), "{file}");
        assert!(
            trace.repairs.rows().is_empty(),
            "{file}: {:?}",
            trace.repairs.rows()
        );
        let values: Vec<f64> = trace.counters.rows().map(|row| row.value).collect();
        assert_eq!(values, [-7.0], "{file}");
    }
    let text = read(folder.path(), "java.systrace");
    assert_eq!(slices(&text).len(), methods.len());
    assert!(text.repairs.rows().is_empty(), "{:?}", text.repairs.rows());

    let trace = read(folder.path(), "methods.trace");
    let expected = ["0 1", "1 2", "1 2", "1 3"];
    assert_eq!(slices(&trace), expected);
    assert!(!folder.path().join("methods.trace.ring").exists());
}
