//! `traceloom events` end to end: traces in, text out.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Events with fields, one without fields, a name with control characters, and a thread without a
/// name.
const TEXT: &str = "\
    bash-7 (    7) [000] .... 1.000001: disk_note_first: dev=8,1 ino=12 len=4096
    bash-7 (    7) [000] .... 1.000002: disk_note_last: dev=8,1 ino=12 len=4096 copied=4096
    bash-8 (    7) [001] .... 1.000003: mm_page_alloc: page=0xffff order=0 gfp_flags=GFP_KERNEL
   <...>-9 (-----) [001] .... 1.000004: mm_page_alloc: page=0xfffe order=3 gfp_flags=a,b
    bash-7 (    7) [000] .... 1.500000: my_event: text=\"say \x1b[2J\"
    bash-7 (    7) [000] .... 2.000000: disk_note_first: dev=8,1 ino=13 len=1
";

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn traceloom(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    command.arg("events").args(args).current_dir(workspace());
    command.output().expect("traceloom runs")
}

/// The output of a run on a text.
fn shown(text: &str, options: &[&str]) -> String {
    let output = run(text, options);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn run(text: &str, options: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.ftrace"), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    command.args(["events", "t.ftrace"]).args(options);
    command
        .current_dir(folder.path())
        .output()
        .expect("traceloom runs")
}

#[test]
fn the_names_are_counted() {
    insta::assert_snapshot!(shown(TEXT, &[]));
}

#[test]
fn events_are_listed_with_their_fields() {
    insta::assert_snapshot!(shown(TEXT, &["--limit=0"]));
}

#[test]
fn options_narrow_the_list() {
    for (options, count) in [
        (&["--name=mm_page_alloc"][..], 2),
        (&["--name=disk_*_first"], 2),
        (&["--name=DISK", "--name=my_event"], 0),
        (&["--name=disk", "--name=my_event"], 4),
        (&["--thread=8"], 1),
        (&["--thread=bash"], 5),
        (&["--process=7", "--cpu=1"], 1),
        (&["--cpu=1", "--cpu=0"], 6),
        (&["--cpu=5"], 0),
        (&["--from=0.4s", "--until=0.6s"], 1),
        (&["--until=3us"], 3),
    ] {
        let mut options = options.to_vec();
        options.push("--json");
        let output = run(TEXT, &options);
        if !output.status.success() {
            assert_eq!((count, output.status.code()), (0, Some(2)), "{options:?}");
            continue;
        }
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            json["events"].as_array().unwrap().len(),
            count,
            "{options:?}"
        );
    }
    let cut = shown(TEXT, &["--name=disk", "--limit=1"]);
    assert!(cut.ends_with("… 2 more (--limit 0 shows all)\n"), "{cut}");
    let none = shown(TEXT, &["--from=0.6s", "--until=0.7s"]);
    assert_eq!(none, "no such events in this range of time\n");
}

#[test]
fn csv() {
    insta::assert_snapshot!(shown(TEXT, &["--csv", "--name=mm_*", "--name=my_event"]));
}

#[test]
fn json() {
    insta::assert_snapshot!(shown(TEXT, &["--json", "--limit=2"]));
}

#[test]
fn mistakes_are_told() {
    let refused = |output: Output| {
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    };
    insta::assert_snapshot!(
        [
            refused(traceloom(&["examples/app.trace"])),
            refused(run(TEXT, &["--name=nothing"])),
            refused(run(TEXT, &["--thread=nobody"])),
            refused(run(TEXT, &["--from=2s"])),
        ]
        .concat()
    );
}

/// No field is lost if events have more fields than columns, or a key that occurs twice.
#[test]
fn no_field_is_lost() {
    let mut text = String::from(" a-1 (1) [000] .... 1.0: wide:");
    for field in 0..150 {
        write!(text, " key{field}=value{field}").unwrap();
    }
    text += " key1=again\n";
    let csv = shown(&text, &["--csv"]);
    let json = shown(&text, &["--json"]);
    for field in 0..150 {
        assert!(csv.contains(&format!("value{field}")), "{field}");
        assert!(json.contains(&format!("[\"key{field}\",\"value{field}\"]")));
    }
    assert!(csv.contains("key1=again") && json.contains("[\"key1\",\"again\"]"));
}

/// The number of listed events equals the count of `info`.
#[test]
fn real_traces() {
    let Some(corpus) = testkit::Corpus::find() else {
        return;
    };
    let mut checked = 0;
    for file in corpus.files(&["systrace-html", "ftrace-text", "trace-cmd-dat"]) {
        let path = file.path.to_str().unwrap();
        let output = traceloom(&[path, "--csv"]);
        if !output.status.success() {
            continue;
        }
        let mut info = Command::new(env!("CARGO_BIN_EXE_traceloom"));
        let info = info.args(["info", path, "--json"]).output().unwrap();
        let info: serde_json::Value = serde_json::from_slice(&info.stdout).unwrap();
        let info = info.as_array().map_or(&info, |files| &files[0]);
        let mut lines = csv_lines(&output.stdout);
        lines -= 1;
        assert_eq!(info["counts"]["ftrace_events"], lines, "{path}");
        checked += 1;
    }
    eprintln!("{checked} real traces checked");
}

/// The number of lines, without line ends inside quotes.
fn csv_lines(csv: &[u8]) -> u64 {
    let (mut lines, mut quoted) = (0, false);
    for byte in csv {
        quoted ^= *byte == b'"';
        lines += u64::from(*byte == b'\n' && !quoted);
    }
    lines
}

/// Text outside of fields has no key.
#[test]
fn text_without_a_key_stands_alone() {
    const NOTE: &str = "    bash-7 (    7) [000] .... 3.0: my_note: three plain words\n";
    let list = shown(NOTE, &["--limit=0"]);
    assert!(list.ends_with("my_note three plain words\n"), "{list}");
    let csv = shown(NOTE, &["--csv"]);
    assert!(
        csv.starts_with("ts_ns,cpu,thread,tid,process,pid,event,text,"),
        "{csv}"
    );
    let mut wide = String::from("    bash-7 (    7) [000] .... 2.0: wide:");
    for field in 0..150 {
        write!(wide, " key{field}=value{field}").unwrap();
    }
    let csv = shown(&[&wide, "\n", NOTE].concat(), &["--csv"]);
    assert!(csv.trim_end().ends_with(",three plain words"), "{csv}");
}
