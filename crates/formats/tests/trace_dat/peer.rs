//! Comparison with trace-cmd: its report, read as text, and its files, read as binary, give the
//! same trace.

use std::path::Path;
use std::process::Command;

use testkit::{Corpus, DatCompression};
use traceloom_trace::Trace;

use crate::made::every_kind;
use crate::story::{Story, open};

/// trace-cmd's report of a file, with nanoseconds; `None` if it refuses the file. With `plugins`,
/// leaf calls of function_graph are joined, but the `+` of thread states is not printed.
fn report(path: &Path, plugins: bool) -> Option<String> {
    let mut command = Command::new("trace-cmd");
    command.args(["report", "-t"]);
    if !plugins {
        command.arg("-N");
    }
    let output = command.arg(path).output().expect("trace-cmd runs");
    if !output.status.success() {
        return None;
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Some(text.lines().map(without_instance).collect())
}

/// Removes the name of a trace instance before its events.
fn without_instance(line: &str) -> String {
    let name = line.trim_start().split(':').next().unwrap_or_default();
    let is_instance =
        !name.contains([' ', '[']) && line.trim_start()[name.len()..].starts_with(":  ");
    let rest = if is_instance {
        &line.trim_start()[name.len() + 1..]
    } else {
        line
    };
    format!("{rest}\n")
}

fn have_trace_cmd() -> bool {
    let found = Command::new("trace-cmd").arg("--version").output().is_ok();
    if !found {
        println!("skipped: trace-cmd is not installed");
    }
    found
}

/// Every difference between the two must be one of the known ones, which are listed with their
/// reason.
fn compare(name: &str, ours: &Trace, text: &Trace) {
    let differences = Story::of(ours).differences(&Story::of(text));
    assert_eq!(differences, Vec::<String>::new(), "{name}");
}

#[test]
fn real_files_tell_what_trace_cmd_reports() {
    let Some(corpus) = Corpus::find().filter(|_| have_trace_cmd()) else {
        return;
    };
    let files = corpus.files(&["trace-cmd-dat"]);
    for file in &files {
        let Some(text) = report(&file.path, false) else {
            println!("skipped: trace-cmd refuses {}", file.name);
            continue;
        };
        compare(&file.name, &open(&file.read()), &open(text.as_bytes()));
    }
    println!(
        "{} real files compared with trace-cmd's report",
        files.len()
    );
}

/// trace-cmd opens the testkit's files, and reads the same from them.
#[test]
fn made_files_tell_what_trace_cmd_reports() {
    if !have_trace_cmd() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("traceloom-dat-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (number, (what, dat)) in every_kind().into_iter().enumerate() {
        // Debian's trace-cmd comes without zlib.
        if dat.compression == DatCompression::Zlib {
            continue;
        }
        let path = folder.join(format!("{number}.dat"));
        let bytes = dat.to_bytes();
        std::fs::write(&path, &bytes).unwrap();
        let text = report(&path, true).unwrap_or_else(|| panic!("{what}: refused"));
        let text = open(text.as_bytes());
        let (mut ours, mut theirs) = (Story::of(&open(&bytes)), Story::of(&text));
        // Its plugin prints no `+` for threads that were preempted.
        for row in ours.sched.iter_mut().chain(&mut ours.states) {
            *row = row.replace(" R+", " R");
        }
        // The text of a marker ends with the last word of the line.
        for row in &mut theirs.instants {
            *row = row.trim_end().to_owned();
        }
        for row in &mut ours.instants {
            *row = row.trim_end().to_owned();
        }
        assert_eq!(ours.differences(&theirs), Vec::<String>::new(), "{what}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Compares any file given by `TRACELOOM_DAT`, to investigate your own recordings.
#[test]
fn files_of_ones_own() {
    let Some(paths) = std::env::var_os("TRACELOOM_DAT").filter(|_| have_trace_cmd()) else {
        println!("skipped: TRACELOOM_DAT names no files");
        return;
    };
    for path in std::env::split_paths(&paths) {
        let ours = open(&std::fs::read(&path).unwrap());
        let text =
            report(&path, false).unwrap_or_else(|| panic!("trace-cmd refuses {}", path.display()));
        let text = open(text.as_bytes());
        compare(&path.display().to_string(), &ours, &text);
    }
}
