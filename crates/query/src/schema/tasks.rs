//! Threads and processes.

use traceloom_trace::{NO_NUMBER, NO_TIME};

use super::column::Kind::{ArgSetId, Bool, JoinId, Long, String, Timestamp};
use super::column::{Cell, Table, column, id, machine};

pub(crate) const THREAD: Table = Table {
    name: "thread",
    doc: "Threads. A reused tid has a row per lifetime. Row 0 is the kernel's idle thread in every trace.",
    rows: |data| data.trace.threads.len(),
    columns: &[
        id("utid", "The thread's row: unique even if a tid is reused."),
        id("id", "The same as `utid`."),
        column(
            "tid",
            Long,
            "The operating system's number, or the virtual machine's own in a method trace.",
            |data, row| Cell::unless(data.trace.threads.tid.get(row), NO_NUMBER),
        ),
        column(
            "name",
            String,
            "Its last name in the trace.",
            |data, row| Cell::text(data.trace.threads.name.get(row)),
        ),
        column(
            "start_ts",
            Timestamp,
            "When it started; NULL if that was before the trace.",
            |data, row| Cell::unless(data.trace.threads.start_ts.get(row), NO_TIME),
        ),
        column(
            "end_ts",
            Timestamp,
            "When it ended; NULL if it outlived the trace.",
            |data, row| Cell::unless(data.trace.threads.end_ts.get(row), NO_TIME),
        ),
        column("upid", JoinId("process"), "Its process.", |data, row| {
            data.process_of(row)
        }),
        column(
            "is_main_thread",
            Bool,
            "Whether it is the process's first thread; NULL if its process is not known.",
            |data, row| data.is_main_thread(row),
        ),
        column(
            "is_idle",
            Bool,
            "Whether it is the kernel's idle thread.",
            |data, row| data.is_idle(row),
        ),
        machine(|data, row| data.machine(data.trace.threads.source.get(row))),
        column(
            "arg_set_id",
            ArgSetId,
            "What else is known about it.",
            |data, row| Cell::id(data.trace.threads.arg_set_id.get(row)),
        ),
        column(
            "source_id",
            JoinId("source"),
            "The input it came from.",
            |data, row| Cell::id(data.trace.threads.source.get(row)),
        )
        .hidden(),
    ],
};

pub(crate) const PROCESS: Table = Table {
    name: "process",
    doc: "Processes. A reused pid has a row per lifetime. Row 0 is the kernel's idle process in every trace.",
    rows: |data| data.trace.processes.len(),
    columns: &[
        id("upid", "The process's row: unique even if a pid is reused."),
        id("id", "The same as `upid`."),
        column(
            "pid",
            Long,
            "The operating system's number.",
            |data, row| Cell::unless(data.trace.processes.pid.get(row), NO_NUMBER),
        ),
        column(
            "name",
            String,
            "Its name: the package of an Android app, else the command's name.",
            |data, row| Cell::text(data.trace.processes.name.get(row)),
        ),
        column(
            "start_ts",
            Timestamp,
            "When it started; NULL if that was before the trace.",
            |data, row| Cell::unless(data.trace.processes.start_ts.get(row), NO_TIME),
        ),
        column(
            "end_ts",
            Timestamp,
            "When it ended; NULL if it outlived the trace.",
            |data, row| Cell::unless(data.trace.processes.end_ts.get(row), NO_TIME),
        ),
        column(
            "parent_upid",
            JoinId("process"),
            "The parent, if the trace has it.",
            |data, row| Cell::id(data.parents[row]),
        ),
        column("uid", Long, "User id.", |data, row| {
            Cell::unless(data.trace.processes.uid.get(row), NO_NUMBER)
        }),
        column(
            "android_appid",
            Long,
            "The app's id on Android, which is the same for each user.",
            |data, row| match data.trace.processes.uid.get(row) {
                NO_NUMBER => Cell::Null,
                uid => Cell::Int(uid % PER_USER),
            },
        ),
        column(
            "android_user_id",
            Long,
            "The user of an Android device.",
            |data, row| match data.trace.processes.uid.get(row) {
                NO_NUMBER => Cell::Null,
                uid => Cell::Int(uid / PER_USER),
            },
        ),
        column("cmdline", String, "The full command line.", |data, row| {
            Cell::text(data.trace.processes.cmdline.get(row))
        }),
        column(
            "arg_set_id",
            ArgSetId,
            "What else is known about it.",
            |data, row| Cell::id(data.trace.processes.arg_set_id.get(row)),
        ),
        machine(|data, row| data.machine(data.trace.processes.source.get(row))),
        column("ppid", Long, "The parent's pid.", |data, row| {
            Cell::unless(data.trace.processes.ppid.get(row), NO_NUMBER)
        })
        .hidden(),
        column(
            "source_id",
            JoinId("source"),
            "The input it came from.",
            |data, row| Cell::id(data.trace.processes.source.get(row)),
        )
        .hidden(),
    ],
};

/// The number of user ids that Android reserves for each user of a device.
const PER_USER: i64 = 100_000;
