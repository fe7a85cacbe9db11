//! `ProcessStats`: the memory and the run time of processes, from `/proc/PID/status`, `stat` and `smaps_rollup`.

use traceloom_trace::{ArgValue, Place, ProcessId, RepairKind, TraceBuilder, TrackType};

use super::super::kernel::Kernel;
use super::super::tasks;
use super::super::wire::{Field, Fields};
use super::named::push;

/// The minimum number of message bytes per open file, because each file has a path. A row takes more memory than an
/// `FDInfo` without a path, so this limits the number of rows of a message.
const BYTES_FOR_FILE: usize = 12;

/// A `ProcessStats`.
pub(super) fn process_stats(
    ts: i64,
    stats: Fields<'_>,
    kernel: &mut Kernel<'_>,
    out: &mut TraceBuilder,
) {
    for process in stats.filter(|field| field.number == 1) {
        let pid = process.fields().filter(|field| field.number == 1).last();
        // The kernel's idle process has no entry in /proc.
        let Some(pid) = pid.map(Field::int32).filter(|pid| *pid > 0) else {
            continue;
        };
        let upid = tasks::process_and_leader(pid.into(), out);
        let mut most_files = process.bytes().len() / BYTES_FOR_FILE;
        for field in process.fields() {
            match field.number {
                11 => thread(field.fields(), pid, kernel, out),
                15 if most_files > 0 => {
                    most_files -= 1;
                    open_file(ts, field.fields(), upid, out);
                }
                15 => out.repair(RepairKind::BeyondLimit, 1, Place::default(), || {
                    "open files of a process without names".to_owned()
                }),
                _ => figure(ts, field, upid, out),
            }
        }
    }
}

fn thread(mut fields: Fields<'_>, pid: i32, kernel: &mut Kernel<'_>, out: &mut TraceBuilder) {
    let tid = fields.find(|field| field.number == 1).map(Field::int32);
    if let Some(tid) = tid.filter(|tid| *tid > 0) {
        kernel.thread_of(tid, pid);
        let utid = out.thread(tid.into());
        out.put_in_process(utid, pid.into());
    }
}

/// Adds an open file of a process, from an `FDInfo`.
fn open_file(ts: i64, fields: Fields<'_>, upid: ProcessId, out: &mut TraceBuilder) {
    let (mut number, mut path): (_, &[u8]) = (0, b"");
    for field in fields {
        match field.number {
            1 => number = field.int(),
            2 => path = field.bytes(),
            _ => {}
        }
    }
    let path = ArgValue::Text(out.intern(path));
    let cells = [
        ("fd", ArgValue::Int(number)),
        ("ts", ArgValue::Int(ts)),
        ("upid", upid.into()),
        ("path", path),
    ];
    out.record(ts, "filedescriptor", &cells);
}

/// The field that says whether Chrome could reset a process's peak memory. If so, peaks are relative to the last reset.
const IS_PEAK_RESETTABLE: u32 = 12;

/// Adds a value of a process. Memory sizes are in kB in the packet.
fn figure(ts: i64, field: Field<'_>, upid: ProcessId, out: &mut TraceBuilder) {
    use TrackType::{ChromeProcessStats, OomScoreAdj, ProcStatRuntime, ProcessMemory, Smaps};
    if field.number == IS_PEAK_RESETTABLE {
        let value = ArgValue::Bool(field.bool());
        return out.add_process_arg(upid, "is_peak_rss_resettable", value);
    }
    let (kind, name) = match field.number {
        2 => (ProcessMemory, "mem.virt"),
        3 => (ProcessMemory, "mem.rss"),
        4 => (ProcessMemory, "mem.rss.anon"),
        5 => (ProcessMemory, "mem.rss.file"),
        6 => (ProcessMemory, "mem.rss.shmem"),
        7 => (ProcessMemory, "mem.swap"),
        8 => (ProcessMemory, "mem.locked"),
        9 => (ProcessMemory, "mem.rss.watermark"),
        24 => (ProcessMemory, "mem.dmabuf_rss"),
        13 => (ChromeProcessStats, "chrome.private_footprint_kb"),
        14 => (ChromeProcessStats, "chrome.peak_resident_set_kb"),
        10 => (OomScoreAdj, "oom_score_adj"),
        16 => (Smaps, "mem.smaps.rss"),
        17 => (Smaps, "mem.smaps.pss"),
        18 => (Smaps, "mem.smaps.pss.anon"),
        19 => (Smaps, "mem.smaps.pss.file"),
        20 => (Smaps, "mem.smaps.pss.smem"),
        23 => (Smaps, "mem.smaps.swap.pss"),
        21 => (ProcStatRuntime, "runtime.user_ns"),
        22 => (ProcStatRuntime, "runtime.kernel_ns"),
        _ => return,
    };
    let name = out.intern(name.as_bytes());
    let track = out.process_track(kind, upid, name);
    match kind {
        OomScoreAdj => out.whole_counter(track, ts, field.int()),
        ProcStatRuntime => push(track, ts, field.uint(), out),
        _ => push(track, ts, field.uint().saturating_mul(1_024), out),
    }
}
