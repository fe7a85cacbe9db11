//! Processes and threads: `ProcessTree`.

use traceloom_trace::{ProcessId, TraceBuilder};

use super::kernel::Kernel;
use super::wire::Fields;

/// A `ProcessTree`: the processes and threads that exist, or that are new.
pub(super) fn process_tree(tree: &[u8], kernel: &mut Kernel<'_>, out: &mut TraceBuilder) {
    for field in Fields::new(tree) {
        match field.number {
            1 => process(field.fields(), out),
            2 => thread(field.fields(), kernel, out),
            _ => {}
        }
    }
}

/// A process that a packet names by its pid. Its main thread has the same number.
pub(super) fn process_and_leader(pid: i64, out: &mut TraceBuilder) -> ProcessId {
    let upid = out.process(pid);
    let leader = out.thread(pid);
    out.put_in_process(leader, pid);
    upid
}

fn process(fields: Fields<'_>, out: &mut TraceBuilder) {
    let (mut pid, mut ppid, mut uid) = (None, None, None);
    let mut cmdline: Vec<&[u8]> = Vec::new();
    let mut start_ts = None;
    for field in fields {
        match field.number {
            1 => pid = Some(field.int()),
            2 => ppid = Some(field.int()),
            3 => cmdline.push(field.bytes()),
            5 => uid = Some(field.int()),
            7 => start_ts = Some(field.int()),
            _ => {}
        }
    }
    // The idle process has no entry in /proc.
    let Some(pid) = pid.filter(|pid| *pid > 0) else {
        return;
    };
    let ppid = ppid.filter(|ppid| *ppid > 0);
    if let Some(ppid) = ppid {
        out.process(ppid);
    }
    let upid = process_and_leader(pid, out);
    if let Some(name) = cmdline.first().filter(|name| !name.is_empty()) {
        let name = out.intern(name);
        out.name_process(upid, name);
        let cmdline = out.intern(&cmdline.join(&b' '));
        out.set_process_cmdline(upid, cmdline);
    }
    if let Some(ppid) = ppid {
        out.set_process_parent(upid, ppid);
    }
    if let Some(uid) = uid {
        out.set_process_uid(upid, uid);
    }
    if let Some(ts) = start_ts {
        out.set_process_start(upid, ts);
    }
}

fn thread(fields: Fields<'_>, kernel: &mut Kernel<'_>, out: &mut TraceBuilder) {
    let (mut tid, mut tgid, mut name) = (0, 0, &b""[..]);
    for field in fields {
        match field.number {
            1 => tid = field.int32(),
            2 => name = field.bytes(),
            3 => tgid = field.int32(),
            _ => {}
        }
    }
    if tid <= 0 || tgid <= 0 {
        return;
    }
    kernel.thread_of(tid, tgid);
    let utid = out.thread(tid.into());
    out.put_in_process(utid, tgid.into());
    if !name.is_empty() {
        let name = out.intern(name);
        out.name_thread(utid, name);
    }
}
