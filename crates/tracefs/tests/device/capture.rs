//! Recordings of this kernel, read with traceloom's readers: all events must be there, with correct times.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::{RepairKind, StringId, TaskState, ThreadStateRow, Trace};

use crate::kernel::Kernel;
use crate::program::{Device, Program, trace_of};
use crate::workload::{self, Marker};

fn read(stdout: &[u8]) -> Trace {
    read_bytes(&trace_of(stdout), ReadOptions::default()).unwrap()
}

fn lost_events(trace: &Trace) -> bool {
    trace
        .repairs
        .rows()
        .iter()
        .any(|row| row.kind == RepairKind::LostEvents)
}

/// Records with our atrace while `work` runs.
fn record(device: &Device, args: &[&str], work: impl FnOnce()) -> Trace {
    let begun = device.run(
        Program::Ours,
        &[&["--async_start", "-b", "8192"], args].concat(),
    );
    assert_eq!(
        (begun.code, begun.stdout.as_str()),
        (Some(0), "capturing trace..."),
        "{begun:?}"
    );
    work();
    let output = device
        .command(Program::Ours, &["--async_stop"])
        .output()
        .unwrap();
    assert!(output.status.success());
    read(&output.stdout)
}

/// Precision of times in trace text, which has microseconds.
const PRINTED_NS: i64 = 1_000;

#[test]
fn sleeps_have_correct_times() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let mut sleeps = Vec::new();
    let trace = record(&Device::new(), &["sched"], || sleeps = workload::sleeps(50));
    drop(kernel);
    assert!(!lost_events(&trace));
    for (number, sleep) in sleeps.iter().enumerate() {
        let name = trace.strings.lookup(&format!("sleep {number}")).unwrap();
        let slice = trace
            .slices
            .rows()
            .find(|slice| slice.name == name)
            .unwrap();
        let thread = trace.track_thread(slice.track_id).unwrap();
        assert_eq!(trace.thread_name(thread), "sleeper");
        let within = |ts: i64, (before, after): (i64, i64)| {
            (before - PRINTED_NS..=after + PRINTED_NS).contains(&ts)
        };
        assert!(within(slice.ts, sleep.begin), "{slice:?} {sleep:?}");
        assert!(
            within(slice.ts + slice.dur, sleep.end),
            "{slice:?} {sleep:?}"
        );
        // The thread was blocked within the slice: once, or several times if something else woke it.
        let (begin, end) = (slice.ts, slice.ts + slice.dur);
        let states = trace
            .thread_states
            .rows()
            .filter(|state| state.utid == thread);
        let blocked =
            states.filter(|state| state.state.is_blocked() && state.ts >= begin && state.ts < end);
        let blocked_ns: i64 = blocked.map(|state| state.dur).sum();
        assert!(
            blocked_ns > 0 && blocked_ns <= slice.dur,
            "{blocked_ns} of {slice:?}"
        );
    }
}

#[test]
fn marks_are_complete_and_in_order() {
    const MARKS: usize = 500;
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let trace = record(&Device::new(), &[], || {
        let mut marker = Marker::open();
        for number in 0..MARKS {
            marker.put(&format!("I|{}|mark {number}", std::process::id()));
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    drop(kernel);
    let names = trace
        .slices
        .instants()
        .map(|row| trace.strings.get(trace.slices.name.get(row)).to_owned());
    let marks: Vec<String> = names.filter(|name| name.starts_with("mark ")).collect();
    let expected: Vec<String> = (0..MARKS).map(|number| format!("mark {number}")).collect();
    assert_eq!(marks, expected);
}

#[test]
fn wakeups_name_the_waker() {
    const TIMES: usize = 50;
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let trace = record(&Device::new(), &["sched"], || workload::wakeups(TIMES));
    drop(kernel);
    let named = |name: &str| {
        let mut threads = 0..trace.threads.len() as u32;
        let id =
            threads.find(|&thread| trace.thread_name(traceloom_trace::ThreadId(thread)) == name);
        traceloom_trace::ThreadId(id.unwrap_or_else(|| panic!("no thread {name}")))
    };
    let (waker, woken) = (named("waker"), named("woken"));
    let rows = trace.thread_states.rows();
    let states: Vec<_> = rows.filter(|state| state.utid == woken).collect();
    let asleep = |pair: &&[ThreadStateRow]| pair[0].state == TaskState::SLEEPING;
    let wakers = states.windows(2).filter(asleep);
    let wakers: Vec<_> = wakers.map(|pair| pair[1].waker_utid).collect();
    // There may be more wake-ups: one when the pipe is closed, and spurious ones.
    assert!(wakers.len() >= TIMES, "{} of {TIMES}", wakers.len());
    assert!(wakers.iter().all(|thread| *thread == waker), "{wakers:?}");
}

#[test]
fn clock_marks_are_exact() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let offset = |clock| {
        let read = || {
            let mut time = libc::timespec {
                tv_sec: 0,
                tv_nsec: 0,
            };
            // SAFETY: `time` is valid for writes.
            unsafe { libc::clock_gettime(clock, &mut time) };
            time.tv_sec * 1_000_000_000 + time.tv_nsec - workload::now_ns()
        };
        // The thread may be interrupted between the two clocks.
        let offset = (0..20).map(|_| read()).max();
        offset.unwrap() as f64 / 1e9
    };
    let begun = workload::now_ns() as f64 / 1e9;
    let output = Device::new()
        .command(Program::Ours, &["-t", "0"])
        .output()
        .unwrap();
    drop(kernel);
    let text = String::from_utf8(trace_of(&output.stdout)).unwrap();
    let value = |key: &str| {
        let line = text.lines().find(|line| line.contains(key)).unwrap();
        let ts = line
            .split(": tracing_mark_write")
            .next()
            .unwrap()
            .rsplit(' ')
            .next()
            .unwrap();
        let value = line.split_once(key).unwrap().1;
        (ts.parse::<f64>().unwrap(), value.parse::<f64>().unwrap())
    };
    // Both clocks were read after the program had begun and before the marks were written, as exactly as the clocks are
    // compared here. The float of Android's atrace has an error of up to 250 microseconds after an hour of uptime, and of
    // milliseconds after a day.
    const EXACT: f64 = 100e-6;
    let (ts, parent) = value("parent_ts=");
    let read = parent - offset(libc::CLOCK_MONOTONIC);
    let bounds = begun - EXACT..ts + EXACT;
    assert!(bounds.contains(&read), "{read} {bounds:?}");
    let fraction = text
        .split_once("parent_ts=")
        .unwrap()
        .1
        .lines()
        .next()
        .unwrap();
    assert_eq!(fraction.split_once('.').unwrap().1.len(), 9);
    let (ts, realtime) = value("realtime_ts=");
    let read = realtime / 1e3 - offset(libc::CLOCK_REALTIME);
    // It has whole milliseconds.
    let bounds = begun - 1e-3 - EXACT..ts + EXACT;
    assert!(bounds.contains(&read), "{read} {bounds:?}");
}

#[test]
fn a_stream_ends_with_its_reader_or_a_signal() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    for signal in [None, Some(libc::SIGINT)] {
        let mut child = device.start(Program::Ours, &["--stream", "sched"]);
        let mut lines = std::io::BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("trace_event_clock_sync: parent_ts=") {
            line.clear();
            std::io::BufRead::read_line(&mut lines, &mut line).unwrap();
        }
        if let Some(signal) = signal {
            Marker::open().put("I|1|the last moment");
            // SAFETY: the child has not been waited for, so its ID is still its own.
            unsafe { libc::kill(child.id() as libc::pid_t, signal) };
            std::io::Read::read_to_string(&mut lines, &mut line).unwrap();
            assert!(line.contains("the last moment"), "{line}");
        }
        drop(lines);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        kernel.wait_for(kernel.baseline());
    }
}

#[test]
fn user_categories_record_their_events() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let file = device.path("own.toml");
    let text = "[[category]]\nname = \"mine\"\ntags = [\"app\", 40]\nevents = [\"sched/sched_switch\"]\n\
                optional_events = [\"nosuch/event\", \"irq\"]\n[[event]]\nname = \"x\"\nend = true\n";
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let list = device.run(Program::Ours, &["--list_categories", "--categories", file]);
    assert!(list.stdout.ends_with("        mine - \n"), "{list:?}");
    let begun = device.run(
        Program::Ours,
        &["--async_start", "--categories", file, "mine"],
    );
    assert_eq!((begun.code, begun.stderr.as_str()), (Some(0), ""));
    let events = kernel.settings()["events"].clone();
    assert!(
        events.contains("irq:irq_handler_entry") && events.ends_with("sched:sched_switch"),
        "{events}"
    );
    assert_eq!(
        device.properties()["debug.atrace.tags.enableflags"],
        "0x10000001000"
    );
    device.run(Program::Ours, &["--async_stop"]);
    assert_eq!(kernel.settings(), *kernel.baseline());
}

#[test]
fn an_instance_and_the_global_buffer_record_at_the_same_time() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let instance = ["--instance", "test-one"];
    let run = |args: &[&str]| device.run(Program::Ours, args);
    let begun = run(&[&instance[..], &["--async_start", "-b", "4096", "sched"]].concat());
    assert_eq!(begun.code, Some(0), "{begun:?}");
    let copies = fs::exists(crate::kernel::path("options/copy_trace_marker")).unwrap();
    assert_eq!(
        begun.stderr.contains("cannot copy user space marks"),
        !copies
    );
    assert_eq!(
        kernel.settings(),
        *kernel.baseline(),
        "the settings of the global buffer are unchanged"
    );
    let own = kernel.settings_of_instance("test-one");
    assert!(own["events"].contains("sched:sched_switch"));
    assert_eq!(own["tracing_on"], "1");

    assert_eq!(run(&["--async_start", "irq"]).code, Some(0));
    assert_eq!(kernel.settings_of_instance("test-one"), own);
    kernel.mark("I|1|both");
    let stop = |args: &[&str]| {
        let output = device
            .command(Program::Ours, args)
            .stderr(Stdio::inherit())
            .output()
            .unwrap();
        String::from_utf8(trace_of(&output.stdout)).unwrap()
    };
    let global = stop(&["--async_stop"]);
    assert_eq!(kernel.settings(), *kernel.baseline());
    assert_eq!(kernel.settings_of_instance("test-one"), own);
    let other = stop(&[&instance[..], &["--async_stop"]].concat());
    assert!(global.contains("I|1|both") && !global.contains(": sched_switch:"));
    assert!(other.contains("I|1|both") || !copies);
    assert!(other.contains(": sched_switch:") && !other.contains(": softirq_entry:"));
    assert!(!crate::kernel::path("instances/test-one").exists());

    // An instance of another program is not used.
    fs::create_dir(crate::kernel::path("instances/test-one")).unwrap();
    let refused = run(&[&instance[..], &["-t", "0"]].concat());
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("exists already"), "{refused:?}");
    assert!(crate::kernel::path("instances/test-one").exists());
    fs::remove_dir(crate::kernel::path("instances/test-one")).unwrap();
    assert_eq!(run(&["--instance", "../x", "-t", "0"]).code, Some(1));
}

#[test]
fn the_kernel_cuts_names_that_are_too_long() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let trace = record(&Device::new(), &[], || {
        let long = "x".repeat(4_054);
        // The kernel may accept only a part, as on a device.
        let _ = std::io::Write::write(
            &mut fs::OpenOptions::new()
                .write(true)
                .open(crate::kernel::path("trace_marker"))
                .unwrap(),
            format!("B|1|{long}").as_bytes(),
        );
        kernel.mark("E|1");
    });
    let named: Vec<StringId> = trace.slices.rows().map(|slice| slice.name).collect();
    assert_eq!(named.len(), 1);
    assert!(trace.strings.get(named[0]).len() >= 1_000);
}
