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
            .arg(here.join("java"))
            .arg(here.join("java/traceloom/Recorder.java"))
            .arg(here.join(format!("tests/java/{program}.java"))),
    );
    let mut path = std::ffi::OsString::from("-Djava.library.path=");
    path.push(folder.path());
    let printed = succeeds(
        Command::new("java")
            .args(["-Xcheck:jni", "-cp"])
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
