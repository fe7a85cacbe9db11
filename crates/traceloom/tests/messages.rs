//! The program's messages about wrong input.
#![cfg(unix)]

mod made;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use made::{refused_in, run_in, stderr};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn traceloom(args: &[&str]) -> Output {
    run_in(&examples(), args)
}

fn refused(args: &[&str]) -> String {
    refused_in(&examples(), args)
}

/// Runs with standard output redirected to `path`.
fn printing_to(path: &str, args: &[&str]) -> Output {
    let out = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    let child = command
        .args(args)
        .stdout(out)
        .stderr(Stdio::piped())
        .spawn();
    child.unwrap().wait_with_output().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn help_that_cannot_be_printed_is_an_error() {
    for args in [&["--help"][..], &["profile", "--help"], &["--version"]] {
        let output = printing_to("/dev/full", args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = stderr(&output);
        assert!(
            said.starts_with("traceloom: cannot write to standard output"),
            "{said}"
        );
    }
}

#[test]
fn help_into_a_closed_pipe_is_no_error() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let child = command
        .arg("--help")
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn();
    let output = child.unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "");
}

/// The list of formats contains all readers.
#[test]
fn an_unknown_file_is_told_what_can_be_read() {
    let said = refused(&["info", "README.md"]);
    for format in traceloom_formats::FORMATS {
        let is_read = format
            .reader(&traceloom_formats::ReadOptions::default())
            .is_some();
        assert_eq!(
            said.contains(format.title()),
            is_read,
            "{}: {said}",
            format.title()
        );
    }
}

#[test]
fn the_address_of_a_file_opens_it() {
    let path = examples().join("app.trace").canonicalize().unwrap();
    let address = format!("file://{}", path.display());
    let output = traceloom(&["info", &address]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = refused(&["info", "http://example.com/a.trace"]);
    assert!(
        said.contains("is an address") && said.contains("curl"),
        "{said}"
    );
    let said = refused(&["info", "file:///none.trace"]);
    assert!(said.contains("no such file"), "{said}");
    assert!(refused(&["info", "."]).contains("is a folder; name a trace in it, such as "));
}

#[test]
fn a_thread_that_one_run_lacks_is_said_with_its_file() {
    let said = refused(&[
        "diff",
        "app.trace",
        "linux.html",
        "--thread",
        "FinalizerDaemon",
    ]);
    assert!(
        said.contains("linux.html: --thread FinalizerDaemon: there is none"),
        "{said}"
    );
}

#[test]
fn methods_beside_slices_are_warned_of() {
    let output = traceloom(&["diff", "app.trace", "linux.html"]);
    assert!(output.status.success());
    let said = stderr(&output);
    assert!(
        said.contains("app.trace contains method calls, linux.html slices"),
        "{said}"
    );
    assert_eq!(stderr(&traceloom(&["diff", "app.trace", "app.trace"])), "");
}

#[test]
fn threads_have_no_callers() {
    let args = [
        "profile",
        "app.trace",
        "--tree",
        "bottom-up",
        "--by",
        "thread",
    ];
    assert!(refused(&args).contains("threads have none"));
}

#[test]
fn no_overhead_without_a_method_trace() {
    let said = refused(&["profile", "linux.html", "--correct-overhead"]);
    assert!(said.contains("is not a method trace"), "{said}");
}

#[test]
fn help_tells_every_name_and_line() {
    let help = |command: &str| {
        let output = traceloom(&[command, "--help"]);
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(help("profile").contains("--until"));
    assert!(help("callgraph").contains("dotted"));
}

#[test]
fn a_mistyped_table_of_rules_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("my.toml");
    std::fs::write(&rules, "[[evnt]]\nname = \"x\"\n").unwrap();
    let said = refused(&["info", "linux.html", "--events", rules.to_str().unwrap()]);
    assert!(said.contains("evnt"), "{said}");
}

#[test]
fn a_name_of_megabytes_is_not_printed_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.json");
    let name = "n".repeat(3 << 20);
    let event =
        format!("[{{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":5,\"name\":\"{name}\"}}]");
    std::fs::write(&path, event).unwrap();
    let path = path.to_str().unwrap();
    let printed = |args: &[&str]| traceloom(args).stdout.len();
    for args in [
        &["profile", path][..],
        &["profile", path, "--tree", "top-down"],
        &["profile", path, "--tree", "bottom-up"],
        &["profile", path, "--method", "nnn"],
        &["info", path],
        &["diff", path, "app.trace"],
        &["diff", path, "app.trace", "--markdown"],
    ] {
        let bytes = printed(args);
        assert!(bytes > 0 && bytes < 100_000, "{args:?}: {bytes}");
    }
    assert!(printed(&["profile", path, "--csv"]) > name.len());
    assert!(printed(&["profile", path, "--json"]) > name.len());
}
