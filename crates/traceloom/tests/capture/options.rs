//! Every option that systrace ever had, compared with its effect in systrace's sources (catapult,
//! `systrace/systrace`: `run_systrace.py`, `util.py`, `tracing_agents/*.py` and their history).

use std::path::Path;
use std::process::Output;

use crate::work::{open, said, traceloom};

/// A trace in atrace's format, with the word that systrace looked for.
const TRACE: &str = "TRACE:\n# tracer: nop\n#\n\
    \x20 app-8 (    8) [000] .... 5.000001: tracing_mark_write: B|8|a\n\
    \x20 app-8 (    8) [000] .... 5.000009: tracing_mark_write: E|8\n";

fn run(folder: &Path, args: &[&str]) -> Output {
    std::fs::write(folder.join("in.txt"), TRACE).unwrap();
    let args = [&["systrace"], args].concat();
    traceloom(folder, &args).output().unwrap()
}

/// Options that are accepted, with a value if they have one.
const TAKEN: &[&[&str]] = &[
    // util.py, get_main_options
    &["-o", "out.html"],
    &["-t", "5"],
    &["--time=5"],
    &["-j"],
    &["--json"],
    &["-e", "serial"],
    &["--serial=serial"],
    &["--target=android"],
    &["--timeout=5"],
    &["--collection-timeout=5"],
    &["-a", "com.example.app,com.example.other"],
    &["--app=com.example.app"],
    &["-b", "4096"],
    &["--buf-size=4096"],
    // atrace_agent.py
    &["--atrace-categories=sched,gfx"],
    &["-k", "do_sys_open,vfs_read"],
    &["--ktrace=do_sys_open"],
    &["--no-compress"],
    // ftrace_agent.py
    &["--ftrace-categories=sched,freq"],
    // atrace_process_dump.py
    &["--process-dump"],
    &["--process-dump-interval=1000"],
    &["--process-dump-full=all"],
    &["--process-dump-full=com.example.app"],
    &["--process-dump-mmaps"],
    // walt_agent.py
    &["--walt"],
    // battor_trace_agent.py, until 2018
    &["--battor"],
    &["--battor-categories=a,b"],
    &["--serial-map=serial_map.json"],
    &["--battor-path=/dev/ttyUSB0"],
    // Until 2016.
    &["--no-fix-threads"],
    &["--no-fix-tgids"],
    &["--no-fix-circular"],
    // optparse accepted abbreviated options.
    &["--buf", "4096"],
    &["--coll", "60"],
    &["--co=60"],
    &["--k", "do_exit"],
    // Categories may be anywhere.
    &["gfx", "-t", "5", "sched"],
];

#[test]
fn every_option_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    for option in TAKEN {
        let args = [&["--from-file", "in.txt"], *option].concat();
        let output = run(folder.path(), &args);
        assert!(output.status.success(), "{option:?}: {:?}", said(&output));
    }
}

/// Options that are refused with exit code 2, like by systrace's parser.
const REFUSED: &[(&[&str], &str)] = &[
    (
        &["--link-assets"],
        "--link-assets and --asset-dir are deprecated.",
    ),
    (
        &["--asset-dir=x"],
        "--link-assets and --asset-dir are deprecated.",
    ),
    (&["-t", "-5"], "unexpected argument '-5' found"),
    (&["-t", "five"], "invalid value 'five' for '--time <N>'"),
    (&["-b", "0"], "invalid value '0' for '--buf-size <KB>'"),
    (&["--nonsense"], "unexpected argument '--nonsense' found"),
    (
        &["--target=windows"],
        "invalid value 'windows' for '--target <TARGET>'",
    ),
    // Options of systraces before 2018, which later versions no longer had.
    (&["--boot"], "unexpected argument '--boot' found"),
    (
        &["--update-map"],
        "unexpected argument '--update-map' found",
    ),
    (&["--hubs=x"], "unexpected argument '--hubs' found"),
    (
        &["--agent-dirs=x"],
        "unexpected argument '--agent-dirs' found",
    ),
];

#[test]
fn what_it_refused_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (option, message) in REFUSED {
        let output = run(folder.path(), option);
        let (_, stderr) = said(&output);
        assert_eq!(output.status.code(), Some(2), "{option:?}");
        assert!(stderr.contains(message), "{option:?}: {stderr}");
    }
}

#[test]
fn a_file_becomes_a_page_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("inside");
    std::fs::create_dir(&inside).unwrap();
    std::fs::write(inside.join("old.trace.txt"), TRACE).unwrap();
    let output = run(folder.path(), &["--from-file", "inside/old.trace.txt"]);
    let (stdout, stderr) = said(&output);
    assert!(output.status.success(), "{stderr}");
    let page = inside.join("old.trace.html").canonicalize().unwrap();
    insta::assert_snapshot!(stdout.replace(page.to_str().unwrap(), "[page]"), @r"
    Reading results from file.
    Tracing completed. Collecting output...
    Outputting Systrace results...
    Tracing complete, writing results

    Wrote trace HTML file: file://[page]
    ");
    assert_eq!(open(&page).slices.len(), 1);

    let output = run(
        folder.path(),
        &["-j", "--from-file", "inside/old.trace.txt"],
    );
    assert!(output.status.success(), "{:?}", said(&output));
    assert!(said(&output).0.contains("Wrote trace JSON file: file://"));
    assert_eq!(open(&inside.join("old.trace.json")).slices.len(), 1);

    // systrace overwrote its input.
    let output = run(folder.path(), &["--from-file", "inside/old.trace.html"]);
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(said(&output).1, @"traceloom: inside/old.trace.html is the input; choose another output file with -o");
    let output = run(folder.path(), &["--from-file", "nowhere.txt"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(said(&output).1, @"traceloom: nowhere.txt: no such file or directory");
}

#[test]
fn help_and_version_end_with_0() {
    let folder = tempfile::tempdir().unwrap();
    for option in ["-h", "--help", "--version"] {
        let output = run(folder.path(), &[option]);
        assert!(output.status.success(), "{option}");
        assert!(said(&output).0.contains("systrace"), "{option}");
    }
}
