//! Converts rows of dumps to processes and threads.

use traceloom_trace::{NO_NUMBER, ProcessId, RowId, ThreadId, TraceBuilder};

use super::table::Row;

/// Adds a row's process or thread.
pub(super) fn add(row: Row<'_>, out: &mut TraceBuilder) {
    let tid = row.tid.unwrap_or(row.pid);
    let utid = member(tid, row.pid, out);
    name_thread(utid, row.thread, out);
    let upid = out.process(row.pid);
    if tid == row.pid {
        process(&row, upid, out);
    } else if out.trace().processes.name.get(upid.row()).is_empty() {
        name_process(&row, upid, out);
    }
}

fn process(row: &Row<'_>, upid: ProcessId, out: &mut TraceBuilder) {
    name_process(row, upid, out);
    if let Some(ppid) = row.ppid {
        out.set_process_parent(upid, ppid);
    }
    let has_no_uid = out.trace().processes.uid.get(upid.row()) == NO_NUMBER;
    if let Some(uid) = uid(row.user).filter(|_| has_no_uid) {
        out.set_process_uid(upid, uid);
    }
}

fn name_process(row: &Row<'_>, upid: ProcessId, out: &mut TraceBuilder) {
    let name = out.intern(unbracketed(row.process));
    out.name_process(upid, name);
    if !row.command.is_empty() {
        let command = out.intern(row.command);
        out.set_process_cmdline(upid, command);
    }
}

/// If either the main thread or its process has no name, gives it the name of the other one.
pub(super) fn name_main_thread(pid: i64, out: &mut TraceBuilder) {
    let (utid, upid) = (out.thread(pid), out.process(pid));
    let thread = out.trace().threads.name.get(utid.row());
    let process = out.trace().processes.name.get(upid.row());
    if process.is_empty() {
        out.name_process(upid, thread);
    } else if thread.is_empty() {
        out.name_thread(utid, process);
    }
}

/// The thread `tid`. Its process is `pid` unless the trace already gives another one.
pub(super) fn member(tid: i64, pid: i64, out: &mut TraceBuilder) -> ThreadId {
    if tid == 0 {
        return out.idle_thread();
    }
    let utid = out.thread(tid);
    if out.trace().threads.upid.get(utid.row()) == ProcessId::NONE {
        out.put_in_process(utid, pid);
    }
    utid
}

/// Names a thread that has no name in the trace.
pub(super) fn name_thread(utid: ThreadId, name: &[u8], out: &mut TraceBuilder) {
    if out.trace().threads.name.get(utid.row()).is_empty() {
        let name = out.intern(unbracketed(name));
        out.name_thread(utid, name);
    }
}

/// Removes the brackets that `ps` puts around names of kernel threads.
fn unbracketed(name: &[u8]) -> &[u8] {
    name.strip_prefix(b"[")
        .and_then(|inner| inner.strip_suffix(b"]"))
        .unwrap_or(name)
}

/// The uid, if it follows from the user name: Android's `u0_a123`, `root`, or a number.
fn uid(user: &[u8]) -> Option<i64> {
    const PER_USER: i64 = 100_000;
    const FIRST_APP: i64 = 10_000;
    let user = std::str::from_utf8(user).ok()?;
    if user == "root" {
        return Some(0);
    }
    if let Some((user, app)) = user
        .strip_prefix('u')
        .and_then(|rest| rest.split_once("_a"))
    {
        let (user, app): (i64, i64) = (user.parse().ok()?, app.parse().ok()?);
        return user
            .checked_mul(PER_USER)?
            .checked_add(FIRST_APP)?
            .checked_add(app);
    }
    user.parse().ok()
}
