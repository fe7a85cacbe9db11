//! `traceloom query` end to end: traces and SQL in, results out.
#![cfg(feature = "query")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const JANK: &str = "examples/jank.ftrace.gz";
const APP: &str = "examples/app.trace";

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn program(args: &[&str]) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    program.arg("query").args(args).current_dir(workspace());
    program.env_remove("COLUMNS");
    program
}

fn query(args: &[&str]) -> Output {
    program(args).output().expect("traceloom runs")
}

/// Standard output of a run that works.
fn shown(args: &[&str]) -> String {
    let output = query(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Standard output of a run that gets `input` from a pipe.
fn piped(args: &[&str], input: &str) -> String {
    let mut child = program(args);
    let child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(input.as_bytes()).unwrap();
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Standard error of a run that fails, with nothing on standard output.
fn refused(args: &[&str]) -> String {
    let output = query(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(output.stdout.is_empty(), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_method_trace_is_a_table() {
    let sql =
        "SELECT name, count(*) AS calls, sum(dur) FROM slice GROUP BY name ORDER BY 2 DESC LIMIT 3";
    let expected = "\
name                              calls   sum(dur)
org.json.JSONTokener.nextValue      473  912675000
java.io.BufferedInputStream.read    408   18938000
org.json.JSONTokener.nextString     337  140748000
";
    assert_eq!(shown(&[APP, sql]), expected);
}

#[test]
fn formats_of_the_result() {
    let sql = "SELECT 1 AS one, 2.5 AS real, NULL AS absent, 'a,\"b\"' AS text, x'00' AS bytes";
    let table = "\
one  real  absent  text   bytes
  1   2.5  NULL    a,\"b\"  <raw bytes>
";
    let csv = "\
one,real,absent,text,bytes
1,2.5,,\"a,\"\"b\"\"\",<raw bytes>
";
    let json = r#"{"columns": ["one","real","absent","text","bytes"], "rows": [
[1,2.5,null,"a,\"b\"","<raw bytes>"]
]}
"#;
    let jsonl = r#"{"one":1,"real":2.5,"absent":null,"text":"a,\"b\"","bytes":"<raw bytes>"}
"#;
    assert_eq!(shown(&[APP, sql]), table);
    assert_eq!(shown(&[APP, sql, "--format=csv"]), csv);
    assert_eq!(shown(&[APP, sql, "--format=json"]), json);
    assert_eq!(shown(&[APP, sql, "--format=jsonl"]), jsonl);
    let none = "SELECT id FROM slice WHERE 0";
    assert_eq!(shown(&[APP, none]), "id\n");
    assert_eq!(
        shown(&[APP, none, "--format=json"]),
        "{\"columns\": [\"id\"], \"rows\": []}\n"
    );
    let nothing = "CREATE TABLE own(x)";
    assert_eq!(shown(&[APP, nothing]), "");
    assert_eq!(
        shown(&[APP, nothing, "--format=json"]),
        "{\"columns\": [], \"rows\": []}\n"
    );
}

#[test]
fn json_is_json() {
    let sql = "SELECT * FROM thread_slice; SELECT name, 9e999, -1.0, 'a' || char(0, 27) FROM slice LIMIT 5";
    let json: serde_json::Value =
        serde_json::from_str(&shown(&[JANK, sql, "--format=json"]).replace("9e999", "1")).unwrap();
    assert_eq!(json["rows"].as_array().unwrap().len(), 5);
    assert_eq!(json["rows"][0][3], "a\0\u{1b}");
}

#[test]
fn names_cannot_command_a_terminal() {
    let sql = "SELECT 'a' || char(27) || '[31mb' AS name, char(10, 8238, 7) AS more";
    let table = shown(&[APP, sql]);
    assert!(
        !table.contains('\u{1b}') && !table.contains('\u{202e}'),
        "{table:?}"
    );
    assert_eq!(table.lines().count(), 2, "{table:?}");
    assert!(shown(&[APP, sql, "--format=csv"]).contains("\u{1b}[31mb"));
}

#[test]
fn long_results_are_not_kept_in_memory_but_aligned_by_their_first_rows() {
    let sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 3000) SELECT x, 'row' AS what FROM n";
    let table = shown(&[APP, sql]);
    assert_eq!(table.lines().count(), 3001);
    assert_eq!(table.lines().nth(1), Some("   1  row"));
    assert_eq!(table.lines().last(), Some("3000  row"));
}

#[test]
fn sql_comes_from_a_file_or_standard_input_with_parameters() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("q.sql");
    let sql = "-- a comment\nSELECT count(*) FROM slice WHERE dur >= :least AND $what = 'x';\n";
    std::fs::write(&file, sql).unwrap();
    let out = folder.path().join("out.csv");
    let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
    let given = ["--param=least=1000000", "--param=what=x", "--format=csv"];
    let from_file = shown(&[&[APP, "--file", file, "-o", out], &given[..]].concat());
    assert_eq!(from_file, "");
    let from_stdin = piped(&[&[APP, "-"], &given[..]].concat(), sql);
    assert_eq!(std::fs::read_to_string(out).unwrap(), from_stdin);
    assert_eq!(piped(&[&[APP], &given[..]].concat(), sql), from_stdin);
    let short = shown(&[&[APP, "-f", file], &given[..]].concat());
    assert_eq!(short, from_stdin);
    let count = from_stdin;
    let count: u64 = count.lines().nth(1).unwrap().parse().unwrap();
    assert!(count > 0 && count < 3851, "{count}");
}

#[test]
fn piped_sql_is_for_all_traces() {
    let count = "SELECT count(*) > 3851 FROM slice";
    let both = piped(&[JANK, APP, "--format=csv"], count);
    assert_eq!(both.lines().nth(1), Some("1"));
    let each = piped(&["--each", JANK, APP, "--format=csv"], count);
    assert_eq!(each.lines().count(), 3, "{each}");
    // SQL in the arguments leaves the pipe alone.
    let given = piped(&[APP, "SELECT 7", "--format=csv"], count);
    assert_eq!(given.lines().nth(1), Some("7"));
}

#[test]
fn sql_may_begin_with_a_comment() {
    for sql in [
        "-- one\nSELECT 7",
        "-- one = 1\nSELECT 7",
        "/* one */ SELECT 7",
    ] {
        let first = shown(&[APP, sql, "--format=csv"]);
        assert_eq!(first.lines().nth(1), Some("7"), "{sql}");
        let last = shown(&["--format=csv", APP, sql]);
        assert_eq!(last, first, "{sql}");
    }
    let error = refused(&[APP, "--zzz", "SELECT 7"]);
    assert!(error.contains("unexpected argument '--zzz'"), "{error}");
}

#[test]
fn a_search_for_events_in_another_table_is_answered_with_advice() {
    let sql = "SELECT count(*) FROM ftrace_event WHERE name = 'sched_switch'";
    let output = query(&["examples/linux.ftrace", sql]);
    let advice = "note: ftrace_event has no rows of sched_switch; look in sched and thread_state\n";
    assert!(String::from_utf8(output.stderr).unwrap().ends_with(advice));
}

#[test]
fn several_files_are_one_trace() {
    let one = shown(&[JANK, "SELECT count(*) FROM slice", "--format=jsonl"]);
    let both = shown(&[JANK, APP, "SELECT count(*) FROM slice", "--format=jsonl"]);
    let number = |text: &str| {
        text.trim_matches(|c: char| !c.is_ascii_digit())
            .parse::<u64>()
            .unwrap()
    };
    let count = |text: &str| number(text.rsplit(':').next().unwrap());
    assert_eq!(count(&both), count(&one) + 3851);
    let sources = shown(&[
        JANK,
        APP,
        "SELECT count(DISTINCT source_id) FROM track",
        "--format=csv",
    ]);
    assert_eq!(sources.lines().nth(1), Some("2"));
}

#[test]
fn errors_say_what_to_do() {
    for (args, reason) in [
        (
            &[APP, "SELECT 1;\nSELECT nope FROM slice"][..],
            "line 2, column 8 of SQL: no such column: nope",
        ),
        (
            &[APP, "SELEKT 1"],
            "line 1, column 1 of SQL: near \"SELEKT\": syntax error",
        ),
        (
            &[APP, "SELECT nope FROM slice"],
            "the columns of a table: SELECT name FROM pragma_table_info(",
        ),
        (
            &[APP, "SELECT 1 FROM nope"],
            "the tables: SELECT name FROM sqlite_schema",
        ),
        (
            &[APP, "SELECT 1 FROM chrome_tasks"],
            "--sql-modules DIR loads Perfetto's own modules",
        ),
        (
            &[APP, "SELECT 1 FROM android_startups"],
            "no such table: android_startups; INCLUDE PERFETTO MODULE android.startup.startups defines it",
        ),
        (&[APP], "there is no SQL; write: traceloom query FILE"),
        (&[APP], "name a file with --file, or pipe the SQL into it"),
        (
            &[APP, "INCLUDE PERFETTO MODULE no.such; SELECT 1"],
            "--sql-modules DIR loads Perfetto's own modules",
        ),
        (
            &["SELECT 1"],
            "there is no trace; write: traceloom query FILE",
        ),
        (
            &[JANK, APP],
            "examples/app.trace is a file: the last argument is the SQL",
        ),
        (
            &[APP, "SELECT 1", "--param=x=1"],
            "no statement has a parameter :x",
        ),
        (&[APP, "SELECT :x"], "give it with --param x=VALUE"),
        (&[APP, "ATTACH 'x' AS y"], "a query cannot reach files"),
        (
            &["no.such.trace", "SELECT 1"],
            "no.such.trace: no such file",
        ),
    ] {
        let error = refused(args);
        assert!(error.contains(reason), "{args:?}: {error}");
    }
}

#[test]
fn an_endless_query_is_stopped() {
    let sql =
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n";
    let error = refused(&[APP, sql, "--timeout=0.2"]);
    assert!(error.contains("stopped after 0.2 s; --timeout"), "{error}");
}

/// The same numbers as the commands that count without SQL.
#[test]
fn results_agree_with_other_commands() {
    let sql = "SELECT printf('%.3f', sum(dur) FILTER (WHERE state = 'Running') / 1e6), \
               printf('%.3f', sum(dur) FILTER (WHERE state GLOB 'R' OR state = 'R+') / 1e6), \
               printf('%.3f', sum(dur) FILTER (WHERE state = 'D') / 1e6) \
               FROM thread_state JOIN thread USING (utid) WHERE thread.name = 'ImageLoader-1'";
    let row = shown(&[JANK, sql, "--format=csv"]);
    // `traceloom threads`, in docs/threads.md, and examples/README.md.
    assert_eq!(row.lines().nth(1), Some("125.621,74.516,66.884"));
}

#[test]
fn modules_come_from_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("own")).unwrap();
    let module = "CREATE PERFETTO FUNCTION own_add(x LONG) RETURNS LONG AS SELECT $x + 1;";
    std::fs::write(folder.path().join("own/add.sql"), module).unwrap();
    std::fs::write(folder.path().join("bad.sql"), "SELECT 1;\n SELECT gone;").unwrap();
    let option = format!("--sql-modules={}", folder.path().display());
    let sql = "INCLUDE PERFETTO MODULE own.add; SELECT own_add(4) AS five";
    let rows = shown(&[APP, sql, "--format=csv", &option]);
    assert_eq!(rows, "five\n5\n");
    let error = refused(&[APP, "INCLUDE PERFETTO MODULE bad", &option]);
    assert!(
        error.contains("line 2, column 9 of ") && error.contains("bad.sql"),
        "{error}"
    );
}

/// Kernel events and marks with tracks that PerfettoSQL knows.
const TRACKS: &str = "# tracer: nop
#
 app-10 (   10) [001] .... 1.000000: irq_handler_entry: irq=7 name=ufs
 app-10 (   10) [001] .... 1.000010: irq_handler_exit: irq=7 ret=handled
 app-10 (   10) [001] .... 1.000020: softirq_entry: vec=1 [action=TIMER]
 app-10 (   10) [001] .... 1.000030: softirq_exit: vec=1 [action=TIMER]
 app-10 (   10) [001] .... 1.000040: cpu_frequency: state=900000 cpu_id=1
 app-10 (   10) [001] .... 1.000050: gpu_frequency: gpu_id=1 state=500000
 app-10 (   10) [001] .... 1.000060: thermal_temperature: thermal_zone=soc id=0 temp_prev=1 temp=2
 app-10 (   10) [001] .... 1.000070: oom_score_adj_update: pid=10 comm=app oom_score_adj=900
 app-10 (   10) [001] .... 1.000080: tracing_mark_write: S|10|load|1
 app-10 (   10) [001] .... 1.000090: tracing_mark_write: S|10|load|2
 app-10 (   10) [001] .... 1.000100: tracing_mark_write: F|10|load|1
 app-10 (   10) [001] .... 1.000110: tracing_mark_write: F|10|load|2
 app-10 (   10) [001] .... 1.000120: tracing_mark_write: C|10|depth|3
 app-10 (   10) [001] .... 1.000130: tracing_mark_write: B|10|draw
 app-10 (   10) [001] .... 1.000140: tracing_mark_write: E|10
";

fn shown_of_tracks(sql: &str) -> String {
    let file = std::env::temp_dir().join(format!("traceloom-tracks-{}", std::process::id()));
    let file = file.with_extension(sql.len().to_string());
    std::fs::write(&file, TRACKS).unwrap();
    let text = shown(&[file.to_str().unwrap(), sql, "--format=csv"]);
    std::fs::remove_file(&file).unwrap();
    text
}

/// Types, names, units and dimensions are the same as in Perfetto's importers.
#[test]
fn tracks_have_the_types_of_perfetto() {
    let sql = "SELECT type, name, counter_unit AS unit, (SELECT group_concat(key || '=' || display_value, ' ') \
               FROM args WHERE arg_set_id = dimension_arg_set_id AND key NOT IN ('utid', 'upid')) AS dimensions, \
               parent_id, track_group_id IS NOT NULL AS has_group FROM track ORDER BY type, name";
    let expected = "\
type,name,unit,dimensions,parent_id,has_group
atrace_async_slice,load,,name=load,,1
atrace_async_slice,load,,name=load,,1
atrace_counter,depth,,name=depth,,0
cpu_frequency,cpufreq,,cpu=1,,0
cpu_irq,Irq Cpu 1,,cpu=1,,0
cpu_softirq,SoftIrq Cpu 1,,cpu=1,,0
gpu_frequency,gpufreq,kHz,ugpu=1 gpu=1,,0
oom_score_adj,oom_score_adj,,,,0
thermal_temperature,soc Temperature,,thermal_zone=soc,,0
thread_execution,,,,,0
";
    assert_eq!(shown_of_tracks(sql), expected);
    let sql = "SELECT count(DISTINCT track_group_id) FROM track WHERE type = 'atrace_async_slice'";
    assert_eq!(shown_of_tracks(sql).lines().nth(1), Some("1"));
    let sql = "SELECT unit, gpu_id, extract_arg((SELECT dimension_arg_set_id FROM track AS t WHERE t.id = g.id), \
               'gpu') FROM gpu_counter_track AS g";
    assert_eq!(shown_of_tracks(sql).lines().nth(1), Some("kHz,1,1"));
}
