//! `traceloom weave` end to end, and the names that its map gives to a trace.

mod made;

use std::path::Path;

use made::run_in;

const TRACE: &str = "# tracer: nop
  app-10 ( 10) [000] .... 1.000001: tracing_mark_write: B|10|2
  app-10 ( 10) [000] .... 1.000002: tracing_mark_write: B|10|3
  app-10 ( 10) [000] .... 1.000003: tracing_mark_write: B|10|draw 2
  app-10 ( 10) [000] .... 1.000004: tracing_mark_write: E|10
  app-10 ( 10) [000] .... 1.000005: tracing_mark_write: E|10
  app-10 ( 10) [000] .... 1.000007: tracing_mark_write: E|10
";

const MAP: &str =
    "0,0,traceloom.MethodMap v1 next=4;call=android.os.Trace.beginSection(String)/endSection()
1,1,a.b <init> ()V
2,1,a.b a (I)V
3,9,com.example.Feed load (J)V
";

const MAPPING: &str = "com.example.Row -> a.b:
    void bind(int) -> a
    void clear(long) -> a
";

/// A folder with a class, a trace and its map.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    std::fs::create_dir(folder.path().join("classes")).unwrap();
    let class = testkit::class_file::class_files().pop().unwrap();
    put("classes/Small.class", &class);
    put("trace.txt", TRACE.as_bytes());
    put("mapping.txt", MAPPING.as_bytes());
    folder
}

/// Standard output and standard error of a successful run.
fn run(folder: &Path, args: &[&str]) -> (String, String) {
    let output = run_in(folder, args.to_vec());
    assert!(output.status.success(), "{args:?} {output:?}");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

/// The names of slices, outermost first, and the messages about the map.
fn names(folder: &Path, args: &[&str]) -> (Vec<String>, String) {
    let convert = ["convert", "trace.txt", "-o", "-", "--to", "folded"];
    let (out, err) = run(folder, &[&convert[..], args].concat());
    let last = out
        .lines()
        .max_by_key(|line| line.matches(';').count())
        .unwrap();
    let stack = last.rsplit_once(' ').unwrap().0;
    // Messages about data that the format cannot hold are not relevant here.
    let told = err.lines().filter(|line| !line.starts_with("left out"));
    let names = stack.split(';').skip(2).map(str::to_owned).collect();
    (names, told.map(|line| format!("{line}\n")).collect())
}

#[test]
fn a_folder_is_woven_and_the_map_and_the_report_are_written() {
    let folder = folder();
    let weave = ["weave", "classes", "-o", "woven", "--map", "methods.txt"];
    let (out, err) = run(folder.path(), &weave);
    assert!(
        out.starts_with("2 of 2 methods woven, in 1 of 1 classes\n"),
        "{out}"
    );
    assert_eq!(err, "");
    let map = std::fs::read_to_string(folder.path().join("methods.txt")).unwrap();
    insta::assert_snapshot!(map, @r"
    0,0,traceloom.MethodMap v1 next=3;call=android.os.Trace.beginSection(String)/endSection()
    1,1,Small <init> ()V
    2,9,Small m (I)I
    ");
    let rules = [
        "--exclude",
        "Small.m",
        "--call",
        "recorder",
        "--json",
        "--base-map",
        "methods.txt",
    ];
    let (out, _) = run(folder.path(), &[&weave[..], &rules].concat());
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&report["woven_methods"], &report["left_out"]["rule"]),
        (&1.into(), &1.into())
    );
    assert_eq!(report["next_id"], 3);
}

#[test]
fn mistakes_are_told() {
    let folder = folder();
    let error = |args: &[&str]| {
        let output = run_in(
            folder.path(),
            [&["weave", "-o", "out", "--map", "m.txt"], args].concat(),
        );
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    insta::assert_snapshot!(error(&["missing"]), @"traceloom: cannot open missing: no such file or directory");
    insta::assert_snapshot!(error(&["trace.txt"]), @"traceloom: trace.txt is not a folder, jar, aar, zip or class file");
    insta::assert_snapshot!(error(&["classes", "--base-map", "trace.txt"]), @r##"traceloom: trace.txt: line 1 of the method map is "# tracer: nop"; expected `id,access,class method descriptor`"##);
    assert!(error(&["classes", "--call", "beat"]).contains("beat is not a pair of static methods"));
}

#[test]
fn ids_in_a_trace_get_their_names_from_the_map_beside_it() {
    let folder = folder();
    let ids = ["2", "3", "draw 2"];
    assert_eq!(
        names(folder.path(), &[]),
        (ids.map(str::to_owned).into(), String::new())
    );
    std::fs::write(folder.path().join("methods.txt"), MAP).unwrap();
    let full = ["a.b.a", "com.example.Feed.load", "draw 2"].map(str::to_owned);
    let told = "names of 2 methods are from methods.txt\n";
    assert_eq!(
        names(folder.path(), &[]),
        (full.clone().into(), told.to_owned())
    );
    // The map of this trace takes precedence over that of the folder.
    std::fs::write(
        folder.path().join("trace.methods.txt"),
        MAP.replace("Feed", "List"),
    )
    .unwrap();
    assert_eq!(names(folder.path(), &[]).0[1], "com.example.List.load");
    let named = names(folder.path(), &["--method-map", "methods.txt"]);
    assert_eq!(named, (full.into(), String::new()));
}

#[test]
fn a_mapping_goes_on_top_of_the_map() {
    let folder = folder();
    std::fs::write(folder.path().join("m.txt"), MAP).unwrap();
    let args = ["--method-map", "m.txt", "--mapping", "mapping.txt"];
    // Two methods are called a.b.a; the descriptor in the map distinguishes them.
    assert_eq!(names(folder.path(), &args).0[0], "com.example.Row.bind");
}

/// A profile is made directly from the records of a method trace. A converted trace has its names
/// from the tables.
#[test]
fn a_profile_of_ids_is_that_of_the_named_trace() {
    let folder = folder();
    let run = |args: &[&str]| run(folder.path(), args);
    run(&["convert", "trace.txt", "-o", "ids.trace"]);
    let (ids, _) = run(&["profile", "ids.trace", "--csv"]);
    std::fs::write(folder.path().join("methods.txt"), MAP).unwrap();
    for mapping in [&[][..], &["--mapping", "mapping.txt"]] {
        let convert = ["convert", "ids.trace", "-o", "made/named.trace"];
        std::fs::create_dir_all(folder.path().join("made")).unwrap();
        run(&[&convert, mapping].concat());
        let (named, _) = run(&["profile", "made/named.trace", "--csv"]);
        let profile = ["profile", "ids.trace", "--csv"];
        let (told, error) = run(&[&profile[..], mapping].concat());
        assert_eq!(told, named);
        assert!(told.contains("com.example.Feed"), "{told}");
        assert_eq!(error, "names of 2 methods are from methods.txt\n");
        assert_ne!(told, ids);
    }
    std::fs::write(folder.path().join("methods.txt"), "7,1,a.b <init> ()V\n").unwrap();
    let (told, error) = run(&["profile", "ids.trace", "--csv"]);
    assert_eq!(told, ids);
    assert!(
        error.contains("has only 0 of its 2 ids and is ignored"),
        "{error}"
    );
}

#[test]
fn a_map_of_something_else_is_not_used_unless_it_is_named() {
    let folder = folder();
    let other = "7,1,a.b <init> ()V\n2,1,a.b a (I)V\n";
    std::fs::write(
        folder.path().join("methods.txt"),
        other.lines().next().unwrap(),
    )
    .unwrap();
    let (found, told) = names(folder.path(), &[]);
    assert_eq!(found[0], "2");
    assert_eq!(
        told,
        "methods.txt next to the trace has only 0 of its 2 ids and is ignored; use --method-map to apply it anyway\n"
    );
    std::fs::write(folder.path().join("methods.txt"), other).unwrap();
    let (found, told) = names(folder.path(), &["--method-map", "methods.txt"]);
    assert_eq!((&found[0][..], &found[1][..]), ("a.b.a", "3"));
    assert_eq!(told, "methods.txt has names for 1 of 2 ids\n");
}

#[test]
fn weaving_twice_changes_nothing_and_says_so() {
    let folder = folder();
    for (call, names) in [
        ("section", false),
        ("section", true),
        ("trace-tag", false),
        ("recorder", false),
    ] {
        let weave = |input: &str, output: &str| {
            let mut args = vec![
                "weave", input, "-o", output, "--map", "m.txt", "--call", call,
            ];
            args.extend(names.then_some("--names"));
            run(folder.path(), &args)
        };
        let (out, err) = weave("classes", "once");
        assert!(out.starts_with("2 of 2 methods woven"), "{call}: {out}");
        assert_eq!(err, "", "{call}");
        let (out, err) = weave("once", "twice");
        assert!(out.starts_with("0 of 2 methods woven"), "{call}: {out}");
        assert!(out.contains("left out: 2 woven"), "{call}: {out}");
        assert!(err.starts_with("2 methods are already woven"), "{err}");
        let read = |name: &str| std::fs::read(folder.path().join(name).join("Small.class"));
        assert_eq!(read("once").unwrap(), read("twice").unwrap(), "{call}");
        // With another call, the class is woven again.
        let other = if call == "recorder" {
            "section"
        } else {
            "recorder"
        };
        let again = [
            "weave", "once", "-o", "third", "--map", "m.txt", "--call", other,
        ];
        let (out, _) = run(folder.path(), &again);
        assert!(out.starts_with("2 of 2 methods woven"), "{call}: {out}");
    }
}

#[test]
fn an_include_that_matches_nothing_fails_and_writes_nothing() {
    let folder = folder();
    for include in ["com.exmaple", "Small.missing"] {
        let weave = ["weave", "classes", "-o", "woven", "--map", "methods.txt"];
        let args = [&weave[..], &["--include", include]].concat();
        let output = run_in(folder.path(), args);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(err.contains("no method matches"), "{err}");
        assert!(!folder.path().join("woven").exists());
        assert!(!folder.path().join("methods.txt").exists());
    }
}
