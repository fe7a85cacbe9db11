//! Marks with special meanings.

use traceloom_trace::{ArgValue, RowId, TaskState, Trace};

use super::common::{counters, read, slices, text};

fn number(trace: &Trace, slice: usize, key: &str) -> Option<i64> {
    let key = trace.strings.lookup(key)?;
    match trace.args.value(trace.slices.arg_set_id.get(slice), key) {
        Some(ArgValue::Int(number)) => Some(number),
        _ => None,
    }
}

/// Android's wakelocks begin a slice several times, and end it once.
#[test]
fn an_asynchronous_slice_begins_once() {
    let trace = read(
        "\
a-1 (    1) [000] .... 1.000001: tracing_mark_write: S|1|lock|5
a-2 (    1) [001] .... 1.000003: tracing_mark_write: S|1|lock|5
a-1 (    1) [000] .... 1.000004: tracing_mark_write: S|1|lock|6
a-1 (    1) [000] .... 1.000005: tracing_mark_write: S|1|lock|5
a-1 (    1) [000] .... 1.000009: tracing_mark_write: F|1|lock|5
a-1 (    1) [000] .... 1.000010: tracing_mark_write: F|1|lock|6
a-1 (    1) [000] .... 1.000011: tracing_mark_write: S|1|lock|5
a-1 (    1) [000] .... 1.000012: tracing_mark_write: G|1|lane|job|5
a-1 (    1) [000] .... 1.000013: tracing_mark_write: G|1|lane|job|5
",
    );
    let expected = [
        "p1:lock/0 lock 1000001+8",
        "p1:lock/0 lock 1000004+6",
        "p1:lock/0 lock 1000011+open",
        "p1:lane/0 job 1000012+open",
        "p1:lane/1 job 1000013+open",
    ];
    assert_eq!(slices(&trace), expected);
    assert_eq!(number(&trace, 0, "legacy_unnestable_begin_count"), Some(3));
    let last = number(&trace, 0, "legacy_unnestable_last_begin_ts");
    assert_eq!(last, Some(1_000_005_000));
    assert_eq!(number(&trace, 1, "legacy_unnestable_begin_count"), None);
}

/// Slices of a named track nest if they have the same cookie. Otherwise, they are on separate lanes.
#[test]
fn asynchronous_slices_of_a_track_nest_by_their_cookie() {
    let trace = read(
        "\
a-1 (    1) [000] .... 1.000001: tracing_mark_write: G|1|lane|outer|5
a-1 (    1) [000] .... 1.000002: tracing_mark_write: G|1|lane|inner|5
a-1 (    1) [000] .... 1.000003: tracing_mark_write: G|1|lane|other|6
a-1 (    1) [000] .... 1.000004: tracing_mark_write: H|1|lane|5
a-1 (    1) [000] .... 1.000006: tracing_mark_write: H|1|lane|5
a-1 (    1) [000] .... 1.000007: tracing_mark_write: H|1|lane|6
",
    );
    let expected = [
        "p1:lane/0 outer 1000001+5",
        "p1:lane/1 inner 1000002+2",
        "p1:lane/0 other 1000003+4",
    ];
    assert_eq!(slices(&trace), expected);
}

#[test]
fn counters_and_states_of_the_device_belong_to_no_process() {
    let trace = read(
        "\
a-1 (    1) [000] .... 1.000001: tracing_mark_write: C|1|battery_stats.wifi|1
a-1 (    1) [000] .... 1.000002: tracing_mark_write: C|1|ScreenState|2
a-1 (    1) [000] .... 1.000003: tracing_mark_write: C|1|other|3
a-1 (    1) [000] .... 1.000004: tracing_mark_write: N|1|DeviceStateChanged|FOLDED
",
    );
    let expected = [
        "battery_stats battery_stats.wifi=1",
        "screen_state ScreenState=2",
        "atrace_counter other=3",
    ];
    assert_eq!(counters(&trace), expected);
    let track = trace.tracks.row(trace.slices.track_id.get(0).row());
    assert_eq!(track.kind.name(), "android_device_state");
    assert_eq!(text(&trace, track.name), "DeviceStateChanged");
}

#[test]
fn limits_of_a_frequency_begin_with_the_upper_one() {
    let trace = read(
        "a-1 (    1) [000] .... 1.000001: cpu_frequency_limits: min=500000 max=2800000 cpu_id=6\n",
    );
    let expected = [
        "cpu_max_frequency_limit Cpu 6 Max Freq Limit=2800000",
        "cpu_min_frequency_limit Cpu 6 Min Freq Limit=500000",
    ];
    assert_eq!(counters(&trace), expected);
}

/// A new thread waits for a CPU from the moment of its creation.
#[test]
fn a_new_thread_is_ready_and_knows_its_creator() {
    let trace = read(
        "\
a-1 (    1) [000] .... 1.000001: task_newtask: pid=7 comm=a clone_flags=3d0f00 oom_score_adj=0
a-1 (    1) [000] .... 1.000002: sched_wakeup_new: comm=a pid=7 prio=120 target_cpu=001
<idle>-0 (-----) [001] d... 1.000004: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120
a-1 (    1) [000] .... 1.000005: task_newtask: pid=0 comm=swapper/2 clone_flags=100 oom_score_adj=0
",
    );
    let states: Vec<_> = trace
        .thread_states
        .rows()
        .map(|row| (row.ts, row.dur, row.state, row.waker_utid.0))
        .collect();
    assert_eq!(states[0], (1_000_001_000, 3_000, TaskState::RUNNABLE, 1));
    assert_eq!(states.len(), 2);
}
