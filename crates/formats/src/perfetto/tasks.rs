//! Processes and threads (`ProcessTree`).

use traceloom_trace::{ArgValue, NO_NUMBER, ProcessId, RowId, TraceBuilder};

use super::kernel::Kernel;
use super::track_descriptor::Process;
use super::wire::Fields;

/// Reads a `ProcessTree`: existing or new processes and threads.
pub(super) fn process_tree(tree: &[u8], kernel: &mut Kernel<'_>, out: &mut TraceBuilder) {
    for field in Fields::new(tree) {
        match field.number {
            1 => process(field.fields(), kernel, out),
            2 => thread(field.fields(), kernel, out),
            _ => {}
        }
    }
}

/// Adds the process with a pid, and its main thread, whose tid is the same.
pub(super) fn process_and_leader(pid: i64, out: &mut TraceBuilder) -> ProcessId {
    let upid = out.process(pid);
    let leader = out.thread(pid);
    out.put_in_process(leader, pid);
    upid
}

/// Reads a standalone `ProcessDescriptor`. Old versions of Chrome write it instead of a track descriptor. It does not
/// override a name from the system.
pub(super) fn process_descriptor(descriptor: &[u8], out: &mut TraceBuilder) {
    let process = Process::read(Fields::new(descriptor));
    if process.pid <= 0 {
        return;
    }
    let upid = process_and_leader(process.pid.into(), out);
    if out.trace().processes.name.get(upid.row()).is_empty() && !process.name.is_empty() {
        let name = out.intern(&process.name);
        out.name_process(upid, name);
    }
    if let Some(start_ns) = process.start_ns.filter(|start| *start > 0) {
        out.set_process_start(upid, start_ns);
    }
}

fn process(fields: Fields<'_>, kernel: &mut Kernel<'_>, out: &mut TraceBuilder) {
    let (mut pid, mut ppid, mut uid) = (None, None, None);
    let mut cmdline: Vec<&[u8]> = Vec::new();
    let (mut start_ts, mut is_comm, mut is_kthread) = (None, false, None);
    for field in fields {
        match field.number {
            1 => pid = Some(field.int()),
            2 => ppid = Some(field.int()),
            3 => cmdline.push(field.bytes()),
            5 => uid = Some(field.int()),
            7 => start_ts = Some(field.int()),
            8 => is_kthread = Some(field.bool()),
            9 => is_comm = field.uint() != 0,
            _ => {}
        }
    }
    // The idle process has no entry in /proc.
    let Some(pid) = pid.filter(|pid| *pid > 0) else {
        return;
    };
    // The parent is added first, even if no other packet has it.
    if let Some(ppid) = ppid.filter(|ppid| *ppid > 0) {
        process_and_leader(ppid, out);
    }
    let upid = process_and_leader(pid, out);
    if let Ok(pid) = i32::try_from(pid) {
        kernel.thread_of(pid, pid);
    }
    let is_kernel = ppid == Some(KTHREADD);
    if let Some((name, cmdline)) = names(&cmdline, is_kernel) {
        let name = out.intern(name);
        out.name_process(upid, name);
        let cmdline = out.intern(&cmdline);
        out.set_process_cmdline(upid, cmdline);
        if is_comm {
            let leader = out.thread(pid);
            out.name_thread(leader, cmdline);
        }
    }
    if let Some(ppid) = ppid.filter(|ppid| *ppid >= 0) {
        parent(upid, ppid, out);
    }
    if let Some(uid) = uid {
        out.set_process_uid(upid, uid);
    }
    if let Some(is_kthread) = is_kthread {
        out.add_process_arg(upid, "is_kthread", ArgValue::Bool(is_kthread));
    }
    if let Some(ts) = start_ts {
        out.set_process_start(upid, ts);
    }
}

/// The pid of `kthreadd`, which starts all other kernel threads.
const KTHREADD: i64 = 2;

/// Sets a process's parent. An orphan gets a new parent later, so only the first one is kept: it started the process.
pub(super) fn parent(upid: ProcessId, ppid: i64, out: &mut TraceBuilder) {
    if out.trace().processes.ppid.get(upid.row()) == NO_NUMBER {
        out.set_process_parent(upid, ppid);
        if ppid > 0 {
            out.process(ppid);
        }
    }
}

/// The name and the command line of a process.
fn names<'a>(words: &[&'a [u8]], is_kernel: bool) -> Option<(&'a [u8], Vec<u8>)> {
    let first = words.first().filter(|first| !first.is_empty())?;
    let worker = if is_kernel { worker(first) } else { first };
    if worker.len() < first.len() {
        return Some((worker, worker.to_vec()));
    }
    // Some programs overwrite their command line with one string that contains spaces.
    let name = match words {
        [only] => only.split(|byte| *byte == b' ').next().unwrap_or(only),
        _ => first,
    };
    Some((name, words.join(&b' ')))
}

/// The name of a kernel worker without its current work item, which changes all the time: `kworker/1:0` for
/// `kworker/1:0-events`.
fn worker(name: &[u8]) -> &[u8] {
    if !name.starts_with(b"kworker/") {
        return name;
    }
    let end = name.iter().position(|byte| matches!(byte, b'-' | b'+'));
    end.and_then(|end| name.get(..end)).unwrap_or(name)
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
        let process = out.find_process(tid.into());
        let ppid = process.map(|upid| out.trace().processes.ppid.get(upid.row()));
        let is_kernel = tid == tgid && ppid == Some(KTHREADD);
        let name = out.intern(if is_kernel { worker(name) } else { name });
        out.name_thread(utid, name);
    }
}
