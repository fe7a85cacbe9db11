//! `traceloom diff` from end to end.

mod made;
#[path = "diff/samples.rs"]
mod samples;

use std::path::PathBuf;

use made::{ENTER, EXIT, Made, on_real_traces, run, stderr, stdout};

/// An app with parts that take the given times, µs.
fn app(name: &str, draw: u32, load: u32, extra: Option<&str>) -> PathBuf {
    let mut methods = vec![
        ("a.Main", "run", "()V"),
        ("a.View", "draw", "()V"),
        ("b.Net", "load", "()V"),
    ];
    methods.extend(extra.map(|name| ("c.<|`_", name, "()V")));
    let mut trace = Made::new(2, "wall")
        .threads(&[(1, "main")])
        .methods(&methods);
    let mut now = 0;
    trace.record(1, 1, ENTER, &[now]);
    for (method, took) in [(2, draw), (3, load), (4, 700)] {
        if method == 4 && extra.is_none() {
            continue;
        }
        trace.record(1, method, ENTER, &[now]);
        now += took;
        trace.record(1, method, EXIT, &[now]);
    }
    trace.record(1, 1, EXIT, &[now + 100]);
    trace.file(&format!("{name}.trace"))
}

fn diff(args: &[&str]) -> (Option<i32>, String, String) {
    let output = run(std::iter::once(&"diff").chain(args));
    let folder = format!("{}/", env!("CARGO_TARGET_TMPDIR"));
    // Markdown escapes an underscore, which may occur in a target's name.
    let escaped = folder.replace('_', "&#95;");
    let clean = |text: String| text.replace(&folder, "").replace(&escaped, "");
    (
        output.status.code(),
        clean(stdout(&output)),
        clean(stderr(&output)),
    )
}

fn pair() -> [String; 2] {
    let base = app("before", 4_000, 2_000, Some("gone"));
    let new = app("after", 6_000, 2_000, Some("fresh"));
    [base, new].map(|path| path.to_str().unwrap().to_owned())
}

/// Three runs per side: `draw` got slower; the noise of `load` is as large as its change.
fn runs() -> Vec<String> {
    let made = |side: &str, times: [(u32, u32); 3]| -> Vec<String> {
        let files = times.iter().enumerate().map(|(run, &(draw, load))| {
            let path = app(&format!("{side}{run}"), draw, load, None);
            path.to_str().unwrap().to_owned()
        });
        std::iter::once(format!("--{side}")).chain(files).collect()
    };
    let base = made("base", [(4_000, 2_000), (4_010, 2_900), (4_020, 2_400)]);
    let new = made("new", [(6_000, 2_300), (6_030, 2_950), (6_010, 2_800)]);
    [base, new].concat()
}

fn words<'a>(args: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    args.iter()
        .map(String::as_str)
        .chain(more.iter().copied())
        .collect()
}

#[test]
fn outputs() {
    let pair = pair();
    for (options, expected) in [
        (&[][..], include_str!("diff/pair.txt")),
        (&["--csv"], include_str!("diff/pair.csv")),
        (&["--markdown"], include_str!("diff/pair.md")),
        (
            &["--by", "package", "--sort", "inclusive"],
            include_str!("diff/package.txt"),
        ),
    ] {
        let (code, out, err) = diff(&words(&pair, options));
        assert_eq!((code, err.as_str()), (Some(0), ""));
        assert_eq!(out, expected, "{options:?}");
    }
}

#[test]
fn several_runs_tell_change_from_noise() {
    let runs = runs();
    let (code, out, err) = diff(&words(&runs, &[]));
    assert_eq!(
        (code, out.as_str(), err.as_str()),
        (Some(0), include_str!("diff/runs.txt"), "")
    );
    let (_, out, _) = diff(&words(&runs, &["--json"]));
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["noise_known"], true);
    let row = |name: &str| {
        let mut rows = json["rows"].as_array().unwrap().iter();
        rows.find(|row| row["name"] == name).unwrap().clone()
    };
    assert_eq!(row("draw")["exclusive"]["verdict"], "more");
    assert_eq!(
        row("draw")["exclusive"]["base_runs"],
        serde_json::json!([4e6, 4.01e6, 4.02e6])
    );
    assert_eq!(row("draw")["exclusive"]["p"], 0.1);
    assert_eq!(row("load")["exclusive"]["verdict"], "within_noise");
    let (_, out, _) = diff(&words(&runs, &["--significant", "--csv"]));
    assert_eq!(out.lines().count(), 2, "{out}");
}

#[test]
fn a_limit_fails_the_check() {
    let pair = pair();
    let code = |options: &[&str]| diff(&words(&pair, options)).0;
    assert_eq!(code(&["--fail-above", "60"]), Some(0));
    assert_eq!(code(&["--fail-above", "40"]), Some(1));
    assert_eq!(
        code(&["--fail-above", "40", "--min-change", "3ms"]),
        Some(0)
    );
    // A new method has no base time, so its growth is relative to the total.
    assert_eq!(
        code(&["--fail-above", "5", "--min-change", "100%"]),
        Some(1)
    );
    let runs = runs();
    let noisy = ["--fail-above", "10", "--thread", "main"];
    let (code, _, err) = diff(&words(&runs, &noisy));
    assert_eq!(
        (code, err.as_str()),
        (
            Some(1),
            "traceloom: --fail-above: 2 values grew by more than that\n"
        )
    );
}

#[test]
fn refusals() {
    let pair = pair();
    for (args, expected) in [
        (words(&pair[..1], &[]), "2 values required"),
        (vec!["--base", "x"], "--new"),
        (words(&pair, &["--significant"]), "two runs"),
        (words(&pair, &["--clock", "cpu"]), "--clock cpu"),
        (words(&pair, &["--min-change", "7"]), "5%"),
        (vec!["/nowhere/a", "/nowhere/b"], "/nowhere/a"),
    ] {
        let (code, out, err) = diff(&args);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}");
        assert!(err.contains(expected), "{err}");
    }
}

#[test]
fn real_traces_do_not_differ_from_themselves() {
    let args = |path: &str| {
        ["diff", path, path, "--csv", "--fail-above", "0"]
            .map(String::from)
            .to_vec()
    };
    on_real_traces(args, |path, text| {
        assert_eq!(text.lines().count(), 1, "{path}")
    });
}
