//! Binder calls between processes. The expected answers were worked out by hand.

mod systrace;

use systrace::{Line, answer};

const APP: &str = "com.app-900 (900)";
const SERVER: &str = "binder:500_1-510 (500)";

/// The app calls from 1 to 9 ms. The server serves from 2 to 7 ms: it notes the method from 2.5 to 6 ms and waits for a
/// lock from 3 to 4 ms, asleep. A second call has no answer; the server handles it from 21 ms on.
const CALLS: &[Line<'_>] = &[
    ("system_server-500 (500)", 100, "I|500|ready"),
    (APP, 200, "C|900|oom_score_adj|0"),
    (
        APP,
        900,
        "sched_switch: prev_comm=x prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=com.app next_pid=900 next_prio=120",
    ),
    (
        APP,
        1_000,
        "binder_transaction: transaction=70 dest_node=5 dest_proc=500 dest_thread=0 reply=0 flags=0x10 code=0x3",
    ),
    (
        APP,
        1_500,
        "sched_switch: prev_comm=com.app prev_pid=900 prev_prio=120 prev_state=S ==> next_comm=binder:500_1 next_pid=510 next_prio=120",
    ),
    (SERVER, 2_000, "binder_transaction_received: transaction=70"),
    (SERVER, 2_500, "B|500|AIDL::java::IStore::load::server"),
    (
        SERVER,
        3_000,
        "B|500|Lock contention on a monitor lock (owner tid: 7)",
    ),
    (
        SERVER,
        3_000,
        "sched_switch: prev_comm=binder:500_1 prev_pid=510 prev_prio=120 prev_state=S ==> next_comm=x next_pid=1 next_prio=120",
    ),
    (
        "x-1 (1)",
        4_000,
        "sched_switch: prev_comm=x prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=binder:500_1 next_pid=510 next_prio=120",
    ),
    (SERVER, 4_000, "E|500"),
    (SERVER, 6_000, "E|500"),
    (
        SERVER,
        7_000,
        "binder_transaction: transaction=71 dest_node=0 dest_proc=900 dest_thread=900 reply=1 flags=0x0 code=0x0",
    ),
    (
        SERVER,
        8_000,
        "sched_switch: prev_comm=binder:500_1 prev_pid=510 prev_prio=120 prev_state=S ==> next_comm=com.app next_pid=900 next_prio=120",
    ),
    (APP, 9_000, "binder_transaction_received: transaction=71"),
    (
        APP,
        20_000,
        "binder_transaction: transaction=72 dest_node=5 dest_proc=500 dest_thread=0 reply=0 flags=0x11 code=0x4",
    ),
    (
        APP,
        20_500,
        "sched_switch: prev_comm=com.app prev_pid=900 prev_prio=120 prev_state=S ==> next_comm=binder:500_1 next_pid=510 next_prio=120",
    ),
    (
        SERVER,
        21_000,
        "binder_transaction_received: transaction=72",
    ),
    (SERVER, 21_500, "B|500|AIDL::java::IStore::note::server"),
    (SERVER, 22_500, "E|500"),
];

#[test]
fn calls_between_processes() {
    let module = "android.binder";
    let sql = "SELECT interface, method_name, aidl_ts, aidl_dur, client_process, client_tid, client_ts, client_dur, server_process,
      server_thread, server_tid, server_ts, server_dur, client_oom_score, is_sync, is_main_thread
      FROM android_binder_txns ORDER BY client_ts";
    let expected = [
        "IStore load 2500000 3500000 com.app 900 1000000 8000000 system_server binder:500_1 510 2000000 5000000 0 1 1",
        "IStore note 21500000 1000000 com.app 900 20000000 0 system_server binder:500_1 510 21000000 0 0 0 1",
    ];
    assert_eq!(answer(CALLS, module, sql), expected);
    let sql = "SELECT process_name, slice_name, event_count FROM android_binder_metrics_by_process ORDER BY 1, 2";
    let expected = [
        "com.app binder transaction 1",
        "com.app binder transaction async 1",
        "system_server binder async rcv 1",
        "system_server binder reply 1",
    ];
    assert_eq!(answer(CALLS, module, sql), expected);
    let sql = "SELECT thread_state_type, thread_state, thread_state_dur, thread_state_count
      FROM android_sync_binder_thread_state_by_txn";
    let expected = [
        "binder_txn Running 1500000 2",
        "binder_txn S 6500000 1",
        "binder_reply Running 4000000 2",
        "binder_reply S 1000000 1",
    ];
    assert_eq!(answer(CALLS, module, sql), expected);
    let sql = "SELECT length(o.pprof) > 0, length(i.pprof) > 0, length(g.pprof) > 0 FROM android_binder_outgoing_graph(NULL) AS o,
      android_binder_incoming_graph(NULL) AS i, android_binder_graph(-1000, 1000, -1000, 1000) AS g";
    assert_eq!(answer(CALLS, module, sql).len(), 1);
}

#[test]
fn what_calls_spend_their_time_with() {
    let sql = "SELECT ts, dur, reason, reason_type FROM android_binder_client_server_breakdown ORDER BY ts";
    let expected = [
        "1000000 500000 Running client",
        "1500000 500000 S client",
        "2000000 500000 Running server",
        "2500000 500000 Running server",
        "3000000 1000000 monitor_contention server",
        "4000000 2000000 Running server",
        "6000000 1000000 Running server",
        "7000000 1000000 S client",
        "8000000 1000000 Running client",
    ];
    assert_eq!(answer(CALLS, "android.binder_breakdown", sql), expected);
}
