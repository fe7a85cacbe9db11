//! Threads measure their running time with their own CPU clock. A recording must show the same
//! time.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use testkit::KernelTurn;
use traceloom_trace::{RepairKind, RowId, TaskState, ThreadId, Trace};

use crate::work::{open, record, said, traceloom};

const BURSTS: usize = 48;
const BURST: Duration = Duration::from_millis(25);
const PAUSE: Duration = Duration::from_millis(4);

/// The CPU time of the calling thread, ns.
fn cpu_clock() -> i64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes the time to the struct it is given.
    let read = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(read, 0);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// The time that the host of a virtual machine took from its CPUs so far, in ticks of 10 ms.
fn stolen() -> u64 {
    let stat = std::fs::read_to_string("/proc/stat").unwrap();
    let of_all_cpus = stat.lines().next().unwrap();
    let ticks = of_all_cpus.split_whitespace().nth(8);
    ticks.map_or(0, |ticks| ticks.parse().unwrap())
}

/// Computes and pauses in turn, so that its CPU becomes idle often. Returns its CPU time, ns.
fn compute() -> i64 {
    for _ in 0..BURSTS {
        let until = cpu_clock() + BURST.as_nanos() as i64;
        while cpu_clock() < until {
            std::hint::spin_loop();
        }
        std::thread::sleep(PAUSE);
    }
    cpu_clock()
}

/// The running time of the thread with this name, from its states and from the runs on CPUs, ns.
fn running(trace: &Trace, name: &str) -> [i64; 2] {
    let threads = (0..trace.threads.len()).map(ThreadId::from_row);
    let own: Vec<_> = threads
        .filter(|&utid| trace.thread_name(utid) == name)
        .collect();
    assert_eq!(own.len(), 1, "threads called {name}");
    let states = trace.thread_states.rows();
    let states = states.filter(|row| row.utid == own[0] && row.state == TaskState::RUNNING);
    let runs = trace.sched_slices.rows().filter(|row| row.utid == own[0]);
    [
        states.map(|row| row.dur.max(0)).sum(),
        runs.map(|row| row.dur.max(0)).sum(),
    ]
}

/// A switch as the recorded text shows it: the time in ns, the CPU, and the names and tids of the
/// two threads.
struct Switch<'a> {
    ts: i64,
    cpu: &'a str,
    prev: (&'a str, &'a str),
    next: (&'a str, &'a str),
}

fn switch(line: &str) -> Option<Switch<'_>> {
    let (head, fields) = line.split_once(": sched_switch: ")?;
    let (before, time) = head.rsplit_once(' ')?;
    let cpu = before.rsplit_once('[')?.1.split_once(']')?.0;
    let seconds: f64 = time.parse().ok()?;
    let field = |key: &str, end: &str| Some(fields.split_once(key)?.1.split_once(end)?.0);
    Some(Switch {
        ts: (seconds * 1e6).round() as i64 * 1000,
        cpu,
        prev: (field("prev_comm=", " prev_pid=")?, field("prev_pid=", " ")?),
        next: (field("next_comm=", " next_pid=")?, field("next_pid=", " ")?),
    })
}

/// The time that the events leave open for the thread with this name, ns.
///
/// A kernel can omit the switches away from a thread (here: from the program that runs this
/// machine's guest). Then the next switch on a CPU leaves a different thread than the previous
/// switch entered. The events do not show when that thread began to run.
fn left_open(text: &str, name: &str) -> i64 {
    let mut last = HashMap::new();
    let mut open = 0;
    for now in text.lines().filter_map(switch) {
        if let Some((since, came)) = last.insert(now.cpu, (now.ts, now.next))
            && came != now.prev
            && [came.0, now.prev.0].contains(&name)
        {
            open += now.ts - since;
        }
    }
    open
}

/// Records this number of computing threads, and compares their times. The error names the first
/// that differs by more than 2 %, apart from the time that the events leave open.
fn compare(folder: &Path, threads: usize) -> Result<(), String> {
    let mut times = Vec::new();
    // Room for the events of other programs that this machine runs.
    let args = [
        "capture",
        "--target",
        "linux",
        "-b",
        "32768",
        "-o",
        "trace.txt",
        "sched",
    ];
    let output = record(traceloom(folder, &args), || {
        let start = |number: usize| {
            let builder = std::thread::Builder::new().name(format!("computing {number}"));
            builder.spawn(compute).unwrap()
        };
        let started: Vec<_> = (0..threads).map(start).collect();
        times = started.into_iter().map(|one| one.join().unwrap()).collect();
    });
    assert!(output.status.success(), "{:?}", said(&output));
    let text = std::fs::read_to_string(folder.join("trace.txt")).unwrap();
    let trace = open(&folder.join("trace.txt"));
    assert_eq!(trace.repairs.count(RepairKind::LostEvents), 0);
    println!(
        "{} switches are inferred, {} are missing",
        trace.repairs.count(RepairKind::InferredSwitch),
        trace.repairs.count(RepairKind::SchedMismatch)
    );
    for (number, real) in times.into_iter().enumerate() {
        let name = format!("computing {number}");
        let open = left_open(&text, &name);
        for found in running(&trace, &name) {
            if (found - real).abs() > real / 50 + open {
                return Err(format!(
                    "thread {number} of {threads} ran {found} of {real} ns; {open} ns are open"
                ));
            }
        }
    }
    Ok(())
}

/// A thread's CPU clock excludes time that the host takes from the CPU, but the scheduler's events
/// include it. So a difference counts only if the host took no time.
#[test]
fn threads_ran_as_long_as_their_clocks_say() {
    const TRIES: usize = 6;
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for threads in [1, 3] {
        let mut differences = Vec::new();
        while differences.len() < TRIES {
            let before = stolen();
            let Err(difference) = compare(folder.path(), threads) else {
                break;
            };
            let ticks = stolen() - before;
            assert!(ticks > 0, "{difference}");
            println!("{difference}; the host took {ticks} ticks");
            differences.push(difference);
        }
        if differences.len() == TRIES {
            println!("skipped: the host took time from the CPUs in each of {TRIES} recordings");
        }
    }
}
