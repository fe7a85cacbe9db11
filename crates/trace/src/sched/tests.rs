use super::*;

/// A switch on CPU 0, where `idle` is the idle thread.
fn switch(idle: ThreadId, ts: i64, left: (ThreadId, TaskState), next: ThreadId) -> SchedSwitch {
    let (prev, prev_state) = left;
    SchedSwitch {
        ts,
        cpu: 0,
        prev,
        prev_priority: 120,
        prev_state,
        next,
        next_priority: 120,
        prev_is_idle: prev == idle,
        next_is_idle: next == idle,
    }
}

#[test]
fn who_wakes_a_thread_on_its_way_to_sleep_has_woken_it() {
    let mut builder = TraceBuilder::new();
    let [idle, task, waker, other] = [0, 1, 2, 3].map(|tid| builder.thread(tid));
    let mut sched = SchedTracker::default();
    let sleep = |ts| switch(idle, ts, (task, TaskState::SLEEPING), other);
    let back = |ts| switch(idle, ts, (other, TaskState::RUNNABLE), task);
    sched.switch(&mut builder, back(0));
    // It is about to sleep.
    sched.waking(&mut builder, 10, task, waker);
    sched.switch(&mut builder, sleep(11));
    sched.wake(&mut builder, 12, task, other);
    sched.switch(&mut builder, back(13));
    // It is woken before it leaves the CPU. Later it sleeps, and another thread wakes it.
    sched.waking(&mut builder, 20, task, waker);
    sched.wake(&mut builder, 20, task, waker);
    sched.switch(&mut builder, sleep(30));
    sched.wake(&mut builder, 31, task, other);
    let trace = builder.finish();
    let rows = trace.thread_states.rows();
    let woken: Vec<_> = rows
        .filter(|row| row.utid == task && row.waker_utid != ThreadId::NONE)
        .map(|row| (row.ts, row.waker_utid))
        .collect();
    assert_eq!(woken, [(12, waker), (31, other)]);
}

#[test]
fn the_drawing_of_the_tracker() {
    let mut builder = TraceBuilder::new();
    let (idle, task, waker) = (builder.thread(0), builder.thread(1), builder.thread(2));
    let mut sched = SchedTracker::default();
    let mut at = |ts, left, next| sched.switch(&mut builder, switch(idle, ts, left, next));
    assert!(at(10, (idle, TaskState::RUNNABLE), task));
    assert!(at(30, (task, TaskState::SLEEPING), idle));
    assert!(!at(35, (waker, TaskState::SLEEPING), idle));
    sched.wake(&mut builder, 40, task, waker);
    sched.wake(&mut builder, 41, task, idle);
    assert!(sched.blocked_reason(&mut builder, task, true, StringId(0)));
    let trace = builder.finish();
    let states: Vec<_> = trace
        .thread_states
        .rows()
        .filter(|row| row.utid == task)
        .collect();
    let seen: Vec<_> = states
        .iter()
        .map(|row| (row.ts, row.dur, row.state.to_string()))
        .collect();
    assert_eq!(
        seen,
        [
            (10, 20, "Running".to_owned()),
            (30, 10, "S".to_owned()),
            (40, -1, "R".to_owned())
        ]
    );
    assert_eq!((states[1].io_wait, states[2].waker_utid), (1, waker));
    let ran: Vec<_> = trace
        .sched_slices
        .rows()
        .map(|row| (row.ts, row.dur))
        .collect();
    assert_eq!(ran, [(10, 20), (30, 5), (35, -1)]);
}

#[test]
fn a_thread_whose_switch_away_is_missing_runs_no_longer_than_its_slice() {
    let mut builder = TraceBuilder::new();
    let (idle, lost, other) = (builder.thread(0), builder.thread(1), builder.thread(2));
    let mut sched = SchedTracker::default();
    let mut at = |ts, prev, next| {
        let left = (prev, TaskState::SLEEPING);
        sched.switch(&mut builder, switch(idle, ts, left, next))
    };
    assert!(at(10, idle, lost));
    assert!(!at(30, other, idle));
    sched.wake(&mut builder, 50, lost, other);
    let states: Vec<_> = builder
        .finish()
        .thread_states
        .rows()
        .filter(|row| row.utid == lost)
        .map(|row| (row.ts, row.dur, row.state))
        .collect();
    let running = (10, 20, TaskState::RUNNING);
    assert_eq!(states, [running, (50, -1, TaskState::RUNNABLE)]);
}

/// An unrecorded switch gives the same tables before and after the wake-ups that followed it.
#[test]
fn an_unrecorded_switch_may_come_late() {
    let tables = |late: bool| {
        let mut builder = TraceBuilder::new();
        let [idle, left, comes, other] = [0, 1, 2, 3].map(|tid| builder.thread(tid));
        let mut sched = SchedTracker::default();
        sched.switch(
            &mut builder,
            switch(idle, 0, (idle, TaskState::RUNNABLE), left),
        );
        sched.waking(&mut builder, 10, comes, other);
        sched.waking(&mut builder, 20, left, other);
        let unrecorded = |sched: &mut SchedTracker, builder: &mut TraceBuilder| {
            sched.unrecorded_switch(builder, 0, (comes, 120), 20, false);
        };
        if !late {
            unrecorded(&mut sched, &mut builder);
        }
        sched.waking(&mut builder, 30, left, comes);
        sched.waking(&mut builder, 30, other, comes);
        sched.wake(&mut builder, 31, left, other);
        if late {
            unrecorded(&mut sched, &mut builder);
        }
        sched.switch(
            &mut builder,
            switch(idle, 40, (comes, TaskState::SLEEPING), left),
        );
        let trace = builder.finish();
        let states: Vec<_> = trace.thread_states.rows().collect();
        let ran: Vec<_> = trace.sched_slices.rows().collect();
        (format!("{states:#?}"), format!("{ran:#?}"))
    };
    assert_eq!(tables(true), tables(false));
}
