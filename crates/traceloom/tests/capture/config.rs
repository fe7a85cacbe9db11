//! Options from a file.

use std::path::Path;
use std::process::{Output, Stdio};

use testkit::KernelTurn;

use crate::linux::settings;
use crate::work::{open, said, traceloom};

fn run(folder: &Path, args: &[&str]) -> Output {
    let args = [&["capture", "--config", "traceloom.toml"], args].concat();
    let mut command = traceloom(folder, &args);
    command.stdin(Stdio::null()).output().unwrap()
}

fn write(folder: &Path, text: &str) {
    std::fs::write(folder.join("traceloom.toml"), text).unwrap();
}

#[test]
fn the_example_of_the_documentation_records() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/capture.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    let (_, example) = docs.split_once("```toml\n# traceloom.toml").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), example);
    let before = settings();
    let output = run(folder.path(), &["irq", "-t", "20", "--", "sleep", "0.3"]);
    let (_, stderr) = said(&output);
    assert!(output.status.success(), "{stderr}");
    let trace = open(&folder.path().join("trace.html"));
    let has = |name: &str| trace.strings.lookup(name).is_some();
    assert!(has("signal_generate"), "the event of the file");
    assert!(has("mem.rss"), "the dumps of the file: {stderr}");
    let switches = trace.sched_slices.len();
    assert_eq!(switches, 0, "the command line has other categories");
    assert_eq!(settings(), before);
}

#[test]
fn a_mistake_has_its_line_and_what_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    for (text, said_is) in [
        (
            "tme = 1",
            "unknown key tme; allowed are categories, command, output, json, time,",
        ),
        ("time = \"soon\"", "invalid value 'soon' for '--time <N>'"),
        ("time = [1, 2]", "time has one value, not a list"),
        ("raw = 1", "raw is true or false"),
        ("raw_version = 8", "[possible values: 6, 7]"),
        (
            "filter = [\"x\"]",
            "x is not a filter; write 'sched_switch: prev_prio < 100'",
        ),
        ("categories = [\"--live\"]", "--live is not a category"),
        (
            "event = [1.5]",
            "event is a text or a number, or a list of them",
        ),
        ("output", "key with no value"),
        ("[output]", "output is a text or a number"),
    ] {
        write(
            folder.path(),
            &format!("# Mine\ntarget = \"linux\"\n{text}\n"),
        );
        let output = run(folder.path(), &["-t", "1"]);
        let (_, stderr) = said(&output);
        assert_eq!(output.status.code(), Some(2), "{text}: {stderr}");
        assert!(stderr.contains("traceloom.toml:3: "), "{text}: {stderr}");
        assert!(stderr.contains(said_is), "{text}: {stderr}");
    }
    write(folder.path(), "");
    std::fs::remove_file(folder.path().join("traceloom.toml")).unwrap();
    let output = run(folder.path(), &[]);
    assert!(said(&output).1.contains("cannot read traceloom.toml"));
}
