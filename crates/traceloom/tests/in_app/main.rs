//! An app that records itself. Its methods are woven, and the sections of a stand-in for
//! `android.os.Trace` are written by Android's own libcutils. Both are recorded in the process by
//! an unprivileged user. The recording is then merged with the system's trace.
// With musl there is no library that another program could load.
#![cfg(all(target_os = "linux", not(target_env = "musl")))]

mod app;
mod system;

use app::{App, FRAMES, succeeds};
use traceloom_formats::{ReadOptions, read_bytes};

/// How often a method of a class, or a section, was called.
fn calls(profile: &serde_json::Value, class: Option<&str>, name: &str) -> u64 {
    let rows = profile["rows"].as_array().expect("rows");
    let is_it = |row: &&serde_json::Value| row["name"] == name && row["class"].as_str() == class;
    let called = rows.iter().filter(is_it);
    called.map(|row| row["calls"].as_u64().unwrap()).sum()
}

#[test]
fn an_app_without_rights_records_methods_and_sections() {
    let Some(app) = App::build() else { return };
    // The tag of apps is off, on during the recording, and off again.
    assert_eq!(app.run("app.ring"), "false true false\n");

    let profile = app.profile("app.ring");
    let method = |name: &str| calls(&profile, Some("com.example.app.Program"), name);
    assert_eq!(
        ["frame", "parse", "nap", "spin", "fail", "recover"].map(method),
        [2 * FRAMES, 2 * FRAMES, FRAMES, FRAMES, FRAMES, FRAMES],
        "{profile:#}"
    );
    for frame in 0..FRAMES {
        assert_eq!(calls(&profile, None, &format!("frame {frame}")), 2);
    }

    let trace = read_bytes(
        &std::fs::read(app.path("app.ring")).unwrap(),
        ReadOptions::default(),
    );
    let trace = trace.unwrap();
    assert!(
        trace.slices.dur.iter().all(|dur| dur >= 0),
        "all are closed"
    );
    assert!(
        trace.repairs.rows().is_empty(),
        "{:?}",
        trace.repairs.rows()
    );
}

#[test]
fn its_stacks_nest_as_the_calls_did() {
    let Some(app) = App::build() else { return };
    app.run("app.ring");
    let mut convert = app.traceloom(&["convert", "app.ring", "-o", "-", "--to", "folded"]);
    // The map next to the trace is found automatically.
    let output = succeeds(&mut convert);
    let folded = String::from_utf8(output.stdout).unwrap();
    let program = |name: &str| format!("com.example.app.Program.{name}");
    let odd = ["frame", "frame 3", "parse", "fail"];
    let even = ["frame", "frame 4", "parse", "spin"];
    for [outer, section, parse, inner] in [odd, even] {
        let stack = [
            program(outer),
            section.to_owned(),
            program(parse),
            program(inner),
        ]
        .join(";");
        assert!(folded.contains(&stack), "{stack} in {folded}");
    }
    let caught = [program("frame"), "frame 3".to_owned(), program("recover")].join(";");
    assert!(folded.contains(&caught), "{caught} in {folded}");
}
