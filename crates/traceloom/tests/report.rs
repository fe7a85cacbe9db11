//! Reports of every example and every real trace: their contents equal the input, and they are
//! small.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use testkit::Corpus;

/// If set to a number of megabytes, the page with which a report is compared has this size.
const MEGABYTES: &str = "TRACELOOM_PAGE_MB";

fn traceloom(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    command.args(args).output().unwrap()
}

fn succeed(args: &[&str]) -> String {
    let output = traceloom(args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn examples() -> Vec<PathBuf> {
    let folder = testkit::workspace_root().join("examples");
    ["app.trace", "linux.ftrace", "linux.html"]
        .map(|name| folder.join(name))
        .to_vec()
}

/// The output of `info --json` without the file's name and the memory for strings. Of inputs, only
/// the name is compared: a report, which is sent to others, does not contain their folders.
fn facts(path: &Path) -> serde_json::Value {
    let mut facts: serde_json::Value =
        serde_json::from_str(&succeed(&["info", "--json", "--all", text(path)])).unwrap();
    for own in ["file", "memory_bytes"] {
        facts.as_object_mut().unwrap().remove(own);
    }
    for source in facts["sources"].as_array_mut().unwrap() {
        let name = source["name"].as_str().unwrap();
        source["name"] = name.rsplit('/').next().unwrap().into();
    }
    facts
}

#[test]
fn a_report_does_not_say_where_its_files_lay() {
    let folder = tempfile::tempdir().unwrap();
    let [trace, report] = ["run.trace", "report.html"].map(|name| folder.path().join(name));
    std::fs::copy(examples()[0].as_path(), &trace).unwrap();
    succeed(&["report", text(&trace), "-o", text(&report)]);
    let said = succeed(&["info", "--json", "--all", text(&report)]);
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["sources"][0]["name"], "run.trace");
}

/// A build without the engine refuses before it reads or records anything. Only debug builds can
/// simulate this.
#[test]
#[cfg(debug_assertions)]
fn without_the_engine_no_work_is_begun() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.html");
    let trace = examples()[1].clone();
    for args in [
        &["report", "missing.trace", "-o", text(&report)][..],
        &["capture", "--from-file", text(&trace), "-o", text(&report)],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
        let output = command.args(args).env("TRACELOOM_NO_ENGINE", "1").output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains("this build of traceloom cannot write reports"),
            "{said}"
        );
        assert!(!report.exists());
    }
    let text_file = folder.path().join("trace.txt");
    succeed(&[
        "capture",
        "--from-file",
        text(&trace),
        "-o",
        text(&text_file),
    ]);
}

#[test]
fn a_report_says_what_its_trace_says() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.html");
    for file in examples() {
        succeed(&["report", text(&file), "-o", text(&report)]);
        assert_eq!(facts(&report), facts(&file), "{}", file.display());
        for command in [
            &["convert", "-o", "-", "--to", "ftrace", "--rewrite"][..],
            &["convert", "-o", "-", "--to", "folded"],
            &["callgraph", "--format", "dot"],
        ] {
            let of = |path: &Path| {
                traceloom(&[&[command[0], text(path)], &command[1..]].concat()).stdout
            };
            assert!(of(&report) == of(&file), "{command:?} {}", file.display());
        }
        // The first line has the file's name. The line of repairs lists them in order of
        // occurrence.
        let of = |path: &Path| -> Vec<String> {
            let printed = succeed(&["profile", text(path)]);
            printed
                .lines()
                .skip(1)
                .filter(|line| !line.contains("repairs"))
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(of(&report), of(&file), "{}", file.display());
    }
}

#[test]
fn every_real_trace_is_the_same_in_a_report() {
    let Some(corpus) = Corpus::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.html");
    let mut checked = 0;
    for file in corpus.files(testkit::READ_CATEGORIES) {
        if !traceloom(&["report", text(&file.path), "-o", text(&report)])
            .status
            .success()
        {
            assert!(
                !traceloom(&["info", text(&file.path)]).status.success(),
                "{}",
                file.name
            );
            continue;
        }
        assert_eq!(facts(&report), facts(&file.path), "{}", file.name);
        let sizes = [&file.path, &report].map(|path| std::fs::metadata(path).unwrap().len());
        if file.name.starts_with("systrace-html")
            || file.name.starts_with("traceview") && sizes[0] > 20_000
        {
            println!(
                "{:>9} bytes, report {:>7} without the page: {}",
                sizes[0], sizes[1], file.name
            );
        }
        checked += 1;
    }
    println!("{checked} real traces checked");
}

/// The trace in a report is smaller than the page of systrace, even a compressed one. The page's
/// code and the engine have the same size in every report, and debug builds contain a larger
/// engine, so they are excluded.
#[test]
fn a_report_is_smaller_than_the_page_of_systrace() {
    let megabytes: usize = std::env::var(MEGABYTES).map_or(16, |text| text.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let [page, report] = ["page.html", "report.html"].map(|name| folder.path().join(name));
    let trace = testkit::ftrace_text(megabytes << 20, 3);
    let zlib = {
        use std::io::Write;
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        zlib.write_all(&trace).unwrap();
        zlib.finish().unwrap().len()
    };
    let mut html = b"<!DOCTYPE html>\n<html><body>\n<!-- BEGIN TRACE -->\n  <script class=\"trace-data\" type=\"application/text\">\n".to_vec();
    html.extend(&trace);
    html.extend(b"  </script>\n<!-- END TRACE -->\n</body></html>\n");
    std::fs::write(&page, &html).unwrap();
    succeed(&["report", text(&page), "-o", text(&report)]);
    let whole = std::fs::metadata(&report).unwrap().len() as usize;
    let size = whole - page_code(folder.path());
    println!(
        "page {} bytes, its text as zlib {zlib} and as base64 of that {}; report {size}",
        html.len(),
        zlib * 4 / 3
    );
    assert!(size < html.len() / 4);
    assert!(size < zlib * 4 / 3, "{size} of {}", zlib * 4 / 3);
    let (ours, theirs) = (facts(&report), facts(&page));
    assert_eq!(ours["counts"], theirs["counts"]);
}

/// The size of a report of an almost empty trace, bytes.
fn page_code(folder: &Path) -> usize {
    let [trace, report] = ["tiny.txt", "tiny.html"].map(|name| folder.join(name));
    let line = b"# tracer: nop\n a-1 [000] ...1 1.0: tracing_mark_write: B|1|x\n";
    std::fs::write(&trace, line).unwrap();
    succeed(&["report", text(&trace), "-o", text(&report)]);
    std::fs::metadata(&report).unwrap().len() as usize
}

#[test]
fn the_text_of_systrace_beside_the_columns_is_not_read_twice() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.html");
    for file in examples() {
        succeed(&["report", text(&file), "-o", text(&report), "--embed-source"]);
        assert_eq!(facts(&report), facts(&file));
        // Without its marker, it is a page of systrace.
        let page = std::fs::read_to_string(&report).unwrap();
        std::fs::write(&report, page.replacen("traceloom-report", "x", 1)).unwrap();
        let as_page = facts(&report);
        assert!(as_page["counts"]["slices"].as_u64() > Some(100));
        assert_eq!(as_page["sources"][0]["format"], "systrace-html");
    }
}

#[test]
fn a_range_holds_nothing_of_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let [report, piece] = ["report.html", "piece.trace"].map(|name| folder.path().join(name));
    let app = &examples()[0];
    succeed(&[
        "report",
        text(app),
        "-o",
        text(&report),
        "--from",
        "0",
        "--until",
        "20ms",
    ]);
    succeed(&[
        "convert",
        text(app),
        "-o",
        text(&piece),
        "--from",
        "0",
        "--until",
        "20ms",
    ]);
    let (ours, theirs) = (facts(&report), facts(&piece));
    assert_eq!(ours["counts"]["slices"], theirs["counts"]["slices"]);
    let all = facts(app);
    assert!(ours["counts"]["strings"].as_u64() < all["counts"]["strings"].as_u64());
    assert!(ours["counts"]["methods"].as_u64() < all["counts"]["methods"].as_u64());
}

/// A method trace and a system trace that recorded the same monotonic clock.
#[test]
fn files_lie_where_their_clocks_say() {
    let folder = tempfile::tempdir().unwrap();
    let [system, report] = ["system.ftrace", "both.html"].map(|name| folder.path().join(name));
    let app = &examples()[0];
    let start = facts(app)["start_ns"].as_i64().unwrap();
    // The trace's own clock shows 100 s when the monotonic clock shows the app's first call plus 40
    // ms.
    let (s, us) = (
        (start + 40_000_000) / 1_000_000_000,
        (start + 40_000_000) / 1000 % 1_000_000,
    );
    let text_of = format!(
        "# tracer: nop\n#\n x-1 [000] ...1 100.000000: tracing_mark_write: trace_event_clock_sync: parent_ts={s}.{us:06}\n \
         x-1 [000] ...1 100.000000: tracing_mark_write: B|1|sync\n x-1 [000] ...1 100.500000: tracing_mark_write: E|1\n"
    );
    std::fs::write(&system, text_of).unwrap();
    let align = |rule: &[&str]| {
        let args = [
            &["report", text(&system), text(app), "-o", text(&report)],
            rule,
        ]
        .concat();
        let output = traceloom(&args);
        assert!(output.status.success());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let trace = facts(&report);
        (said, trace["start_ns"].as_i64().unwrap(), trace)
    };
    let (said, start, trace) = align(&[]);
    assert!(
        said.contains("before the first file, by CLOCK_MONOTONIC"),
        "{said}"
    );
    let before = 100_000_000_000 - start;
    assert!((before - 40_000_000).abs() < 1_000_000, "{before}");
    assert_eq!(trace["sources"].as_array().unwrap().len(), 2);
    let (said, start, _) = align(&["--align", "start"]);
    assert!(said.contains("begins with the first file"), "{said}");
    assert_eq!(start, 100_000_000_000);
    let (_, start, _) = align(&["--align", "app.trace=-2ms"]);
    assert_eq!(start, 99_998_000_000);
    let wrong = traceloom(&[
        "report",
        text(app),
        "-o",
        text(&report),
        "--align",
        "nobody=+1ms",
    ]);
    assert_eq!(wrong.status.code(), Some(2));
}
