//! Properties of tracks, processes and threads from their descriptors.

use traceloom_trace::{ArgValue, ProcessId, StringId, ThreadId, TraceBuilder, TrackId};

use super::super::chrome_names;
use super::super::track_descriptor::{Descriptor, Thread};
use super::event::Legacy;
use super::tids::Tids;
use super::writer::unsigned;

/// `CounterDescriptor.BuiltinCounterType`: the CPU time of a thread, ns, and its instruction count.
pub(super) const THREAD_TIME: u64 = 1;
const INSTRUCTIONS: u64 = 2;

/// Whether processes and threads are shown in the order of their ranks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Orders {
    processes: bool,
    threads: bool,
}

impl Orders {
    /// Reads the orders from the root's descriptor.
    pub fn of(root: &Descriptor) -> Self {
        Self {
            processes: root.orders_processes,
            threads: root.orders_threads,
        }
    }
}

/// Collects arguments.
struct List<'a> {
    out: &'a mut TraceBuilder,
    args: Vec<(StringId, ArgValue)>,
}

impl List<'_> {
    fn push(&mut self, key: &str, value: ArgValue) {
        let key = self.out.intern(key.as_bytes());
        self.args.push((key, value));
    }

    fn text(&mut self, key: &str, text: &[u8]) {
        if !text.is_empty() {
            let text = ArgValue::Text(self.out.intern(text));
            self.push(key, text);
        }
    }
}

/// Stores a track's properties as arguments, and its unit.
pub(super) fn track_args(
    track: TrackId,
    uuid: u64,
    descriptor: &Descriptor,
    from_first: bool,
    out: &mut TraceBuilder,
) {
    let is_root = descriptor.is_task() || uuid == 0;
    let args = Vec::new();
    let mut list = List { out, args };
    list.text("source", b"descriptor");
    list.push("trace_id", ArgValue::Int(uuid as i64));
    list.push("is_root_in_scope", ArgValue::Bool(is_root));
    if let Some(counter) = &descriptor.counter {
        list.text("category", &counter.categories);
        list.text(
            "builtin_counter_type",
            builtin(descriptor).unwrap_or_default(),
        );
        list.text("y_axis_share_key", &counter.share_key);
    }
    if from_first {
        list.push("has_first_packet_on_sequence", ArgValue::Bool(true));
    }
    let ordering: &[u8] = match descriptor.child_ordering {
        1 => b"lexicographic",
        2 => b"chronological",
        3 => b"explicit",
        _ => b"",
    };
    list.text("child_ordering", ordering);
    if let Some(rank) = descriptor.rank {
        list.push("sibling_order_rank", ArgValue::Int(rank.into()));
    }
    list.text("description", &descriptor.description);
    let args = list.args;
    let args = out.args(args);
    out.set_track_args(track, args);
    if let Some(counter) = &descriptor.counter {
        let unit = out.intern_unless_empty(counter.unit());
        out.set_track_unit(track, unit);
    }
}

/// The name of a counter type that is built into Perfetto.
fn builtin_name(builtin: u64) -> Option<&'static [u8]> {
    match builtin {
        THREAD_TIME => Some(b"thread_time"),
        INSTRUCTIONS => Some(b"thread_instruction_count"),
        _ => None,
    }
}

/// The name of the track's built-in counter type, if it has one.
pub(super) fn builtin(descriptor: &Descriptor) -> Option<&'static [u8]> {
    builtin_name(descriptor.counter.as_ref()?.builtin)
}

/// Whether the slices are on the thread's main track.
pub(super) fn shares_track(descriptor: &Descriptor) -> bool {
    descriptor.thread.is_some() && !descriptor.is_separate
}

/// The name of a track. Built-in counters without a name get the name of their type.
pub(super) fn name_of(descriptor: &Descriptor) -> &[u8] {
    if !descriptor.name.is_empty() {
        return &descriptor.name;
    }
    builtin(descriptor).unwrap_or_default()
}

/// The tid of a thread. Sandboxed threads get a substitute, because other processes may use the same tids.
pub(super) fn tid(thread: &Thread, descriptor: &Descriptor) -> i64 {
    if descriptor.is_sandboxed {
        sandboxed_tid(thread)
    } else {
        thread.tid
    }
}

/// The substitute tid of a sandboxed thread. No other thread has it.
pub(super) fn sandboxed_tid(thread: &Thread) -> i64 {
    i64::from(thread.pid) << 32 | thread.tid & 0xffff_ffff
}

/// Stores the position at which the thread is shown.
pub(super) fn thread_args(
    descriptor: &Descriptor,
    orders: &Orders,
    utid: ThreadId,
    out: &mut TraceBuilder,
) {
    if let Some(rank) = descriptor.rank.filter(|_| orders.threads) {
        let key = out.intern(b"thread_sort_index_hint");
        let args = out.args([(key, ArgValue::Int(rank.into()))]);
        out.set_thread_args(utid, args);
    }
}

/// Stores the position at which the process is shown, and Chrome's properties of it.
pub(super) fn process_args(
    descriptor: &Descriptor,
    orders: &Orders,
    upid: ProcessId,
    out: &mut TraceBuilder,
) {
    let args = Vec::new();
    let mut list = List { out, args };
    if let Some(rank) = descriptor.rank.filter(|_| orders.processes) {
        list.push("process_sort_index_hint", ArgValue::Int(rank.into()));
    }
    let labels = descriptor
        .process
        .iter()
        .flat_map(|process| &process.labels);
    for (index, label) in labels.enumerate() {
        list.text(&format!("chrome.process_label[{index}]"), label);
    }
    if let Some(kind) = descriptor.chrome_process {
        let name = chrome_names::process(kind);
        let name = list.out.intern_unless_empty(name.as_bytes());
        list.push("chrome.process_type", ArgValue::Text(name));
    }
    list.text("chrome.host_app_package_name", &descriptor.host_app);
    if let Some(id) = descriptor.crash_id {
        list.push("chrome.crash_trace_id", unsigned(id));
    }
    let args = list.args;
    if !args.is_empty() {
        let args = out.args(args);
        out.set_process_args(upid, args);
    }
}

/// Stores the name of a thread.
pub(super) fn name_thread(thread: &Thread, utid: ThreadId, out: &mut TraceBuilder) {
    if !thread.name.is_empty() {
        let name = out.intern(&thread.name);
        out.name_thread(utid, name);
    }
}

/// Stores the name, command line and start time of a process.
pub(super) fn name_process(descriptor: &Descriptor, upid: ProcessId, out: &mut TraceBuilder) {
    let Some(process) = &descriptor.process else {
        return;
    };
    if !process.name.is_empty() {
        let name = out.intern(&process.name);
        out.name_process(upid, name);
    }
    if !process.cmdline.is_empty() {
        let cmdline = out.intern(&process.cmdline);
        out.set_process_cmdline(upid, cmdline);
    }
    if let Some(start_ns) = process.start_ns.filter(|start| *start > 0) {
        out.set_process_start(upid, start_ns);
    }
}

/// The thread of a legacy event with its own tid or pid. If it has only a pid, the thread is a placeholder without a
/// tid.
pub(super) fn named_thread(
    legacy: &Legacy<'_>,
    own_pid: Option<i32>,
    tids: &mut Tids,
    out: &mut TraceBuilder,
) -> Option<ThreadId> {
    const NO_TID: i64 = 0xffff_ffff;
    let tid = match (legacy.tid, legacy.pid) {
        // The tid of the kernel's idle thread.
        (Some(0), _) => return None,
        (Some(tid), _) => tid.into(),
        (None, Some(pid)) => i64::from(pid) << 32 | NO_TID,
        (None, None) => return None,
    };
    Some(match legacy.pid.or(own_pid) {
        Some(pid) => tids.of_process(tid, pid.into(), out),
        None => out.thread(tid),
    })
}
