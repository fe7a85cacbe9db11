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

/// The message is short. The help names the formats, and the documentation has all of them.
#[test]
fn an_unknown_file_is_told_what_can_be_read() {
    let said = refused(&["info", "README.md"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(lines.iter().all(|line| line.len() < 200), "{said}");
    let help = traceloom(&["--help"]);
    let help = String::from_utf8(help.stdout).unwrap();
    for name in ["method traces", "Perfetto", "Chrome", "systrace", "ftrace"] {
        assert!(said.contains(name) && help.contains(name), "{name}: {said}");
    }
    let page = examples().join("../docs/formats.md");
    let page = std::fs::read_to_string(page).unwrap();
    for format in traceloom_formats::FORMATS {
        assert!(
            page.contains(&format!("`{}`", format.id())),
            "{}",
            format.id()
        );
    }
}

/// A file instead of a command, several files for a command that opens one, a wrong option.
#[test]
fn wrong_arguments_are_told_what_to_do() {
    let said = refused(&["app.trace"]);
    assert!(
        said.contains("tip: to look at this file: `traceloom info app.trace`"),
        "{said}"
    );
    assert!(
        said.contains("`traceloom view app.trace`")
            && said.contains("`traceloom query app.trace \"SELECT …\"`"),
        "{said}"
    );
    assert!(!said.contains("similar"), "{said}");
    let said = refused(&["profile", "app.trace", "linux.html"]);
    assert!(said.contains("this command opens one trace"), "{said}");
    let said = refused(&["profile", "app.trace", "--zzz"]);
    assert!(
        said.contains("--zzz") && !said.contains("as a value"),
        "{said}"
    );
    let said = refused(&["profile", "app.trace", "--form", "1s"]);
    assert!(
        said.contains("a similar argument exists: '--from'"),
        "{said}"
    );
}

#[test]
fn commands_of_perfetto_are_told_what_to_type() {
    for (command, advice) in [
        ("trace_processor", "`traceloom query TRACE`"),
        ("traceconv", "`traceloom convert TRACE -o OUT`"),
        ("summarize", "there are no trace summaries"),
        ("metrics", "no metrics"),
        ("server", "`traceloom view TRACE`"),
        ("bundle", "`--symbols DIR`"),
        ("merge", "`traceloom view A B`"),
        ("tracebox", "`traceloom capture -o OUT`"),
        ("record_android_trace", "`traceloom capture -o OUT`"),
        ("heap_profile", "`traceloom profile TRACE`"),
        ("interactive", "at a prompt"),
        ("util", "there is no such command"),
    ] {
        let said = refused(&[command, "app.trace"]);
        assert!(said.contains(advice), "{command}: {said}");
    }
    let said = refused(&["no-such-command"]);
    assert!(!said.contains("tip"), "{said}");
}

#[test]
fn numbers_that_are_wrong_are_told_in_plain_words() {
    for wrong in ["--limit=-1", "--limit=many", "--limit=99999999999999999999"] {
        let said = refused(&["profile", "app.trace", wrong]);
        assert!(said.contains("is not a whole number"), "{said}");
    }
}

/// Every command takes `--to` for the end of a range, except convert, where it is the format.
#[test]
fn the_end_of_a_range_has_two_names() {
    for command in ["profile", "frames", "threads", "events"] {
        let args = |end: &'static str| traceloom(&[command, "linux.html", end, "--json"]);
        let (to, until) = (args("--to=100ms"), args("--until=100ms"));
        assert_eq!(
            (to.stdout, to.stderr),
            (until.stdout, until.stderr),
            "{command}"
        );
    }
    let said = refused(&["convert", "linux.html", "--to", "100ms", "-o", "x.trace"]);
    assert!(said.contains("ends with --until 100ms"), "{said}");
    let said = refused(&["convert", "linux.html", "-o", "-"]);
    assert!(said.contains("standard output has no ending"), "{said}");
}

#[test]
fn one_slice_is_not_several() {
    let folder = tempfile::tempdir().unwrap();
    let line =
        |at, mark| format!("app-10 (10) [000] .... 1.00{at}000: tracing_mark_write: {mark}\n");
    let text =
        line(1, "B|10|draw") + &line(2, "E|10") + &line(3, "S|10|load|1") + &line(4, "F|10|load|1");
    std::fs::write(folder.path().join("one.txt"), text).unwrap();
    let output = run_in(folder.path(), ["profile", "one.txt"]);
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(
        shown.starts_with("one.txt: thread app (10), 1 slice, total real 1.000 ms\n"),
        "{shown}"
    );
    assert!(
        shown.contains("\n1 slice on tracks of no thread is not counted"),
        "{shown}"
    );
}

#[test]
fn only_this_machine_is_recorded_in_the_background() {
    let said = refused(&["capture", "start", "--target", "android", "sched"]);
    assert!(
        said.contains("for a device, use capture without start"),
        "{said}"
    );
    let help = traceloom(&["capture", "start", "--help"]);
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(
        help.contains("--ring") && !help.contains("--serial <"),
        "{help}"
    );
}

#[test]
fn a_file_that_is_cut_off_is_told_to_be_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read(examples().join("app.trace")).unwrap();
    std::fs::write(folder.path().join("cut.trace"), &whole[..100]).unwrap();
    let whole = std::fs::read_to_string(examples().join("linux.html")).unwrap();
    let (head, _) = whole.split_once("\"trace-data\"").unwrap();
    std::fs::write(folder.path().join("cut.html"), head).unwrap();
    for name in ["cut.trace", "cut.html"] {
        let said = refused_in(folder.path(), &["info", name]);
        assert!(said.contains("copy it again, or record again"), "{said}");
    }
}

#[test]
fn a_trace_without_calls_is_told_where_to_look() {
    let folder = tempfile::tempdir().unwrap();
    let counter = r#"[{"ph":"C","pid":1,"name":"memory","ts":1,"args":{"kB":5}}]"#;
    std::fs::write(folder.path().join("memory.json"), counter).unwrap();
    let said = refused_in(folder.path(), &["profile", "memory.json"]);
    assert!(said.contains("traceloom info counts what it has"), "{said}");
}

#[test]
fn the_systems_reasons_have_no_numbers() {
    for args in [
        &["profile", "app.trace", "--mapping", "none"][..],
        &["query", "app.trace", "--file", "none"],
        &["weave", "none", "-o", "out", "--map", "map"],
    ] {
        let said = refused(args);
        assert!(
            said.ends_with("none: no such file or directory\n"),
            "{said}"
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
    let said = refused(&["info", "../examples"]);
    let advice = "is a folder; name a trace in it, such as ../examples/app.dat";
    assert!(said.contains(advice), "{said}");
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

/// The exit code of a run when nobody reads its standard output and standard error.
fn unread(args: &[&str]) -> Option<i32> {
    let closed = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        writer
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    command.args(args).current_dir(examples());
    let status = command.stdout(closed()).stderr(closed()).status();
    status.unwrap().code()
}

#[test]
fn messages_that_nobody_reads_do_not_end_the_program() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["capture", "systrace"] {
        let file = folder.path().join(command).with_extension("json");
        let output = format!("--output={}", file.display());
        let args = [command, "--from-file=jank.ftrace.gz", &output];
        assert_eq!(unread(&args), Some(0), "{command}");
        assert!(file.is_file(), "{command}");
    }
    assert_eq!(unread(&["info", "app.trace", "jank.ftrace.gz"]), Some(0));
    assert_eq!(unread(&["info", "README.md"]), Some(2));
}
