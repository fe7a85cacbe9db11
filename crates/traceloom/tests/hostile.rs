//! Hostile texts and traces: every command ends with a result or an error, never with a panic.

mod made;

use std::cell::RefCell;
use std::path::Path;
use std::process::Output;

use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use made::{ENTER, EXIT, Made, run_in};

/// More than the maximum width in Rust's format strings.
const LONG: usize = 70_000;

/// A method trace and a system trace with a long text in each place from which a reader takes one.
fn long_texts() -> Vec<(String, Vec<u8>)> {
    let long = "x".repeat(LONG);
    let mut made: Vec<(String, Vec<u8>)> = Vec::new();
    for place in ["key", "value", "thread", "class", "method", "signature"] {
        let text = |own: &str| {
            if own == place {
                long.clone()
            } else {
                own.to_owned()
            }
        };
        let mut trace = Made::new(2, "wall")
            .threads(&[(1, &text("thread"))])
            .methods(&[(&text("class"), &text("method"), &text("signature"))]);
        trace.record(1, 1, ENTER, &[1]);
        trace.record(1, 1, EXIT, &[9]);
        let line = format!("clock=wall\n{}={}\n", text("key"), text("value"));
        let bytes = trace.bytes();
        let at = bytes.windows(11).position(|part| part == b"clock=wall\n");
        let (before, after) = bytes.split_at(at.unwrap());
        let bytes = [before, line.as_bytes(), &after[11..]].concat();
        made.push((format!("{place}.trace"), bytes));
    }
    for place in ["comm", "mark", "counter", "field", "event"] {
        let text = |own: &str| {
            if own == place {
                long.clone()
            } else {
                own.to_owned()
            }
        };
        let (comm, mark, counter) = (text("comm"), text("mark"), text("counter"));
        let (field, event) = (text("field"), text("event"));
        let text = format!(
            "# tracer: nop\n\
             {comm}-10 (   10) [000] .... 1.000001: tracing_mark_write: B|10|{mark}\n\
             {comm}-10 (   10) [000] .... 1.000002: tracing_mark_write: C|10|{counter}|3\n\
             {comm}-10 (   10) [000] .... 1.000003: {event}: {field}=7\n\
             {comm}-10 (   10) [000] .... 1.000004: tracing_mark_write: E|10\n"
        );
        made.push((format!("{place}.ftrace"), text.into_bytes()));
    }
    made
}

/// Command lines that print data of a trace.
const PRINTING: [&[&str]; 12] = [
    &["info", "IN", "--all"],
    &["info", "IN", "--json"],
    &["profile", "IN"],
    &["profile", "IN", "--csv"],
    &["profile", "IN", "--by", "thread"],
    &["profile", "IN", "--tree", "top-down"],
    &["profile", "IN", "--tree", "bottom-up", "--csv"],
    &["callgraph", "IN", "--format", "svg"],
    &["diff", "IN", "IN"],
    &["frames", "IN"],
    &["dmtracedump", "IN"],
    &["traceview", "-r", "IN"],
];

fn run(folder: &Path, command: &[&str], file: &str) -> Output {
    let args = command
        .iter()
        .map(|arg| if *arg == "IN" { file } else { arg });
    run_in(folder, args)
}

/// A panic ends with 101, a signal without a code.
fn ended_well(output: &Output) -> bool {
    let said = String::from_utf8_lossy(&output.stderr);
    matches!(output.status.code(), Some(0..=2)) && !said.contains("panicked")
}

#[test]
fn long_texts_are_printed_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in long_texts() {
        std::fs::write(folder.path().join(&name), bytes).unwrap();
        for command in PRINTING {
            let output = run(folder.path(), command, &name);
            assert!(ended_well(&output), "{command:?} {name}: {output:?}");
        }
    }
}

#[test]
fn a_long_key_does_not_push_other_values_aside() {
    let folder = tempfile::tempdir().unwrap();
    let (name, bytes) = long_texts().swap_remove(0);
    std::fs::write(folder.path().join(&name), bytes).unwrap();
    let output = run(folder.path(), &["info", "IN"], &name);
    let shown = String::from_utf8(output.stdout).unwrap();
    let clock = shown.lines().find(|line| line.starts_with("  clock"));
    assert!(clock.is_some_and(|line| line.len() < 60), "{clock:?}");
    assert!(shown.len() < 10_000, "{}", shown.len());
}

/// The elements that an HTML parser finds in a page. Scripts are stored separately, with their
/// attributes and text.
#[derive(Default)]
struct Elements {
    scripts: Vec<(Vec<(String, String)>, String)>,
    others: Vec<String>,
    is_in_script: bool,
}

#[derive(Default)]
struct Sink(RefCell<Elements>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut found = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                found.is_in_script = &*tag.name == "script";
                if !found.is_in_script {
                    found.others.push(tag.name.to_string());
                    return match &*tag.name {
                        "style" => TokenSinkResult::RawData(RawKind::Rawtext),
                        "title" => TokenSinkResult::RawData(RawKind::Rcdata),
                        _ => TokenSinkResult::Continue,
                    };
                }
                let text = |text: &str| text.to_owned();
                let attributes = tag.attrs.iter();
                let attributes = attributes.map(|one| (text(&one.name.local), text(&one.value)));
                let attributes = attributes.collect();
                found.scripts.push((attributes, String::new()));
                return TokenSinkResult::RawData(RawKind::ScriptData);
            }
            Token::TagToken(tag) => found.is_in_script &= &*tag.name != "script",
            Token::CharacterTokens(text) if found.is_in_script => {
                let (_, script) = found.scripts.last_mut().unwrap();
                script.push_str(&text);
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// Parses a page like a browser.
fn parsed(page: &[u8]) -> Elements {
    let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(String::from_utf8(page.to_vec()).unwrap().into());
    _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

/// The names of all slices in the JSON output.
fn slices(folder: &Path, file: &str) -> Vec<String> {
    let output = run(folder, &["profile", "IN", "--json"], file);
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = shown["rows"].as_array().unwrap().iter();
    let mut names: Vec<_> = rows
        .map(|row| row["name"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

/// The contents of a page except scripts, which do not depend on the trace.
fn frame_of(elements: &Elements) -> Vec<String> {
    let mut others = elements.others.clone();
    others.sort();
    others
}

#[test]
fn hostile_names_stay_text_in_pages() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, names: &[&str]| {
        let mut text = String::from("# tracer: nop\n");
        for (number, slice) in names.iter().enumerate() {
            for (mark, us) in [
                (format!("B|10|{slice}"), 2 * number),
                ("E|10".into(), 2 * number + 1),
            ] {
                text += &format!("app-10 ( 10) [000] .... 1.{us:06}: tracing_mark_write: {mark}\n");
            }
        }
        std::fs::write(folder.path().join(name), text).unwrap();
    };
    write("hostile.ftrace", testkit::HOSTILE_NAMES);
    write("harmless.ftrace", &["work"]);
    let commands: [&[&str]; 3] = [
        &["convert", "IN", "-o", "page.html"],
        &["report", "IN", "-o", "page.html"],
        &[
            "report",
            "IN",
            "-o",
            "page.html",
            "--embed-source",
            "--title",
            "<!--<script>",
        ],
    ];
    for command in commands {
        let page = |file: &str| {
            let output = run(folder.path(), command, file);
            assert!(output.status.success(), "{command:?} {output:?}");
            parsed(&std::fs::read(folder.path().join("page.html")).unwrap())
        };
        let (harmless, hostile) = (page("harmless.ftrace"), page("hostile.ftrace"));
        assert_eq!(frame_of(&hostile), frame_of(&harmless), "{command:?}");
        let attributes = |page: &Elements| -> Vec<_> {
            page.scripts
                .iter()
                .map(|(attributes, _)| attributes.clone())
                .collect()
        };
        assert_eq!(attributes(&hostile).len(), attributes(&harmless).len());
        let expected = slices(folder.path(), "hostile.ftrace");
        assert_eq!(slices(folder.path(), "page.html"), expected, "{command:?}");
        let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
        // Without its marker, a report is a page of systrace.
        let page = page.replacen("traceloom-report", "x", 1);
        if page.contains("trace-data") {
            std::fs::write(folder.path().join("page.html"), page).unwrap();
            assert_eq!(slices(folder.path(), "page.html"), expected, "{command:?}");
        }
    }
}

/// Nested method calls.
fn nested(depth: u32) -> Vec<u8> {
    let mut trace = Made::new(2, "wall")
        .threads(&[(1, "main")])
        .methods(&[("A", "a", "()V"), ("B", "b", "()V")]);
    for call in 0..depth {
        trace.record(1, call % 2 + 1, ENTER, &[call]);
    }
    for call in (0..depth).rev() {
        trace.record(1, call % 2 + 1, EXIT, &[2 * depth - call]);
    }
    trace.bytes()
}

/// Whether the program states the size and what to do, and printed at most 64 times the input.
fn is_refused_for_its_size(output: &Output, input: usize) -> bool {
    let said = String::from_utf8_lossy(&output.stderr);
    output.status.code() == Some(2)
        && said.contains("more than 64 times the input")
        && said.contains("--all")
        && output.stdout.len() <= 64 * input
}

#[test]
fn output_out_of_proportion_has_to_be_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = nested(4_000);
    std::fs::write(folder.path().join("deep.trace"), &bytes).unwrap();
    let run = |args: &[&str]| run(folder.path(), args, "deep.trace");
    let tree = [
        "--tree",
        "top-down",
        "--min-percent",
        "0",
        "--depth",
        "9999",
    ];
    for command in [
        &["convert", "IN", "-o", "new.folded"][..],
        &["convert", "IN", "--to", "folded", "-o", "-"],
        &["profile", "IN", "--folded"],
        &[&["profile", "IN"], &tree[..]].concat(),
    ] {
        let output = run(command);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            is_refused_for_its_size(&output, bytes.len()),
            "{command:?} {said}"
        );
        assert!(!folder.path().join("new.folded").exists());
    }
    let shallow = run(&[
        "convert", "IN", "--to", "folded", "-o", "-", "--depth", "50",
    ]);
    let everything = run(&["convert", "IN", "--to", "folded", "-o", "-", "--all"]);
    let sum = |output: &Output| -> u64 {
        let text = String::from_utf8_lossy(&output.stdout);
        text.lines()
            .map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap())
            .sum()
    };
    assert!(shallow.status.success() && everything.status.success());
    assert_eq!(sum(&shallow), sum(&everything));
    assert!(everything.stdout.len() > 64 * bytes.len());
    assert!(run(&["profile", "IN", "--folded", "--all"]).stdout.len() > 64 * bytes.len());
}
