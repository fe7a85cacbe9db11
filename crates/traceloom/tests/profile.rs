//! `traceloom profile` end to end: example traces in, text out.

#[path = "profile/samples.rs"]
mod samples;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn traceloom(args: &[&str], columns: Option<&str>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    command.arg("profile").args(args).current_dir(workspace());
    match columns {
        Some(columns) => command.env("COLUMNS", columns),
        None => command.env_remove("COLUMNS"),
    };
    command.output().expect("traceloom runs")
}

/// Standard output of a successful run.
fn shown(args: &[&str]) -> String {
    text(traceloom(args, None))
}

fn text(output: Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Standard error of a failed run, which prints nothing on standard output.
fn refused(args: &[&str]) -> String {
    let output = traceloom(args, None);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(output.stdout.is_empty(), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

const APP: &str = "examples/app.trace";
const LINUX: &str = "examples/linux.ftrace";

#[test]
fn method_trace() {
    insta::assert_snapshot!(shown(&[APP]));
}

#[test]
fn narrow_terminal() {
    insta::assert_snapshot!(text(traceloom(&[APP, "--limit", "12"], Some("90"))));
}

#[test]
fn cpu_clock_exclusive_without_overhead() {
    insta::assert_snapshot!(shown(&[
        APP,
        "--clock=cpu",
        "--sort=exclusive",
        "--limit=8",
        "--correct-overhead",
    ]));
}

#[test]
fn one_method_with_recursion() {
    insta::assert_snapshot!(shown(&[APP, "--method", "JSONTokener.nextValue"]));
}

#[test]
fn one_method_as_csv() {
    insta::assert_snapshot!(shown(&[APP, "--method", "JSONTokener.nextValue", "--csv"]));
}

#[test]
fn top_down_of_a_thread() {
    insta::assert_snapshot!(shown(&[
        APP,
        "--thread=main",
        "--tree=top-down",
        "--min-percent=2",
        "--depth=12",
    ]));
}

#[test]
fn bottom_up() {
    insta::assert_snapshot!(shown(&[
        APP,
        "--clock=cpu",
        "--tree=bottom-up",
        "--limit=2",
        "--min-percent=5",
        "--depth=6",
    ]));
}

#[test]
fn by_package() {
    insta::assert_snapshot!(shown(&[APP, "--by=package"]));
}

#[test]
fn by_thread() {
    insta::assert_snapshot!(shown(&[APP, "--by=thread"]));
}

#[test]
fn a_range_of_time() {
    insta::assert_snapshot!(shown(&[APP, "--from=100ms", "--to=0.3s", "--limit=8"]));
}

#[test]
fn system_trace() {
    insta::assert_snapshot!(shown(&[LINUX, "--limit=8", "--sort=blocked"]));
}

#[test]
fn json_of_a_system_trace() {
    insta::assert_snapshot!(shown(&[LINUX, "--limit=1", "--json"]));
}

#[test]
fn csv() {
    insta::assert_snapshot!(shown(&[APP, "--limit=4", "--csv"]));
}

#[test]
fn folded_stacks_add_up_to_the_total() {
    let folded = shown(&[APP, "--folded", "--thread=main", "--clock=wall"]);
    let sum = |folded: &str| -> i64 {
        let values = folded.lines().map(|line| line.rsplit_once(' ').unwrap().1);
        values.map(|value| value.parse::<i64>().unwrap()).sum()
    };
    let json = shown(&[APP, "--json", "--thread=main", "--limit=1"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(Some(sum(&folded)), json["total"]["wall_ns"].as_i64());
}

#[test]
fn standard_input_gives_the_same_as_the_file() {
    let bytes = std::fs::File::open(workspace().join(APP)).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_traceloom"))
        .args(["profile", "-", "--csv"])
        .stdin(Stdio::from(bytes))
        .output()
        .unwrap();
    assert_eq!(text(output), shown(&[APP, "--csv"]));
}

#[test]
fn mistakes_are_told() {
    insta::assert_snapshot!(
        [
            refused(&[APP, "--thread", "nobody"]),
            refused(&[APP, "--method", "no.such.method"]),
            refused(&[APP, "--method", "RecyclerView"]),
            refused(&[APP, "--sort", "runnable"]),
            refused(&[LINUX, "--correct-overhead"]),
        ]
        .join("\n")
    );
}

/// Two slices that never ended: `launch`, and in it `load feed`. Both contain finished ones.
const UNFINISHED: &str = "\
# tracer: nop
#
          app-10    (   10) [000] ....     1.000000: tracing_mark_write: B|10|launch
          app-10    (   10) [000] ....     1.001000: tracing_mark_write: B|10|inflate
          app-10    (   10) [000] ....     1.003000: tracing_mark_write: E|10
          app-10    (   10) [000] ....     1.004000: tracing_mark_write: B|10|load feed
          app-10    (   10) [000] ....     1.005000: tracing_mark_write: B|10|parse
          app-10    (   10) [000] ....     1.006500: tracing_mark_write: E|10
       render-11    (   10) [001] ....     1.007000: tracing_mark_write: B|10|draw
       render-11    (   10) [001] ....     1.010000: tracing_mark_write: E|10
";

#[test]
fn slices_that_never_ended() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unfinished.ftrace");
    std::fs::write(&file, UNFINISHED).unwrap();
    let file = file.to_str().unwrap();
    let shown = |args: &[&str]| {
        let output = traceloom(&[&[file], args].concat(), None);
        let notes = String::from_utf8(output.stderr.clone()).unwrap();
        format!("{args:?}\n{}{notes}", text(output)).replace(file, "unfinished.ftrace")
    };
    let outputs = [
        shown(&[]),
        shown(&["--tree=top-down"]),
        shown(&["--method=load feed"]),
        shown(&["--by=thread"]),
        shown(&["--csv"]),
        shown(&["--folded"]),
        shown(&["--from=5500us", "--to=8ms"]),
    ];
    insta::assert_snapshot!(outputs.join("\n"));
}

/// Calls of the kernel as its function_graph tracer prints them by default: without threads.
const CALLS_OF_A_CPU: &str = "\
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 0)               |  sys_open() {
 0)   0.500 us    |    getname();
 0)   2.000 us    |  }
";

#[test]
fn calls_on_a_cpu_count() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("function_graph.txt");
    std::fs::write(&file, CALLS_OF_A_CPU).unwrap();
    let json = shown(&[file.to_str().unwrap(), "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rows = json["rows"].as_array().unwrap();
    let numbers = rows.iter().map(|row| {
        let exclusive = row["exclusive"]["wall_ns"].as_i64();
        (row["name"].as_str(), row["calls"].as_i64(), exclusive)
    });
    let expected = [
        (Some("sys_open"), Some(1), Some(1500)),
        (Some("getname"), Some(1), Some(500)),
    ];
    assert_eq!(numbers.collect::<Vec<_>>(), expected);
}
