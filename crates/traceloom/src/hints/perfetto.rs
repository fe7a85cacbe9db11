//! What to type instead of Perfetto's commands.

/// Names of commands, and what does the same here.
const COMMANDS: &[(&[&str], &str)] = &[
    (
        &["trace_processor", "trace_processor_shell", "interactive"],
        "`traceloom query TRACE` asks questions in SQL, at a prompt on a terminal",
    ),
    (
        &["traceconv"],
        "`traceloom convert TRACE -o OUT` converts traces; see docs/from-perfetto.md",
    ),
    (
        &["summarize", "metrics"],
        "there are no trace summaries and no metrics; `traceloom query TRACE --file q.sql` runs any SQL",
    ),
    (
        &["server", "httpd"],
        "there is no server for other programs; `traceloom view TRACE` shows a trace in the browser",
    ),
    (
        &["bundle", "symbolize"],
        "traces are not changed: `--symbols DIR` and `--mapping FILE` give names while a trace is read",
    ),
    (
        &["deobfuscate"],
        "`--mapping FILE` names methods while a trace is read",
    ),
    (
        &["merge"],
        "name several traces to put them on one time line: `traceloom view A B`",
    ),
    (
        &["tracebox", "record_android_trace", "perfetto"],
        "`traceloom capture -o OUT` records a device, and `--target linux` this machine",
    ),
    (
        &["heap_profile", "java_heap_dump", "cpu_profile"],
        "`traceloom capture --perfetto --config FILE` records what Perfetto's configuration says; \
         `traceloom profile TRACE` counts samples",
    ),
    (
        &["util", "convert_to_json"],
        "there is no such command; docs/from-perfetto.md lists Perfetto's commands and those of traceloom",
    ),
];

/// What to type instead of a command of Perfetto.
pub(super) fn command(name: &str) -> Option<&'static str> {
    let found = COMMANDS.iter().find(|(names, _)| names.contains(&name));
    found.map(|(_, advice)| *advice)
}
