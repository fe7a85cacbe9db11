//! Profiles of samples: a small file with known numbers, and real files against SQL.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use testkit::{Corpus, Proto};

use super::{refused, shown};

/// A sample report of simpleperf with four samples of `main` (one of them without a stack) and two of `worker`.
fn report() -> String {
    let entry = |symbol: i64| {
        Proto::new()
            .int(1, 16 * symbol + 16)
            .int(2, 7)
            .int(3, symbol)
    };
    let sample = |ts: i64, tid: i64, stack: &[i64]| {
        let sample = Proto::new().int(1, ts).int(2, tid);
        let stack = stack.iter().map(|symbol| entry(*symbol));
        let sample = stack.fold(sample, |sample, entry| sample.message(3, entry));
        Proto::new().message(1, sample.int(4, 1_000).int(5, 0))
    };
    let thread = |tid: i64, name: &str| {
        let thread = Proto::new().int(1, tid).int(2, 40).text(3, name);
        Proto::new().message(4, thread)
    };
    let names = [
        "_Z4drawi",
        "_ZN4core3fmt5write17h0123456789abcdefE",
        "run",
        "",
    ];
    let file = Proto::new().int(1, 7).text(2, "/system/lib64/libui.so");
    let file = names.iter().fold(file, |file, name| file.text(3, name));
    let meta = Proto::new().text(1, "cpu-clock").text(2, "com.example");
    // The innermost function comes first.
    let records = [
        sample(1_000, 40, &[0, 2]),
        sample(2_000, 40, &[0, 0, 2]),
        sample(3_000, 41, &[1, 2]),
        sample(4_000, 40, &[]),
        sample(5_000, 41, &[3, 2]),
        sample(6_000, 40, &[2]),
        Proto::new().message(3, file),
        thread(40, "main"),
        thread(41, "worker"),
        Proto::new().message(5, meta),
    ];
    let mut bytes = b"SIMPLEPERF\x01\x00".to_vec();
    for record in records {
        bytes.extend((record.bytes().len() as u32).to_le_bytes());
        bytes.extend(record.bytes());
    }
    bytes.extend([0; 4]);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("samples.simpleperf");
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

#[test]
fn samples_are_counted() {
    let file = &report();
    let outputs = [
        shown(&[file]),
        shown(&[file, "--tree=top-down"]),
        shown(&[file, "--tree=bottom-up"]),
        shown(&[file, "--method=draw"]),
        shown(&[file, "--by=thread"]),
        shown(&[file, "--thread=main", "--from=1us", "--to=4us", "--csv"]),
        shown(&[file, "--from=1s"]),
        shown(&[file, "--thread=worker", "--json", "--limit=1"]),
        shown(&[file, "--folded"]),
        refused(&[file, "--clock=cpu"]),
        refused(&[file, "--symbols=/nowhere"]),
        refused(&["examples/app.trace", "--samples"]),
    ];
    insta::assert_snapshot!(outputs.join("\n").replace(file, "samples.simpleperf"));
}

/// The samples of each function, from the SQL of Perfetto's module. Functions without a name are not compared: there they
/// are all one.
const BY_FUNCTION: &str = "
    INCLUDE PERFETTO MODULE linux.perf.samples;
    SELECT name, sum(self_count) AS samples
    FROM linux_perf_samples_summary_tree
    WHERE name NOT IN ('', 'unknown') GROUP BY name HAVING sum(self_count) > 0";

#[test]
fn real_files_have_the_samples_that_sql_counts() {
    let Some(corpus) = Corpus::find() else { return };
    let mut compared = 0;
    for file in corpus.files(&["perf-data", "simpleperf"]) {
        let path = file.path.display().to_string();
        let all = "SELECT count(*) AS samples, '' AS name FROM perf_sample";
        // Files of other programs, and damaged ones.
        let Some(all) = query(&path, all) else {
            continue;
        };
        let all: i64 = all.values().sum();
        if all == 0 {
            continue;
        }
        let output = super::text(super::traceloom(&[&path, "--samples", "--json"], None));
        let json: serde_json::Value = serde_json::from_str(&output).unwrap();
        assert_eq!(json["total"]["samples"], all, "{path}");
        let rows = json["rows"].as_array().unwrap().iter();
        let own = |row: &serde_json::Value| row["exclusive"]["samples"].as_i64().unwrap();
        let rows: BTreeMap<&str, i64> = rows
            .map(|row| (row["name"].as_str().unwrap(), own(row)))
            .collect();
        for (name, samples) in query(&path, BY_FUNCTION).unwrap_or_default() {
            assert_eq!(rows.get(name.as_str()), Some(&samples), "{path}: {name}");
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

/// The columns `name` and `samples` of a query. `None` if the file is not supported.
fn query(file: &str, sql: &str) -> Option<BTreeMap<String, i64>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    let args = ["query", file, sql, "--format", "jsonl"];
    let output = command.args(args).output().unwrap();
    let row = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = row["name"].as_str().unwrap().to_owned();
        (name, row["samples"].as_i64().unwrap())
    };
    let rows = String::from_utf8(output.stdout).unwrap();
    let is_ok = output.status.success();
    is_ok.then(|| rows.lines().map(row).collect())
}

/// Text of `perf script` with two events: three samples of `cycles:u`, and one of `faults`.
fn two_events() -> String {
    let text = "\
        app 7 [000] 1.000001: 250 cycles:u:\n\t10 draw (/bin/app)\n\t20 run (/bin/app)\n\n\
        app 7 [000] 1.000002: 250 cycles:u:\n\t20 run (/bin/app)\n\n\
        app 7 [000] 1.000003: 1 faults:\n\t30 load (/bin/app)\n\t20 run (/bin/app)\n\n\
        app 7 [000] 1.000004: 250 cycles:u:\n\t10 draw (/bin/app)\n\t20 run (/bin/app)\n\n";
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("events.perf.txt");
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn samples_of_one_event_can_be_chosen() {
    let file = two_events();
    let all = shown(&[&file]);
    assert!(all.contains("4 samples\n"), "{all}");
    assert!(all.contains("of 2 events count together"), "{all}");
    assert!(all.contains("cycles:u, faults\n"), "{all}");
    for name in ["cycles:u", "cyc"] {
        let cycles = shown(&[&file, "--event", name]);
        assert!(cycles.contains("3 samples\n"), "{cycles}");
        assert!(!cycles.contains("load"), "{cycles}");
        assert!(!cycles.contains("count together"), "{cycles}");
    }
    let folded = shown(&[&file, "--event", "faults", "--folded"]);
    assert_eq!(folded, "app;run;load 1\n");
    let absent = refused(&[&file, "--event", "misses"]);
    assert!(absent.contains("only cycles:u, faults"), "{absent}");
    let several = refused(&[&file, "--event", "s"]);
    assert!(several.contains("several events"), "{several}");
    let without = refused(&["examples/jank.ftrace.gz", "--event", "s"]);
    assert!(without.contains("no samples of a profiler"), "{without}");
}
