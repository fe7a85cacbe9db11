//! Logs of the real strace, compared with what it wrote and with what was traced.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

/// A shell that has a child sleep for 50 ms, and another one end at once.
const SCRIPT: &str = "sleep 0.05 & /bin/true; wait";

/// Runs strace on the script; `None` if it is missing or may not trace. Prints a message then.
fn recorded(folder: &Path, options: &[&str]) -> Option<()> {
    let mut command = Command::new("strace");
    command.current_dir(folder).args(options);
    let status = command.args(["-o", "log", "sh", "-c", SCRIPT]).status();
    let works = status.is_ok_and(|status| status.success());
    if !works {
        println!("skipped: strace is not installed, or may not trace here");
    }
    works.then_some(())
}

/// The rows of a query, as CSV without its titles.
fn asked(folder: &Path, files: &[String], sql: &str) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    command.current_dir(folder).arg("query").args(files);
    let output = command.args([sql, "--format", "csv"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().skip(1).map(str::to_owned).collect()
}

/// How many lines of a log hold a text.
fn lines_with(log: &str, text: &str) -> usize {
    log.lines().filter(|line| line.contains(text)).count()
}

#[test]
fn every_call_of_a_real_log_is_a_slice() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let Some(()) = recorded(folder, &["-f", "-ttt", "-T"]) else {
        return;
    };
    let log = std::fs::read_to_string(folder.join("log")).unwrap();
    let whole_lines = log.lines().count() - lines_with(&log, "resumed>");
    let ask = |sql: &str| asked(folder, &["log".to_owned()], sql);
    assert_eq!(ask("SELECT count(*) FROM slice"), [whole_lines.to_string()]);
    assert_eq!(ask("SELECT count(*) FROM repair"), ["0"]);
    let names = "SELECT DISTINCT thread.name FROM thread WHERE tid > 0 ORDER BY 1";
    assert_eq!(ask(names), ["sh", "sleep", "true"]);
    let sleeps = "SELECT max(dur) FROM slice JOIN thread_track tt ON track_id = tt.id \
        JOIN thread USING (utid) WHERE thread.name = 'sleep' AND slice.name GLOB '*nanosleep'";
    let slept: i64 = ask(sleeps)[0].parse().unwrap();
    // The line with the result ends in the seconds that the call took.
    let mut lines = log.lines().filter(|line| line.contains("nanosleep"));
    let line = lines.rfind(|line| line.ends_with('>')).unwrap();
    let (_, seconds) = line.trim_end_matches('>').rsplit_once('<').unwrap();
    let expected = (seconds.parse::<f64>().unwrap() * 1e9).round() as i64;
    assert!(slept >= 50_000_000, "{line}");
    assert!((slept - expected).abs() <= 1000, "{slept}: {line}");
}

#[test]
fn all_forms_of_times_have_the_same_calls() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for options in [&["-f", "-t"][..], &["-f", "-tt", "-i"], &["-f", "-r", "-y"]] {
        let Some(()) = recorded(folder, options) else {
            return;
        };
        let log = std::fs::read_to_string(folder.join("log")).unwrap();
        let exits = lines_with(&log, "+++ exited");
        let sql = "SELECT count(*) FROM slice WHERE name = 'exited with 0'";
        assert_eq!(asked(folder, &["log".to_owned()], sql), [exits.to_string()]);
        let repairs = asked(folder, &["log".to_owned()], "SELECT kind FROM repair");
        assert!(repairs.is_empty(), "{options:?}: {repairs:?}");
    }
}

/// `-ff` writes a file for each process. Together they are one trace. Each file has its own
/// threads.
#[test]
fn a_file_for_each_process_is_one_trace() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let Some(()) = recorded(folder, &["-ff", "-ttt", "-T"]) else {
        return;
    };
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<String> = names.collect();
    files.sort();
    let tids = asked(
        folder,
        &files,
        "SELECT DISTINCT tid FROM thread WHERE tid > 0 ORDER BY tid",
    );
    let mut expected: Vec<i64> = files
        .iter()
        .map(|file| file["log.".len()..].parse().unwrap())
        .collect();
    expected.sort();
    assert_eq!(
        tids,
        expected.iter().map(i64::to_string).collect::<Vec<_>>()
    );
}
