//! Exported files: other programs read them, and they appear complete.
#![cfg(unix)]

mod made;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use made::run_in;

const JANK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/jank.ftrace.gz");

/// A name that SQL, a shell, a path or a terminal could take for something else.
const NAME: &str = "'); DROP TABLE slice; --/../$(x)\u{1b}[31m\"";

/// The output of a successful run.
fn run(folder: &Path, args: &[&str]) -> String {
    let output = run_in(folder, args);
    assert!(output.status.success(), "{args:?} {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn error(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn python() -> PathBuf {
    std::env::var_os("PYTHON").map_or_else(|| "python3".into(), PathBuf::from)
}

/// The output of a Python script. `None`, with a message, if Python or one of the script's modules
/// is missing.
fn python_prints(folder: &Path, module: &str, script: &str) -> Option<String> {
    let with = |code: &str| {
        Command::new(python())
            .args(["-c", code])
            .current_dir(folder)
            .output()
    };
    let has_module = with(&format!("import {module}")).is_ok_and(|output| output.status.success());
    if !has_module {
        eprintln!("skipped: no Python with {module}; PYTHON names the one to use");
        return None;
    }
    let output = with(script).unwrap();
    assert!(output.status.success(), "{output:?}");
    Some(String::from_utf8(output.stdout).unwrap())
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn hostile(folder: &Path) {
    let text = format!(
        "# tracer: nop\n\
         app-10 ( 10) [000] .... 1.000001: tracing_mark_write: B|10|{NAME}\n\
         app-10 ( 10) [000] .... 1.000004: tracing_mark_write: E|10\n"
    );
    std::fs::write(folder.join("a.ftrace"), text).unwrap();
}

#[test]
fn plain_sqlite_reads_the_file() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["export", JANK, "-o", "x.sqlite"]);
    assert_eq!(files(folder.path()), ["x.sqlite"]);
    let sql =
        "SELECT thread_name, count(*), sum(dur) FROM thread_slice GROUP BY 1 ORDER BY 3 DESC, 1";
    let script = format!(
        "import csv, sqlite3, sys\n\
         file = sqlite3.connect('x.sqlite')\n\
         found = file.execute(\"{sql}\")\n\
         out = csv.writer(sys.stdout, lineterminator='\\r\\n')\n\
         out.writerow([column[0] for column in found.description])\n\
         out.writerows(found)\n"
    );
    let expected = run(folder.path(), &["query", JANK, sql, "--format", "csv"]);
    assert!(expected.lines().count() > 5, "{expected}");
    if let Some(found) = python_prints(folder.path(), "sqlite3", &script) {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(lines(&found), lines(&expected));
    }
}

#[test]
fn arrow_reads_the_files() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["export", JANK, "-o", "tables/"]);
    run(
        folder.path(),
        &["export", JANK, "-o", "x.arrow", "--table", "slice"],
    );
    let same = std::fs::read(folder.path().join("tables/slice.arrow")).unwrap();
    assert_eq!(std::fs::read(folder.path().join("x.arrow")).unwrap(), same);
    let script = "\
import glob, json, pyarrow.ipc
for path in sorted(glob.glob('tables/*.arrow')):
    table = pyarrow.ipc.open_file(path).read_all()
    table.validate(full=True)
    rows = list(zip(*(column.to_pylist() for column in table.columns)))
    print(json.dumps([path[7:-6], table.schema.names, [str(type) for type in table.schema.types], rows]))
";
    let Some(found) = python_prints(folder.path(), "pyarrow", script) else {
        return;
    };
    let mut rows = 0;
    for line in found.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let names: Vec<&str> = line[1]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        let sql = format!(
            "SELECT {} FROM {}",
            names.join(", "),
            line[0].as_str().unwrap()
        );
        let answer = run(folder.path(), &["query", JANK, &sql, "--format", "json"]);
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(line[1], answer["columns"], "{sql}");
        assert_eq!(line[3], answer["rows"], "{sql}");
        rows += answer["rows"].as_array().unwrap().len();
        if line[0] == "counter" {
            assert_eq!(
                line[2].to_string(),
                r#"["int64","int64","int64","double","int64"]"#
            );
        }
    }
    assert!(rows > 10_000, "{rows}");
}

#[test]
fn a_result_has_types_that_hold_all_values() {
    let folder = tempfile::tempdir().unwrap();
    hostile(folder.path());
    let sql = "SELECT NULL AS n, value AS i, value / 2.0 AS r, iif(value = 2, value, value / 4.0) AS m, \
        iif(value = 1, name, value) AS t, iif(value = 2, x'ff00', NULL) AS b \
        FROM slice, (SELECT 1 AS value UNION ALL SELECT 2 UNION ALL SELECT NULL)";
    run(
        folder.path(),
        &[
            "query", "a.ftrace", sql, "--format", "arrow", "-o", "x.arrow",
        ],
    );
    run(
        folder.path(),
        &[
            "query",
            "a.ftrace",
            "SELECT 1 AS a WHERE 0",
            "--format",
            "arrow",
            "-o",
            "none.arrow",
        ],
    );
    let script = "\
import pyarrow.ipc
table = pyarrow.ipc.open_file('x.arrow').read_all()
table.validate(full=True)
print([str(type) for type in table.schema.types])
for row in zip(*(column.to_pylist() for column in table.columns)): print(row)
print(pyarrow.ipc.open_file('none.arrow').read_all().num_rows)
";
    if let Some(found) = python_prints(folder.path(), "pyarrow", script) {
        let name = format!("{NAME:?}")
            .replace("\\u{1b}", "\\x1b")
            .replace("\\\"", "\"")
            .replace('\'', "\\'");
        let name = format!("'{}'", &name[1..name.len() - 1]);
        let expected = format!(
            "['null', 'int64', 'double', 'double', 'string', 'binary']\n\
             (None, 1, 0.5, 0.25, {name}, None)\n\
             (None, 2, 1.0, 2.0, '2', b'\\xff\\x00')\n\
             (None, None, None, None, None, None)\n0\n"
        );
        assert_eq!(found, expected);
    }
}

#[test]
fn hostile_names_are_data() {
    let folder = tempfile::tempdir().unwrap();
    hostile(folder.path());
    run(
        folder.path(),
        &["export", "a.ftrace", "-o", "it's \"x\".sqlite"],
    );
    run(
        folder.path(),
        &["export", "a.ftrace", "-o", "file:x?mode=memory.db"],
    );
    let script = "\
import sqlite3
for name in (\"it's \\\"x\\\".sqlite\", './file:x?mode=memory.db'):
    print(ascii(sqlite3.connect(name).execute('SELECT name FROM slice').fetchall()))
";
    if let Some(found) = python_prints(folder.path(), "sqlite3", script) {
        let mut lines = found.lines();
        let line = lines.next().unwrap();
        assert!(
            line.contains("DROP TABLE slice; --/../$(x)\\x1b[31m"),
            "{line}"
        );
        assert_eq!(lines.next(), Some(line));
    }
}

#[test]
fn an_empty_file_has_all_tables() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("empty"), "").unwrap();
    run(folder.path(), &["export", "empty", "-o", "x.sqlite"]);
    run(
        folder.path(),
        &[
            "export", "empty", "-o", "tables", "--table", "slice", "--table", "args",
        ],
    );
    assert_eq!(
        files(&folder.path().join("tables")),
        ["args.arrow", "slice.arrow"]
    );
    let script = "import sqlite3; print(sqlite3.connect('x.sqlite').execute('SELECT count(*) FROM thread_slice').fetchall())";
    if let Some(found) = python_prints(folder.path(), "sqlite3", script) {
        assert_eq!(found, "[(0,)]\n");
    }
}

#[test]
fn a_file_that_fails_leaves_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    // Two kilobytes of input give many rows with a long name.
    let name = "n".repeat(60_000);
    let mut text = format!(
        "# tracer: nop\napp-10 ( 10) [000] .... 1.000001: tracing_mark_write: B|10|{name}\n"
    );
    for event in 0..500 {
        text += &format!(
            "app-10 ( 10) [000] .... 1.{event:06}: tracing_mark_write: C|10|{}|{event}\n",
            "c"
        );
    }
    std::fs::write(folder.path().join("a.ftrace"), text).unwrap();
    std::fs::write(folder.path().join("x.sqlite"), "old").unwrap();
    // The shell's limit on the size of files stands for a full disk.
    let limited = |out: &str| {
        let program = env!("CARGO_BIN_EXE_traceloom");
        let script = format!("trap '' XFSZ; ulimit -f 64; exec {program} export a.ftrace -o {out}");
        Command::new("bash")
            .args(["-c", &script])
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    let said = error(&limited("x.sqlite"));
    assert!(said.contains("cannot write x.sqlite"), "{said}");
    assert_eq!(
        std::fs::read(folder.path().join("x.sqlite")).unwrap(),
        b"old"
    );
    assert_eq!(files(folder.path()), ["a.ftrace", "x.sqlite"]);
}

#[test]
fn outputs_are_refused_before_the_trace_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |args: &[&str]| {
        error(&run_in(
            folder.path(),
            [&["export", "no-such-trace"], args].concat(),
        ))
    };
    for (args, expected) in [
        (&["-o", "x.parquet"][..], "names no format"),
        (&["-o", "x.arrow"], "--table"),
        (
            &["-o", "x.arrow", "--table", "nothing"],
            "there is no table nothing",
        ),
        (&["-o", "x.sqlite", "--table", "slice"], "has all tables"),
    ] {
        let said = refused(args);
        assert!(said.contains(expected), "{args:?} {said}");
    }
    hostile(folder.path());
    let said = error(&run_in(
        folder.path(),
        ["export", "a.ftrace", "-o", "none/x.sqlite"],
    ));
    assert!(said.contains("there is no folder none"), "{said}");
    std::os::unix::fs::symlink("/dev/null", folder.path().join("null.sqlite")).unwrap();
    let said = error(&run_in(
        folder.path(),
        ["export", "a.ftrace", "-o", "null.sqlite"],
    ));
    assert!(said.contains("is not a file"), "{said}");
}
