//! Comparisons of samples: small recordings with known numbers, and real ones against `perf diff`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{app, diff};

/// Text of `perf script` with the given number of samples per stack. Each stack is written from the
/// innermost function.
fn recording(name: &str, event: &str, stacks: &[(&[&str], usize)]) -> String {
    let mut text = String::new();
    for (stack, count) in stacks {
        for _ in 0..*count {
            let us = text.len();
            text += &format!("app 7 [000] 1.{us:06}: 250 {event}:\n");
            for function in *stack {
                text += &format!("\t10 {function} (/bin/app)\n");
            }
            text += "\n";
        }
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.perf.txt"));
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// The new recording is twice as long. `draw` took half as much of it, and `load` is new.
fn pair() -> [String; 2] {
    let draw: &[&str] = &["draw", "run"];
    let (idle, load): (&[&str], &[&str]) = (&["run"], &["load", "run"]);
    [
        recording("base", "cycles", &[(draw, 8), (idle, 2)]),
        recording("new", "cycles", &[(draw, 8), (idle, 4), (load, 8)]),
    ]
}

#[test]
fn shares_are_compared() {
    let [base, new] = pair();
    let outputs = [
        &[][..],
        &["--csv"],
        &["--markdown"],
        &["--min-change=20.5pp"],
    ]
    .map(|options| {
        let (code, out, err) = diff(&[&[&*base, &*new], options].concat());
        assert_eq!((code, err.as_str()), (Some(0), ""), "{options:?}");
        out
    });
    insta::assert_snapshot!(outputs.join("\n"));
    let (_, out, _) = diff(&[&base, &new, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["unit"], "percent_of_samples");
    assert_eq!(json["clock"], "samples");
    assert_eq!(json["total"]["new"], 20.0);
    assert_eq!(
        json["rows"][0]["exclusive"]["base_runs"],
        serde_json::json!([80.0])
    );
}

#[test]
fn growth_is_that_of_shares() {
    let [base, new] = pair();
    let code = |options: &[&str]| diff(&[&[&*base, &*new], options].concat()).0;
    // `load` is new, with 40 percent of all samples. The number of samples doubled, which is not checked.
    assert_eq!(code(&["--fail-above", "39"]), Some(1));
    assert_eq!(code(&["--fail-above", "41"]), Some(0));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let [base, new] = pair();
    let slices = app("slices", 4_000, 2_000, None);
    let slices = slices.to_str().unwrap();
    let both = |options: &[&'static str]| [&[&*base, &*new], options].concat();
    for (args, expected) in [
        (vec![&*base, slices], "has times"),
        (vec![&base, slices, "--samples"], "no samples of a profiler"),
        (both(&["--clock", "cpu"]), "counted, not timed"),
        (both(&["--sort", "calls"]), "samples have no calls"),
        (both(&["--min-change", "1ms"]), "0.5pp"),
        (both(&["--event", "misses"]), "only cycles"),
        (
            vec![slices, slices, "--min-change", "1pp"],
            "are for samples",
        ),
    ] {
        let (code, out, err) = diff(&args);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}");
        assert!(err.contains(expected), "{err}");
    }
}

#[test]
fn other_events_are_named() {
    let base = &pair()[0];
    let faults = recording("faults", "faults", &[(&["load"], 1)]);
    let (code, _, err) = diff(&[base, &faults]);
    assert_eq!(code, Some(0));
    assert!(err.contains("samples of 2 events are compared"), "{err}");
    assert!(err.ends_with("cycles, faults\n"), "{err}");
}

/// Records a shell that counts so far. `None` if perf cannot record here.
fn recorded(name: &str, body: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("diff-{name}.data"));
    let command = format!("i=0; while [ $i -lt 30000 ]; do i=$((i+1)); {body} done");
    let status = Command::new("perf")
        .args(["record", "-q", "-F", "4000", "-e", "cpu-clock", "-o"])
        .arg(&path)
        .args(["--", "sh", "-c", &command])
        .stderr(Stdio::null())
        .status();
    let is_recorded = status.is_ok_and(|status| status.success());
    is_recorded.then(|| path.display().to_string())
}

/// The shares of each function on both sides, in percent.
type Shares = BTreeMap<String, (f64, f64)>;

/// Parses lines of `perf diff`: `18.64%    +22.35%  [.] malloc`. The share is missing if the function is new, and the change
/// if it is gone.
fn of_perf(base: &str, new: &str) -> Shares {
    let args = ["diff", "-s", "sym", base, new];
    let output = Command::new("perf").args(args).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    let mut shares = Shares::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((numbers, name)) = line.split_once("] ") else {
            continue;
        };
        let (mut share, mut change) = (0.0, None);
        for word in numbers.split_whitespace() {
            let number = word.strip_suffix('%').and_then(|word| word.parse().ok());
            match number {
                Some(number) if word.starts_with(['+', '-']) => change = Some(number),
                Some(number) => share = number,
                None => {}
            }
        }
        let both = shares.entry(name.trim().to_owned()).or_default();
        both.0 += share;
        both.1 += change.map_or(0.0, |change: f64| share + change);
    }
    shares
}

#[test]
fn real_recordings_differ_as_perf_says() {
    let loops = [("a", ""), ("b", "case x$i in *9) : \"$i$i\";; esac;")];
    let [Some(base), Some(new)] = loops.map(|(name, body)| recorded(name, body)) else {
        eprintln!("skipped: perf is not installed, or cannot record here");
        return;
    };
    let (_, out, _) = diff(&[&base, &new, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let rows = json["rows"].as_array().unwrap().iter();
    let number = |row: &serde_json::Value, of: &str| row["exclusive"][of].as_f64().unwrap();
    let ours: Shares = rows
        .map(|row| (row["name"].as_str().unwrap(), row))
        .map(|(name, row)| (name.to_owned(), (number(row, "base"), number(row, "new"))))
        .collect();
    let mut compared = 0;
    // perf has other names for functions without symbols, and other rows for functions of the same
    // name.
    for (name, (base, new)) in of_perf(&base, &new) {
        let Some((our_base, our_new)) = ours.get(&name) else {
            continue;
        };
        let is_near = (our_base - base).abs() < 0.05 && (our_new - new).abs() < 0.05;
        assert!(is_near, "{name}: {base} {new}, ours {our_base} {our_new}");
        compared += 1;
    }
    assert!(compared >= 5, "{compared}");
}
