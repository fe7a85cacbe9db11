//! The copy of the tags in `android.os.Trace`, in a virtual machine with a replacement for that class.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::build::Workshop;

/// The library, which cargo puts next to the tests.
fn library() -> PathBuf {
    std::env::current_exe()
        .unwrap()
        .with_file_name("libtraceloom_inapp.so")
}

/// Compiles a class of `java/` with the library's class and with `others`, runs it, and returns its output.
fn run(main: &str, others: &[&str]) -> Option<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workshop = Workshop::new();
    let sources = others
        .iter()
        .chain([&main])
        .map(|name| here.join(format!("tests/hook/java/{name}.java")));
    let mut javac = Command::new("javac");
    javac.arg("-d").arg(workshop.path("")).args(sources);
    javac.arg(here.join("java/traceloom/TracePoints.java"));
    let Ok(compiled) = javac.output() else {
        println!("skipped: no javac");
        return None;
    };
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let mut java = Command::new("java");
    java.args(["-Xcheck:jni", "-cp"])
        .arg(workshop.path(""))
        .arg(main)
        .arg(library());
    let output = java.output().expect("java is installed with javac");
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{out}{err}");
    assert!(
        !out.contains("WARNING") && !err.contains("FATAL"),
        "a check of the virtual machine failed: {out}{err}"
    );
    Some(out.into_owned())
}

#[test]
fn the_copy_of_the_tags_is_set_and_restored() {
    let printed = run("Main", &["Trace"]);
    assert!(printed.is_none_or(|printed| printed == "fine\n"));
}

#[test]
fn a_machine_without_the_class() {
    let printed = run("Without", &[]);
    assert!(printed.is_none_or(|printed| printed == "fine\n"));
}
