//! The modules about the runtime of apps: names of slices, locks, garbage collection, and apps that do not respond. The
//! expected answers were worked out by hand.

mod systrace;

use systrace::{Line, answer};

const MAIN: &str = "com.app-900 (900)";
const WORKER: &str = "worker-901 (900)";
const THIRD: &str = "third-902 (900)";

#[test]
fn names_of_slices_without_what_differs() {
    let names = [
        (
            "monitor contention with owner x (7)",
            "monitor contention with <...>",
        ),
        ("drawLayer [Shadow] 5.0 x 5.0", "drawLayer [Shadow]"),
        ("Transaction (job, 11910)", "Transaction (job, <...>)"),
        // The second comma is also in Perfetto's result.
        (
            "Transaction (Thread-12, 11910)",
            "Transaction (Thread-<...>,, 11910)",
        ),
        (
            "Lock contention on a lock (owner tid: 7)",
            "Lock contention on a lock <...>",
        ),
        (
            "android.os.Handler: com.app.Main$1",
            "Handler: com.app.Main",
        ),
        ("com.app.Pool$Worker: #1", "Handler: com.app.Pool"),
        (
            "1a2 SurfaceView[com.app/Main](BLAST)#4",
            "SurfaceView[com.app/Main](BLAST)",
        ),
        (
            "Wakelock(epolld280:system_serve",
            "Wakelock(epolld<...>:system_serve",
        ),
        (
            "VSYNC predicted: app alarm in 3ms; VSYNC in 9ms",
            "VSYNC predicted: app alarm in 3ms; VSYNC in 9ms",
        ),
        (
            "app alarm in 3ms; VSYNC in 9ms",
            "app alarm in <...>; vsync in <...>",
        ),
        ("Choreographer#onVsync 1234", "Choreographer#onVsync<...>"),
        ("StatsPull-10021", "StatsPull-10021"),
        ("queue 1234 at 0xfe", "queue <num> at 0x<num>"),
    ];
    for (name, standard) in names {
        let sql = format!("SELECT android_standardize_slice_name('{name}')");
        assert_eq!(
            answer(&[(MAIN, 0, "I|900|x")], "android.slices", &sql),
            [standard]
        );
    }
}

const WAITS_FOR_WORKER: &str = "B|900|monitor contention with owner worker (901) at void com.app.Store.load(int, long)(Store.java:12) \
    waiters=0 blocking from int com.app.Main.get()(Main.java:7)";
const WAITS_FOR_THIRD: &str = "B|900|monitor contention with owner third (902) at void com.app.Disk.read()(Disk.java:3) \
    waiters=0 blocking from void com.app.Store.load(int, long)(Store.java:14)";

const TO_WORKER: &str = "sched_switch: prev_comm=x prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=worker next_pid=901 next_prio=120";
const FROM_WORKER: &str = "sched_switch: prev_comm=worker prev_pid=901 prev_prio=120 prev_state=S ==> next_comm=x next_pid=1 next_prio=120";

/// The main thread waits from 1 to 9 ms for the worker, which waits from 3 to 6 ms for a third thread.
const LOCKS: &[Line<'_>] = &[
    (WORKER, 500, TO_WORKER),
    (MAIN, 900, "B|900|queue_lock_acquire"),
    (MAIN, 950, "E|900"),
    (MAIN, 1_000, WAITS_FOR_WORKER),
    (
        MAIN,
        1_100,
        "B|900|Lock contention on a monitor lock (owner tid: 901)",
    ),
    (WORKER, 3_000, WAITS_FOR_THIRD),
    (WORKER, 3_500, FROM_WORKER),
    (WORKER, 6_000, "E|900"),
    (MAIN, 8_900, "E|900"),
    (MAIN, 9_000, "E|900"),
    ("x-1 (1)", 9_050, TO_WORKER),
    (MAIN, 9_100, "B|900|queue_lock_held"),
    (MAIN, 9_200, "E|900"),
    (THIRD, 9_300, "I|900|end"),
];

#[test]
fn who_waits_for_a_lock_and_who_holds_it() {
    let module = "android.monitor_contention";
    let sql = "SELECT blocking_method, short_blocking_method, blocking_src, blocked_method, short_blocked_method, blocked_src
      FROM android_monitor_contention WHERE blocked_thread_tid = 900";
    let expected = "void com.app.Store.load(int, long) com.app.Store.load Store.java:12 \
        int com.app.Main.get() com.app.Main.get Main.java:7";
    assert_eq!(answer(LOCKS, module, sql), [expected]);
    let sql = "SELECT ts, dur, waiter_count, blocking_thread_name, blocking_tid, blocking_thread_tid, is_blocked_thread_main,
      is_blocking_thread_main, pid, process_name, lock_name FROM android_monitor_contention ORDER BY ts";
    let expected = [
        "1000000 8000000 0 worker 901 901 1 0 900 com.app queue",
        "3000000 3000000 0 third 902 902 0 0 900 com.app -",
    ];
    assert_eq!(answer(LOCKS, module, sql), expected);
}

#[test]
fn what_holds_up_a_wait_for_a_lock() {
    let module = "android.monitor_contention";
    let sql = "SELECT chain.ts, cause.ts, held_up.ts FROM android_monitor_contention_chain AS chain
      LEFT JOIN slice AS cause ON cause.id = chain.parent_id LEFT JOIN slice AS held_up ON held_up.id = chain.child_id
      ORDER BY chain.ts";
    // The main thread began to wait before the worker did, so its wait does not begin inside the worker's.
    assert_eq!(answer(LOCKS, module, sql), ["1000000 - -", "3000000 - -"]);
    let sql = "SELECT slice.ts, state.ts, state.dur, state FROM android_monitor_contention_chain_thread_state AS state
      JOIN slice USING (id) ORDER BY 1, 2";
    // The worker runs until 3.5 ms and sleeps until the wait ends at 9 ms.
    assert_eq!(
        answer(LOCKS, module, sql),
        [
            "1000000 1000000 2500000 Running",
            "1000000 3500000 5500000 S"
        ]
    );
    let sql = "SELECT thread_state, thread_state_dur, thread_state_count FROM android_monitor_contention_chain_thread_state_by_txn";
    assert_eq!(
        answer(LOCKS, module, sql),
        ["Running 2500000 1", "S 5500000 1"]
    );
    let sql = "SELECT pprof FROM process JOIN android_monitor_contention_graph(upid) WHERE pid = 900 AND length(pprof) > 0";
    assert_eq!(answer(LOCKS, module, sql).len(), 1);
}

/// The worker waits while the main thread begins to wait for the worker.
#[test]
fn a_wait_within_a_wait() {
    let lines = [
        (WORKER, 1_000, WAITS_FOR_THIRD),
        (MAIN, 2_000, WAITS_FOR_WORKER),
        (WORKER, 6_000, "E|900"),
        (MAIN, 7_000, "E|900"),
        (THIRD, 7_000, "I|900|end"),
    ];
    let sql = "SELECT chain.ts, cause.ts, held_up.ts FROM android_monitor_contention_chain AS chain
      LEFT JOIN slice AS cause ON cause.id = chain.parent_id LEFT JOIN slice AS held_up ON held_up.id = chain.child_id
      ORDER BY chain.ts";
    let expected = ["1000000 - 2000000", "2000000 1000000 -"];
    assert_eq!(answer(&lines, "android.monitor_contention", sql), expected);
}

/// The heap has 10 MB, then 14 MB from 2 s on, and 6 MB from 5 s on. A collection runs from 3 s to 4 s and compacts
/// until 4.5 s. Its thread sleeps from 3.25 s to 3.75 s.
const COLLECTION: &[Line<'_>] = &[
    (MAIN, 1_000_000, "C|900|Heap size (KB)|10000"),
    (MAIN, 2_000_000, "C|900|Heap size (KB)|14000"),
    ("x-1 (1)", 3_000_000, TO_WORKER),
    (
        WORKER,
        3_000_000,
        "B|900|Explicit concurrent mark compact GC",
    ),
    (WORKER, 3_250_000, FROM_WORKER),
    ("x-1 (1)", 3_750_000, TO_WORKER),
    (WORKER, 4_000_000, "E|900"),
    (WORKER, 4_000_000, "B|900|CompactionPhase"),
    (WORKER, 4_500_000, "E|900"),
    (WORKER, 4_750_000, FROM_WORKER),
    (MAIN, 5_000_000, "C|900|Heap size (KB)|6000"),
];

#[test]
fn garbage_collection() {
    let module = "android.garbage_collection";
    let sql = "SELECT tid, pid, gc_type, is_mark_compact, reclaimed_mb, min_heap_mb, max_heap_mb, gc_ts, gc_dur, gc_running_dur,
      gc_runnable_dur, gc_int_dur FROM android_garbage_collection_events";
    let expected = ["901 900 explicit 1 8 6 14 3000000000 1500000000 1000000000 0 500000000"];
    assert_eq!(answer(COLLECTION, module, sql), expected);
    let sql = "SELECT ts, dur, heap_allocated_mb, heap_size_mbs, heap_size_mb, gc_running_dur, gc_running_rate
      FROM _android_garbage_collection_process_stats";
    // Each value counts for the time before it: 14 MB for 1 s and 6 MB for 3 s are 32 MB s.
    let expected = ["1000000000 4000000000 4 32 8 1000000000 0.25"];
    assert_eq!(answer(COLLECTION, module, sql), expected);
    let sql = "SELECT heap_allocated_mb, heap_utilization FROM _android_garbage_collection_stats";
    assert_eq!(
        answer(COLLECTION, module, sql),
        [format!("4 {}", 6.0 / 14.0)]
    );
}

/// The start of an app that never ended has the duration -1: it does not count.
#[test]
fn statistics_without_a_collection_are_one_row() {
    let sql = "SELECT count(*), sum(gc_running_dur) FROM _android_garbage_collection_stats";
    assert_eq!(
        answer(&[(MAIN, 0, "I|900|x")], "android.garbage_collection", sql),
        ["1 -"]
    );
}

#[test]
fn apps_that_do_not_respond() {
    let system = "system_server-500 (500)";
    let lines = [
        (
            system,
            1_000_000,
            "B|500|expired(7,900,10001,BROADCAST_TIMEOUT,12000)",
        ),
        (system, 1_000_001, "E|500"),
        (system, 1_500_000, "C|500|ErrorId:com.app 900#id-1|1"),
        (
            system,
            1_500_001,
            "C|500|Subject(for ErrorId id-1):Broadcast of Intent { act=com.app.SYNC flg=0x10000010 cmp=com.app/.Rec }|1",
        ),
        (system, 2_000_000, "C|500|ErrorId:com.b 901#id-2|1"),
        (
            system,
            2_000_001,
            "C|500|Subject(for ErrorId id-2):Broadcast of Intent { act=com.b.SYNC flg=0x10 }|1",
        ),
        (system, 3_000_000, "C|500|ErrorId:com.c 902#id-3|1"),
        (
            system,
            3_000_001,
            "C|500|Subject(for ErrorId id-3):Input dispatching timed out (5f3 com.c/com.c.Main (server) is not responding)|1",
        ),
        (system, 4_000_000, "C|500|ErrorId:system_server 500#id-4|1"),
        (
            system,
            4_000_001,
            "C|500|Subject(for ErrorId id-4):Blocked in handler on main thread (main) for 7s|1",
        ),
        (system, 5_000_000, "C|500|ErrorId:com.d#id-5|1"),
        // Only the system reports this.
        (MAIN, 6_000_000, "C|900|ErrorId:com.e 903#id-6|1"),
    ];
    let sql = "SELECT process_name, pid, error_id, anr_type, intent, component, timer_delay, anr_dur_ms, default_anr_dur_ms
      FROM android_anrs";
    let expected = [
        "com.app 900 id-1 BROADCAST_OF_INTENT com.app.SYNC com.app/.Rec 500000000 12000 10000",
        "com.b 901 id-2 BROADCAST_OF_INTENT com.b.SYNC - - - 60000",
        "com.c 902 id-3 INPUT_DISPATCHING_TIMEOUT - com.c/com.c.Main - - 5000",
        "system_server 500 id-4 SYSTEM_SERVER_WATCHDOG_TIMEOUT - - - 7000 -",
        "com.d - id-5 - - - - - -",
    ];
    assert_eq!(answer(&lines, "android.anrs", sql), expected);
}

/// Drawing takes 10 ms, of which 4 ms are only waiting for a buffer. Input handlers do not count.
#[test]
fn calls_that_make_frames_late() {
    let lines = [
        (MAIN, 1_000, "B|900|inflate"),
        (MAIN, 3_000, "E|900"),
        (MAIN, 4_000, "B|900|android.os.Handler: com.app.Main$1"),
        (MAIN, 5_000, "E|900"),
        (
            MAIN,
            6_000,
            "B|900|android.os.Handler: com.app.InputStage$1",
        ),
        (MAIN, 7_000, "E|900"),
        (MAIN, 8_000, "B|900|other"),
        (MAIN, 9_000, "E|900"),
        (WORKER, 10_000, "B|900|DrawFrames 12"),
        (WORKER, 11_000, "B|900|waitForBufferRelease"),
        (WORKER, 15_000, "E|900"),
        (WORKER, 16_000, "B|900|drawLayer [Shadow] 5.0 x 5.0"),
        (WORKER, 17_000, "E|900"),
        (WORKER, 20_000, "E|900"),
    ];
    let sql = "SELECT call.name, ts, dur, ts_end, tid, process_name FROM _android_critical_blocking_calls AS call JOIN thread USING (utid)
      ORDER BY ts, call.name";
    let expected = [
        "inflate 1000000 2000000 3000000 900 com.app",
        "Handler: com.app.Main 4000000 1000000 5000000 900 com.app",
        "DrawFrames 10000000 6000000 16000000 901 com.app",
        "drawLayer 16000000 1000000 17000000 901 com.app",
        "drawLayer [Shadow] 16000000 1000000 17000000 901 com.app",
    ];
    assert_eq!(
        answer(&lines, "android.critical_blocking_calls", sql),
        expected
    );
}
