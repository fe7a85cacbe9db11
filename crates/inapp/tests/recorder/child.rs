//! Runs scenarios in child processes, and reads their files.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_inapp::recorder::Options;
use traceloom_trace::{RowId, SliceId, Trace};

const SCENARIO: &str = "TRACELOOM_SCENARIO";

/// Runs the scenario of a child process. Does nothing in the parent.
#[test]
fn in_child() {
    let Some(scenario) = std::env::var_os(SCENARIO) else {
        return;
    };
    let scenario = scenario.into_string().expect("ASCII");
    let (name, folder) = scenario.split_once(' ').expect("a name and a folder");
    let run = SCENARIOS.iter().find(|(known, _)| *known == name);
    run.expect("a known scenario").1(Path::new(folder));
}

type Scenario = fn(&Path);

const SCENARIOS: &[(&str, Scenario)] = &[
    ("usual", super::usual::scenario),
    ("restart", super::usual::restart_scenario),
    ("killed", super::crash::scenario),
    ("next", super::crash::next_scenario),
    ("cut", super::faults::cut_scenario),
    ("foreign-fault", super::faults::foreign_scenario),
    ("sent-fault", super::faults::sent_scenario),
    ("overwritten", super::faults::overwritten_scenario),
    ("file", super::faults::file_scenario),
    ("fork", super::fork::scenario),
    ("raw-fork", super::fork::raw_scenario),
    ("quiet", super::quiet::scenario),
    ("saving", super::saving::scenario),
    ("busy-saving", super::saving::busy_scenario),
    ("short-calls", super::short_calls::scenario),
    ("short-killed", super::short_calls::killed_scenario),
    ("short-saved", super::short_calls::saved_scenario),
    ("signals", super::signals::scenario),
    ("sixteen", super::threads::sixteen_scenario),
    ("crowd", super::threads::crowd_scenario),
    ("full", super::threads::full_scenario),
    ("short-lived", super::threads::short_lived_scenario),
    ("recycled", super::threads::recycled_scenario),
    ("triggers", super::triggers::scenario),
    ("samples", super::triggers::samples_scenario),
];

/// Starts a scenario in a child process.
pub fn spawn(name: &str, folder: &Path) -> Child {
    let exe = std::env::current_exe().expect("the path of the test program");
    Command::new(exe)
        .args([
            "--exact",
            "child::in_child",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(SCENARIO, format!("{name} {}", folder.display()))
        .stdout(Stdio::null())
        .spawn()
        .expect("the test can be started again")
}

/// Runs a scenario until it ends, and returns the folder with its files.
pub fn run(name: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let status = spawn(name, folder.path()).wait().expect("the child ends");
    assert!(status.success(), "{name}: {status}");
    folder
}

/// Options for a file in the folder.
pub fn options(folder: &Path) -> Options {
    Options::new(folder.join("app.ring"))
}

/// The trace in a file of the folder.
pub fn read(folder: &Path, file: &str) -> Trace {
    let bytes = std::fs::read(folder.join(file)).expect(file);
    read_bytes(&bytes, ReadOptions::default()).expect(file)
}

/// `thread: name` of each slice, ordered by time.
pub fn slices(trace: &Trace) -> Vec<String> {
    let shown = trace.slices.spans().map(|row| {
        let track = trace.slices.track_id.get(row);
        let name = trace.slice_name(SliceId::from_row(row));
        match trace.track_thread(track) {
            Some(utid) => format!("{}: {name}", trace.thread_name(utid)),
            None => format!("async: {name}"),
        }
    });
    shown.collect()
}

/// Names and values of all counters, in order.
pub fn counters(trace: &Trace) -> Vec<(String, f64)> {
    let rows = trace.counters.rows();
    let shown = rows.map(|row| {
        let name = trace.tracks.name.get(row.track_id.row());
        (trace.strings.get(name).to_owned(), row.value)
    });
    shown.collect()
}
