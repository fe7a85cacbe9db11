//! The modules about the system's handling of apps: jobs, broadcasts, stops, pictures, threads and files. The expected
//! answers were worked out by hand.

mod systrace;

use systrace::answer;

const SYSTEM: &str = "system_server-500 (500)";
const APP: &str = "com.app-900 (900)";

#[test]
fn memory_and_number_of_pictures() {
    let lines = [
        (APP, 1_000, "C|900|Bitmap Memory|4096"),
        (APP, 1_100, "C|900|Bitmap Count|1"),
        (APP, 3_000, "C|900|Bitmap Memory|8192"),
        (APP, 3_100, "C|900|Bitmap Count|2"),
        (APP, 5_000, "I|900|end"),
    ];
    let module = "android.bitmaps";
    let sql = "SELECT ts, dur, value FROM android_bitmap_memory";
    assert_eq!(
        answer(&lines, module, sql),
        ["1000000 2000000 4096", "3000000 2000000 8192"]
    );
    let sql = "SELECT ts, dur, value FROM android_bitmap_count";
    assert_eq!(
        answer(&lines, module, sql),
        ["1100000 2000000 1", "3100000 1900000 2"]
    );
    let sql = "SELECT process_name, ts, dur, bitmap_memory, bitmap_count FROM android_bitmap_counters_per_process ORDER BY ts";
    let expected = [
        "com.app 1100000 1900000 4096 1",
        "com.app 3000000 100000 8192 1",
        "com.app 3100000 1900000 8192 2",
    ];
    assert_eq!(answer(&lines, module, sql), expected);
}

#[test]
fn jobs_of_apps() {
    let lines = [
        (
            SYSTEM,
            1_000,
            "G|500|JobScheduler|*job*<10077>com.app/.SyncService#12|3",
        ),
        (SYSTEM, 5_000, "H|500|JobScheduler|3"),
        (
            SYSTEM,
            6_000,
            "G|500|JobScheduler|*job*<10078>com.b/.Other#1|4",
        ),
        (SYSTEM, 9_000, "I|500|end"),
    ];
    let sql = "SELECT job_id, uid, package_name, job_service_name, ts, dur FROM android_job_scheduler_events";
    let expected = [
        "12 10077 com.app .SyncService 1000000 4000000",
        "1 10078 com.b .Other 6000000 3000000",
    ];
    assert_eq!(answer(&lines, "android.job_scheduler", sql), expected);
}

#[test]
fn stopped_processes() {
    let lines = [
        (APP, 500, "I|900|begin"),
        (SYSTEM, 1_000, "N|500|Freezer|Freeze com.app:900 12"),
        (SYSTEM, 4_000, "N|500|Freezer|Unfreeze com.app:900 3"),
        (SYSTEM, 6_000, "N|500|Freezer|Freeze com.app:900 12"),
        (SYSTEM, 9_000, "I|500|end"),
    ];
    let module = "android.freezer";
    let sql =
        "SELECT pid, ts, dur, unfreeze_reason_int, unfreeze_reason_str FROM android_freezer_events";
    let expected = [
        "900 1000000 3000000 3 start_receiver",
        "900 6000000 3000000 - -",
    ];
    assert_eq!(answer(&lines, module, sql), expected);
    let sql = "SELECT _translate_unfreeze_reason(0), _translate_unfreeze_reason(14), _translate_unfreeze_reason(29),
      _translate_unfreeze_reason(30)";
    assert_eq!(answer(&lines, module, sql), ["none - component_disabled -"]);
}

#[test]
fn names_of_threads() {
    let names = [
        ("RenderThread-1[123]", "RenderThread"),
        ("binder:5543_E", "binder"),
        ("pool-3-thread-5", "pool"),
        ("kworker/u16:3-events", "kworker"),
        ("Thread7 of app", "Thread<num>"),
    ];
    for (name, standard) in names {
        let sql = format!("SELECT android_standardize_thread_name('{name}')");
        assert_eq!(
            answer(&[(APP, 0, "I|900|x")], "android.thread", &sql),
            [standard]
        );
    }
}

/// A pool creates three threads within a second, and one later. One of them lives long.
#[test]
fn processes_that_make_many_threads() {
    let new = |tid: u32| {
        format!("task_newtask: pid={tid} comm=pool-{tid} clone_flags=10000 oom_score_adj=0")
    };
    let made = [901, 902, 903, 904].map(new);
    let ended = |tid: u32| format!("sched_process_exit: comm=pool-{tid} pid={tid} prio=120");
    let gone = [901, 902, 903].map(ended);
    let (first, third) = ("pool-901-901 (900)", "pool-903-903 (900)");
    let lines = [
        (APP, 1_000_000, made[0].as_str()),
        (APP, 1_400_000, made[1].as_str()),
        (APP, 1_900_000, made[2].as_str()),
        (first, 2_000_000, gone[0].as_str()),
        ("pool-902-902 (900)", 2_100_000, gone[1].as_str()),
        (APP, 3_000_000, made[3].as_str()),
        (third, 9_000_000, gone[2].as_str()),
    ];
    let module = "android.thread";
    let sql = "SELECT process_name, thread_name_prefix, max_count_per_sec FROM _android_thread_creation_spam_per_thread(NULL, 1e9)";
    assert_eq!(answer(&lines, module, sql), ["com.app pool 3"]);
    let sql = "SELECT process_name, max_count_per_sec FROM _android_thread_creation_spam_per_process(2e9, 1e9)";
    assert_eq!(answer(&lines, module, sql), ["com.app 2"]);
}

#[test]
fn files_that_are_written() {
    let written = "f2fs_write_end: dev=65 ino=12 pos=0 len=100 copied=90";
    let other = "f2fs_write_end: dev=65 ino=13 pos=0 len=10 copied=10";
    let lines = [
        (APP, 1_000, written),
        (APP, 2_000, written),
        ("worker-901 (900)", 3_000, other),
    ];
    let module = "android.io";
    let sql = "SELECT tid, thread_name, pid, process_name, ino, dev, bytes, write_count FROM _android_io_f2fs_write_stats";
    let expected = [
        "900 com.app 900 com.app 12 65 180 2",
        "901 worker 900 com.app 13 65 10 1",
    ];
    assert_eq!(answer(&lines, module, sql), expected);
    let sql = "SELECT * FROM _android_io_f2fs_aggregate_write_stats";
    assert_eq!(answer(&lines, module, sql), ["3 1 190 1 2 2"]);
    let counters = [
        (APP, 1_000, "C|900|f2fs_iostat.[8:0].app_buffered|10"),
        (APP, 3_000, "C|900|f2fs_iostat.[8:0].app_buffered|30"),
    ];
    let sql = "SELECT * FROM _android_io_f2fs_counter_stats";
    assert_eq!(
        answer(&counters, module, sql),
        ["app_buffered 40 30 10 2000000 2 20"]
    );
}

/// The system starts two processes: one for a service, and one that provides data.
#[test]
fn why_processes_began() {
    let other = "com.data-950 (950)";
    let lines = [
        (SYSTEM, 1_000, "B|500|Start proc: com.app"),
        (SYSTEM, 2_000, "E|500"),
        (SYSTEM, 2_500, "B|500|Start proc: com.data"),
        (SYSTEM, 2_600, "E|500"),
        (APP, 5_000, "B|900|bindApplication"),
        (APP, 8_000, "E|900"),
        (
            APP,
            9_000,
            "B|900|serviceCreate: token=1 intent=com.app/.Sync now",
        ),
        (APP, 11_000, "E|900"),
        (APP, 12_000, "B|900|broadcastReceiveComp: com.app/.Later"),
        (APP, 13_000, "E|900"),
        (other, 6_000, "B|950|bindApplication"),
        (other, 7_000, "E|950"),
    ];
    let mut lines = lines.to_vec();
    lines.sort_by_key(|line| line.1);
    let sql = "SELECT process_name, pid, intent, reason, proc_start_ts, proc_start_dur, bind_app_ts, bind_app_dur, intent_ts,
      intent_dur, total_dur FROM android_app_process_starts";
    let expected = [
        "com.app 900 com.app/.Sync service 1000000 1000000 5000000 3000000 9000000 2000000 10000000",
        "com.data 950 - provider 2500000 100000 6000000 1000000 - - 4500000",
    ];
    assert_eq!(answer(&lines, "android.app_process_starts", sql), expected);
}

/// The app asks the system, which serves the call from 2 to 7 ms and sends the request to the service at 4 ms.
#[test]
fn services_that_apps_bind_to() {
    let (binder, service) = ("binder:500_1-510 (500)", "com.srv-700 (700)");
    let lines = [
        (
            APP,
            1_000,
            "binder_transaction: transaction=70 dest_node=5 dest_proc=500 dest_thread=0 reply=0 flags=0x10 code=0x3",
        ),
        (binder, 2_000, "binder_transaction_received: transaction=70"),
        (binder, 3_900, "B|500|requestServiceBinding: bindSeq=9 x"),
        (binder, 3_900, "E|500"),
        (
            binder,
            4_000,
            "binder_transaction: transaction=71 dest_node=6 dest_proc=700 dest_thread=0 reply=0 flags=0x11 code=0x1",
        ),
        (
            service,
            5_000,
            "binder_transaction_received: transaction=71",
        ),
        (
            binder,
            7_000,
            "binder_transaction: transaction=72 dest_node=0 dest_proc=900 dest_thread=900 reply=1 flags=0x0 code=0x0",
        ),
        (APP, 8_000, "binder_transaction_received: transaction=72"),
        (
            service,
            9_000,
            "B|700|serviceBind: token=ServiceRecord{5f3 u0 act=com.srv.DO cmp=com.srv/.Svc flg=0x1 bindSeq=9}",
        ),
        (service, 9_500, "E|700"),
    ];
    let sql = "SELECT client_process, client_ts, client_dur, server_process, server_tid, server_ts, server_dur, token, act, cmp, flg,
      bind_seq FROM android_service_bindings";
    let expected =
        ["com.app 1000000 7000000 com.srv 700 9000000 500000 5f3 com.srv.DO com.srv/.Svc 0x1 9"];
    assert_eq!(answer(&lines, "android.services", sql), expected);
}
