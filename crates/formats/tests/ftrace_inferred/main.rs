//! Switches that the kernel omitted, and evidence that must not be mistaken for one.

mod preempted;

use traceloom_formats::{FORMATS, ReadOptions, WriteOptions, read_bytes};
use traceloom_trace::{RepairKind, TaskState, Trace};

fn read(text: &str) -> Trace {
    read_bytes(text.as_bytes(), ReadOptions::default()).unwrap()
}

/// The runs of a thread: start and length in µs, `?` if inferred.
fn runs(trace: &Trace, tid: i64) -> Vec<String> {
    let rows = trace.sched_slices.rows();
    let own = rows.filter(|row| trace.threads.tid.get(row.utid.0 as usize) == tid);
    own.map(|row| {
        let mark = if row.inferred { "?" } else { "" };
        format!("{}+{}{mark}", row.ts / 1000 - 1_000_000, row.dur / 1000)
    })
    .collect()
}

/// The times of a thread in a state, µs.
fn time_in(trace: &Trace, tid: i64, state: TaskState) -> i64 {
    let rows = trace.thread_states.rows();
    let own = rows.filter(|row| trace.threads.tid.get(row.utid.0 as usize) == tid);
    own.filter(|row| row.state == state)
        .map(|row| row.dur.max(0) / 1000)
        .sum()
}

const BUSY_THEN_IDLE: &str = "\
 a-1 (    1) [000] d..2 1.000000: sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=S ==> next_comm=a next_pid=1 next_prio=120
 a-1 (    1) [000] .... 1.000005: tracing_mark_write: C|1|n|1
 a-1 (    1) [000] d..2 1.000010: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
";

const LEAVES: &str = "\
 b-2 (    2) [000] d..2 1.000900: sched_switch: prev_comm=b prev_pid=2 prev_prio=110 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
";

/// b runs until h takes its CPU. The switch back is missing.
const PREEMPTED: &str = "\
 <idle>-0 (-----) [000] d..2 1.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=b next_pid=2 next_prio=120
 b-2 (    2) [000] d..2 1.000100: sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=R ==> next_comm=h next_pid=3 next_prio=120
";

const RUNTIME: &str =
    " b-2 (    2) [000] d.h1 1.000500: sched_stat_runtime: comm=b pid=2 runtime=250000 [ns]\n";

const H_WAKES: &str =
    " h-3 (    3) [000] d..2 1.000150: sched_waking: comm=a pid=1 prio=120 target_cpu=001\n";

fn waking(us: u32, cpu: u32) -> String {
    format!(
        " <idle>-0 (-----) [00{cpu}] d.h2 1.{us:06}: sched_waking: comm=b pid=2 prio=110 target_cpu=000\n"
    )
}

fn mark(us: u32, cpu: u32) -> String {
    format!(" b-2 (    2) [00{cpu}] .... 1.{us:06}: tracing_mark_write: I|2|n\n")
}

#[test]
fn a_thread_that_leaves_has_run_since_its_wake_up() {
    let trace = read(&[BUSY_THEN_IDLE, &waking(100, 0), LEAVES].concat());
    assert_eq!(runs(&trace, 2), ["100+800?"]);
    assert_eq!(time_in(&trace, 2, TaskState::RUNNING), 800);
    assert_eq!(time_in(&trace, 2, TaskState::RUNNABLE), 0);
    assert_eq!(trace.repairs.count(RepairKind::InferredSwitch), 1);
    assert_eq!(trace.repairs.count(RepairKind::SchedMismatch), 0);
    let idle: Vec<_> = runs(&trace, 0);
    assert_eq!(
        idle[0], "10+90",
        "the idle thread ends where the run begins"
    );
}

#[test]
fn a_thread_that_was_ready_before_the_cpu_was_idle_came_then() {
    let text = BUSY_THEN_IDLE.replacen(
        " a-1 (    1) [000] d..2 1.000010",
        &[&waking(8, 0), " a-1 (    1) [000] d..2 1.000010"].concat(),
        1,
    );
    let trace = read(&[&text, LEAVES].concat());
    assert_eq!(runs(&trace, 2), ["10+890?"]);
    assert_eq!(time_in(&trace, 2, TaskState::RUNNABLE), 2);
}

/// Without a wake-up, the thread's first event is the evidence. A switch away alone does not show the length of a run.
#[test]
fn without_a_wake_up_the_first_event_tells() {
    let trace = read(&[BUSY_THEN_IDLE, &mark(300, 0), LEAVES].concat());
    assert_eq!(runs(&trace, 2), ["300+600?"]);
    let wakes =
        " b-2 (    2) [000] d..2 1.000200: sched_waking: comm=a pid=1 prio=120 target_cpu=000\n";
    let trace = read(&[BUSY_THEN_IDLE, wakes, LEAVES].concat());
    assert_eq!(runs(&trace, 2), ["200+700?"]);
    let trace = read(&[BUSY_THEN_IDLE, LEAVES].concat());
    assert!(runs(&trace, 2).is_empty());
    assert_eq!(trace.repairs.count(RepairKind::InferredSwitch), 0);
    assert_eq!(trace.repairs.count(RepairKind::SchedMismatch), 1);
}

/// The kernel switches shortly after the event.
#[test]
fn the_last_events_of_a_thread_that_leaves_are_no_return() {
    let tail =
        " a-1 (    1) [000] d..2 1.000012: tlb_flush: pages:-1 reason:flush on task switch (0)\n";
    let trace = read(&[BUSY_THEN_IDLE, tail].concat());
    assert_eq!(trace.repairs.count(RepairKind::InferredSwitch), 0);
    assert_eq!(time_in(&trace, 1, TaskState::RUNNING), 10);
}

/// The thread on a CPU is unknown after its events were lost.
#[test]
fn lost_events_end_what_is_known() {
    let lost = "CPU:0 [LOST 7 EVENTS]\n";
    let trace = read(&[BUSY_THEN_IDLE, &waking(100, 1), lost, LEAVES].concat());
    assert_eq!(trace.repairs.count(RepairKind::LostEvents), 7);
    assert_eq!(trace.repairs.count(RepairKind::InferredSwitch), 0);
}

/// Some writers put every mark on CPU 0, regardless of where its thread runs.
#[test]
fn a_cpu_column_that_is_not_real_infers_nothing() {
    let mut text = BUSY_THEN_IDLE.to_owned();
    let comes = " <idle>-0 (-----) [001] d..2 1.000110: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=b next_pid=2 next_prio=110\n";
    text += &[
        &waking(100, 1),
        comes,
        &mark(200, 0),
        &mark(210, 0),
        &mark(220, 0),
    ]
    .concat();
    // This thread has no other event; its CPU is as wrong as that of the others.
    text += " c-3 (    3) [000] .... 1.000300: tracing_mark_write: C|3|n|1\n";
    let trace = read(&text);
    assert_eq!(trace.repairs.count(RepairKind::InferredSwitch), 0);
    assert_eq!(trace.repairs.count(RepairKind::TimeWentBack), 0);
    assert_eq!(time_in(&trace, 3, TaskState::RUNNING), 0);
}

/// A text in which all switches are on CPU 0 although they happened on several CPUs.
#[test]
fn switches_of_several_cpus_in_one_column_infer_nothing() {
    let mut text = String::new();
    for at in 0..50 {
        let (us, tid) = (at * 100, at % 3 + 1);
        text += &format!(
            " <idle>-0 (-----) [000] d.h2 1.{us:06}: sched_waking: comm=t pid={tid} prio=120 target_cpu=000\n"
        );
        text += &format!(
            " <idle>-0 (-----) [000] d..2 1.{:06}: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=t next_pid={tid} next_prio=120\n",
            us + 2
        );
        let earlier = (at + 2) % 3 + 1;
        text += &format!(
            " t-{earlier} (    1) [000] d..2 1.{:06}: sched_switch: prev_comm=t prev_pid={earlier} prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120\n",
            us + 30
        );
    }
    let trace = read(&text);
    assert_eq!(trace.repairs.count(RepairKind::InferredSwitch), 0);
    assert!(trace.repairs.count(RepairKind::SchedMismatch) > 40);
}

/// Whichever switches are omitted, the known rows never overlap: a CPU runs one thread, and a
/// thread has one state.
#[test]
fn any_switches_may_be_missing() {
    for seed in 1..200u64 {
        let trace = read(&scene(seed, true));
        let mut ends = std::collections::HashMap::new();
        for row in trace.sched_slices.rows() {
            let end = ends.insert(("cpu", row.cpu), row.ts + row.dur.max(0));
            assert!(end.is_none_or(|end| end <= row.ts), "seed {seed}: {row:?}");
        }
        for row in trace.thread_states.rows() {
            let end = ends.insert(("thread", row.utid.0), row.ts + row.dur.max(0));
            assert!(end.is_none_or(|end| end <= row.ts), "seed {seed}: {row:?}");
        }
    }
}

/// If all switches are in the text, nothing is inferred. Without the switches from idle, each thread ran about equally
/// long.
#[test]
fn what_is_inferred_is_what_was_left_out() {
    for seed in 1..50u64 {
        let (whole, holes) = (read(&scene(seed, false)), read(&scene(seed, true)));
        assert_eq!(
            whole.repairs.count(RepairKind::InferredSwitch),
            0,
            "seed {seed}"
        );
        assert!(
            holes.repairs.count(RepairKind::InferredSwitch) > 0,
            "seed {seed}"
        );
        for tid in 1..4 {
            let [real, found] =
                [&whole, &holes].map(|trace| time_in(trace, tid, TaskState::RUNNING));
            let most = real / 50 + 3;
            assert!(
                (found - real).abs() <= most,
                "seed {seed}, thread {tid}: {found} of {real} µs: {:?} of {:?}",
                runs(&holes, tid),
                runs(&whole, tid)
            );
        }
    }
}

/// Three threads on two CPUs. Each is woken 1 µs before it runs. With `holes`, half of the switches from idle and
/// between threads are left out, but never two in a row.
fn scene(seed: u64, holes: bool) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    let mut text = String::new();
    let (mut now, mut on, mut known, mut recorded) = (0u64, [0u64; 2], [false; 2], [false; 2]);
    for _ in 0..120 {
        now += 60 + random(400);
        let cpu = random(2) as usize;
        let preempts = random(3) == 0;
        if on[cpu] != 0 && !preempts {
            recorded[cpu] = true;
            let tid = std::mem::take(&mut on[cpu]);
            let state = ["S", "D"][random(2) as usize];
            text += &format!(
                " t-{tid} (    1) [00{cpu}] d..2 1.{now:06}: sched_switch: prev_comm=t prev_pid={tid} prev_prio=120 prev_state={state} ==> next_comm=swapper next_pid=0 next_prio=120\n"
            );
            continue;
        }
        let tid = 1 + random(3);
        if on.contains(&tid) {
            continue;
        }
        let left = std::mem::replace(&mut on[cpu], tid);
        let (who, name) = match left {
            0 => ("<idle>-0 (-----)".to_owned(), "swapper"),
            left => (format!("t-{left} (    1)"), "t"),
        };
        text += &format!(
            " {who} [00{cpu}] d.h2 1.{now:06}: sched_waking: comm=t pid={tid} prio=120 target_cpu=00{cpu}\n"
        );
        now += 1;
        // The state of a CPU is unknown before its first switch.
        let first = !std::mem::replace(&mut known[cpu], true);
        let left_out = random(2) == 0 && holes && !first && (left == 0 || recorded[cpu]);
        recorded[cpu] = !left_out;
        if !left_out {
            text += &format!(
                " {who} [00{cpu}] d..2 1.{now:06}: sched_switch: prev_comm={name} prev_pid={left} prev_prio=120 prev_state=R ==> next_comm=t next_pid={tid} next_prio=120\n"
            );
        }
        text += &format!(
            " t-{tid} (    1) [00{cpu}] .... 1.{:06}: tracing_mark_write: I|1|n\n",
            now + 20
        );
    }
    text
}

/// The thread of the last switch still runs, so the event of the other thread had a wrong CPU.
#[test]
fn a_thread_that_goes_on_disproves_an_event() {
    let leaves = " h-3 (    3) [000] d..2 1.000900: sched_switch: prev_comm=h prev_pid=3 prev_prio=110 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n";
    let h_mark = " h-3 (    3) [000] .... 1.000500: tracing_mark_write: I|3|n\n";
    for end in [h_mark, leaves] {
        let trace = read(&[PREEMPTED, &mark(300, 0), end].concat());
        assert_eq!(runs(&trace, 2), ["0+100"]);
        assert_eq!(trace.repairs.count(RepairKind::InferredSwitch), 0);
        assert_eq!(trace.repairs.count(RepairKind::SchedMismatch), 0);
    }
}

/// Inferred switches are not written as if they had been recorded.
#[test]
fn an_inferred_switch_is_written_as_an_event_of_its_own() {
    check_written(&[BUSY_THEN_IDLE, &waking(100, 0), &mark(300, 0), LEAVES].concat());
    check_written(&[PREEMPTED, &mark(300, 0), LEAVES].concat());
}

fn check_written(text: &str) {
    let trace = read(text);
    let mut written = Vec::new();
    let ftrace = FORMATS.iter().find(|format| format.id() == "ftrace");
    let writer = ftrace.unwrap().writer().unwrap();
    let options = WriteOptions::default();
    writer.write(&trace, &options, &mut written).unwrap();
    let again = read_bytes(&written, ReadOptions::default()).unwrap();
    assert_eq!(runs(&again, 2), runs(&trace, 2));
    assert_eq!(again.repairs.count(RepairKind::InferredSwitch), 1);
    let written = String::from_utf8(written).unwrap();
    let switches = |text: &str| text.matches("sched_switch").count();
    assert_eq!(switches(&written), switches(text));
    assert_eq!(written.matches(": inferred_switch: next_prio=1").count(), 1);
}

/// The lines would be evidence in other texts, but the header says that all inferred switches are events. The header of
/// the next text ends this.
#[test]
fn nothing_is_inferred_if_inferred_switches_are_events() {
    const EVENTS: &str = "# inferred switches: as events\n";
    let evidence = [BUSY_THEN_IDLE, &waking(100, 0), &mark(300, 0), LEAVES].concat();
    for (header, runs_of_b) in [
        (EVENTS, vec![]),
        (&[EVENTS, "# tracer: nop\n"].concat(), vec!["100+800?"]),
    ] {
        let trace = read(&[header, &evidence].concat());
        assert_eq!(runs(&trace, 2), runs_of_b, "{header}");
    }
}

/// A thread that left unseen becomes ready when it is woken, although the wake-up came before the evidence that it
/// left.
#[test]
fn a_thread_that_left_unseen_is_woken() {
    let wakes_h = " <idle>-0 (-----) [001] d..2 1.000300: sched_waking: comm=h pid=3 prio=120 target_cpu=000\n";
    let comes = " <idle>-0 (-----) [000] d..2 1.001000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=h next_pid=3 next_prio=120\n";
    let trace = read(&[PREEMPTED, wakes_h, &mark(400, 0), LEAVES, comes].concat());
    assert_eq!(runs(&trace, 2), ["0+100", "100+800?"]);
    let h = [TaskState::RUNNING, TaskState::RUNNABLE].map(|state| time_in(&trace, 3, state));
    assert_eq!(h, [0, 700]);
}

/// According to the next switch, the CPU was idle all the time, so the event before it had a wrong
/// CPU.
#[test]
fn a_switch_from_idle_disproves_an_event() {
    let comes = " <idle>-0 (-----) [000] d..2 1.000500: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=1 next_prio=110\n";
    let trace = read(&[BUSY_THEN_IDLE, &waking(100, 0), &mark(300, 0), comes].concat());
    assert_eq!(trace.repairs.count(RepairKind::InferredSwitch), 0);
    assert_eq!(trace.repairs.count(RepairKind::SchedMismatch), 0);
}

/// The trace ends while the thread still runs. A counter has no thread in the tables, so a text
/// that was written from them may name any thread of the process. An agent on the host adds clock
/// marks.
#[test]
fn counters_and_clock_marks_do_not_show_who_runs() {
    for mark in [
        "C|2|n|1",
        "S|2|n|7",
        "F|2|n|7",
        "trace_event_clock_sync: name=x",
    ] {
        let line = format!(" b-2 (    2) [000] .... 1.000200: tracing_mark_write: {mark}\n");
        let trace = read(&[BUSY_THEN_IDLE, &waking(100, 0), &line].concat());
        assert!(runs(&trace, 2).is_empty(), "{mark}");
        assert_eq!(trace.repairs.count(RepairKind::InferredSwitch), 0, "{mark}");
    }
}

#[test]
fn a_thread_that_runs_at_the_end_is_seen() {
    let trace = read(&[BUSY_THEN_IDLE, &waking(100, 0), &mark(300, 0)].concat());
    assert_eq!(runs(&trace, 2), ["100+0?"], "open at the end");
    assert_eq!(trace.repairs.count(RepairKind::InferredSwitch), 1);
}
