use testkit::{
    DatBytes, DatEvent, Machine, PerfRecord, perf_tracepoints, small_dat_events,
    tiny_perf_tracepoints,
};
use traceloom_trace::{RepairKind, RowId, ThreadId, Trace};

use super::read;

const PID: u32 = 4711;

/// The contents of the tables, with thread numbers and names as text.
fn content(trace: &Trace) -> Vec<String> {
    let tid = |utid: ThreadId| trace.threads.tid.get(utid.row());
    let name = |id| trace.strings.get(id);
    let runs = trace.sched_slices.rows();
    let runs = runs.map(|run| format!("{} {} {} {}", run.ts, run.dur, run.cpu, tid(run.utid)));
    let wakes = trace.wakeups.rows();
    let wakes = wakes.map(|wake| format!("{} woken {}", wake.ts, tid(wake.utid)));
    let slices = trace.slices.rows();
    let slices = slices.map(|slice| format!("{} {} {}", slice.ts, slice.dur, name(slice.name)));
    let events = trace.ftrace_events.rows();
    let events = events.map(|event| format!("{} {}", event.ts, name(event.name)));
    runs.chain(wakes).chain(slices).chain(events).collect()
}

/// The events of an app, without those of the function tracers, which perf cannot record.
fn events() -> Vec<DatEvent> {
    let events = small_dat_events().into_iter();
    let is_tracepoint =
        |event: &DatEvent| !event.name.starts_with("func") && event.name != "bprint";
    events.filter(is_tracepoint).collect()
}

#[test]
fn tracepoints_are_read_as_those_of_a_trace_dat() {
    for (big_endian, long_bytes) in [(false, 8), (false, 4), (true, 8)] {
        let machine = Machine {
            big_endian,
            long_bytes,
        };
        let events = events();
        let pages = DatBytes::pages(&events, machine, 4096);
        let dat = DatBytes::of(6, machine, pages);
        let perf = perf_tracepoints(&dat, &events, PID);
        let expected = read(&dat.to_bytes());
        for bytes in [perf.to_bytes(), perf.to_stream()] {
            let found = read(&bytes);
            assert_eq!(content(&found), content(&expected));
            assert!(found.sched_slices.len() > 10);
            let process = |trace: &Trace| {
                let rows = trace.threads.rows();
                let mut rows = rows.filter(|thread| thread.tid == 4720);
                let upid = rows.next().unwrap().upid;
                trace.processes.pid.get(upid.row())
            };
            assert_eq!(process(&found), i64::from(PID));
            assert_eq!(found.repairs.count(RepairKind::SkippedEntry), 0);
        }
    }
}

/// A recording of one process contains its switches, but not those of other threads on the same CPU.
#[test]
fn switches_of_some_threads_are_kept_as_events() {
    let mut events = events();
    events.retain(|event| event.tid == 4720);
    let switches = events.iter().filter(|event| event.name == "sched_switch");
    let switches = switches.count();
    let dat = DatBytes::of(6, Machine::USUAL, Vec::new());
    let trace = read(&perf_tracepoints(&dat, &events, PID).to_bytes());
    assert_eq!((trace.sched_slices.len(), trace.wakeups.len()), (0, 0));
    let names = trace.ftrace_events.name.iter();
    let names = names.filter(|name| trace.strings.get(*name) == "sched_switch");
    assert_eq!(names.count(), switches);
    assert!(trace.slices.len() > 5);
}

#[test]
fn tracepoints_without_formats_are_counted() {
    let mut file = tiny_perf_tracepoints();
    let samples = file.records.len() as u64;
    file.features.clear();
    let trace = read(&file.to_bytes());
    assert_eq!(trace.sched_slices.len(), 0);
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), samples);
    file.features = vec![(1, testkit::PerfRecord::default().bytes(b"not formats"))];
    let trace = read(&file.to_bytes());
    assert_eq!(trace.repairs.count(RepairKind::BrokenBlock), 1);
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), samples);
}

#[test]
fn times_at_the_end_of_the_range_are_survived() {
    let mut events = events();
    for event in events.iter_mut().rev().take(9) {
        event.ts = i64::MAX as u64;
    }
    let dat = DatBytes::of(6, Machine::USUAL, Vec::new());
    let trace = read(&perf_tracepoints(&dat, &events, PID).to_bytes());
    assert!(trace.sched_slices.len() > 10);
}

/// The names that the kernel saved may be of threads that had the same numbers before. They name only threads that have
/// no name in a record.
#[test]
fn saved_names_do_not_replace_those_of_records() {
    let mut events = events();
    events.retain(|event| event.name == "kmalloc");
    let threads: Vec<_> = events.iter().map(|event| event.tid).collect();
    let mut dat = DatBytes::of(6, Machine::USUAL, Vec::new());
    let saved = threads.iter().map(|tid| format!("{tid} before\n"));
    dat.cmdlines = saved.collect();
    let name = |bytes: &[u8]| {
        let trace = read(bytes);
        let rows = trace.threads.rows();
        let mut rows = rows.filter(|thread| thread.tid == i64::from(threads[0]));
        trace.strings.get(rows.next().unwrap().name).to_owned()
    };
    let mut file = perf_tracepoints(&dat, &events, PID);
    assert_eq!(name(&file.to_bytes()), "before");
    let comm = PerfRecord::new(3, 0).u32(&[PID, threads[0]]).text("now");
    let end = |record: PerfRecord| record.u32(&[PID, threads[0]]).u64(&[1]);
    let comm = end(comm).u32(&[0, 0]).u64(&[5]);
    file.records.insert(0, comm);
    assert_eq!(name(&file.to_bytes()), "now");
}
