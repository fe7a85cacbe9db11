//! Lines of the systemd journal.

use traceloom_trace::{ArgValue, StringId, TraceBuilder};

use super::wire::Fields;

/// The text fields of a `SystemdJournaldEvent` that become arguments.
const TEXTS: [(u32, &str); 4] = [
    (8, "comm"),
    (10, "systemd_unit"),
    (11, "hostname"),
    (12, "transport"),
];

/// The names in `stats` for the number of lines that the recorder read, and for those that it failed to read.
const COUNTS: [(u32, &str); 2] = [
    (20, "systemd_journal_num_total"),
    (21, "systemd_journal_num_failed"),
];

/// Reads a `SystemdJournaldEvent`: either a line, or the line counts.
pub(super) fn event(ts: i64, event: &[u8], out: &mut TraceBuilder) {
    if counts(event, out) {
        return;
    }
    let (mut pid, mut tid, mut priority) = (0, None, 0);
    let (mut tag, mut message) = (None, &b""[..]);
    for field in Fields::new(event) {
        match field.number {
            1 => pid = field.int(),
            2 => tid = Some(field.int()),
            5 => priority = field.int(),
            6 => tag = Some(ArgValue::Text(out.intern(field.bytes()))),
            7 => message = field.bytes(),
            _ => {}
        }
    }
    let mut cells = vec![
        ("prio", ArgValue::Int(priority)),
        (
            "log_source",
            ArgValue::Text(out.intern(b"systemd_journald")),
        ),
        ("msg", ArgValue::Text(out.intern(message))),
    ];
    cells.extend(tag.map(|tag| ("tag", tag)));
    if pid > 0 {
        let utid = out.thread(tid.unwrap_or(pid));
        out.put_in_process(utid, pid);
        cells.push(("utid", utid.into()));
    }
    let args = args(event, out);
    if !args.is_empty() {
        cells.push(("arg_set_id", out.args(args).into()));
    }
    out.record(ts, "__intrinsic_logs", &cells);
}

/// Stores the line counts of an event in `stats`. Returns whether it has any.
fn counts(event: &[u8], out: &mut TraceBuilder) -> bool {
    let mut has_counts = false;
    for field in Fields::new(event) {
        let count = COUNTS.iter().find(|(number, _)| *number == field.number);
        if let Some((_, name)) = count {
            out.stat(name, None, 0, field.int());
            has_counts = true;
        }
    }
    has_counts
}

fn args(event: &[u8], out: &mut TraceBuilder) -> Vec<(StringId, ArgValue)> {
    const UID: u32 = 3;
    let mut args = Vec::new();
    for field in Fields::new(event) {
        let text = TEXTS.iter().find(|(number, _)| *number == field.number);
        match text {
            Some((_, key)) => {
                let text = ArgValue::Text(out.intern(field.bytes()));
                args.push((out.intern(key.as_bytes()), text));
            }
            None if field.number == UID => {
                args.push((out.intern(b"uid"), ArgValue::Int(field.int())));
            }
            None => {}
        }
    }
    args
}
