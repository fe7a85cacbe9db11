//! The modules about memory, scores, the screen and the battery. The expected answers were worked out by hand.

mod systrace;

use systrace::{Line, answer};

const SYSTEM: &str = "system_server-500 (500)";
const APP: &str = "com.app-900 (900)";

/// The app's anonymous memory is 1000 bytes at 1 ms, 3000 at 3 ms and 2000 at 5 ms. Its file memory is 500 bytes from 2
/// ms on. Its score is 0 from 2 ms on and 900 from 4 ms on; the system computes it from 3 ms to 3.5 ms.
const MEMORY: &[Line<'_>] = &[
    (APP, 1_000, "C|900|mem.rss.anon|1000"),
    (APP, 2_000, "C|900|mem.rss.file|500"),
    (APP, 2_000, "C|900|oom_score_adj|0"),
    (APP, 3_000, "C|900|mem.rss.anon|3000"),
    (SYSTEM, 3_000, "B|500|activityStopped"),
    (SYSTEM, 3_100, "B|500|updateOomAdj_finishReceiver"),
    (SYSTEM, 3_500, "E|500"),
    (SYSTEM, 3_600, "E|500"),
    (APP, 4_000, "C|900|oom_score_adj|900"),
    (APP, 5_000, "C|900|mem.rss.anon|2000"),
    (APP, 7_000, "I|900|end"),
];

#[test]
fn memory_of_processes() {
    let sql = "SELECT ts, dur, pid, process_name, anon_rss, file_rss, shmem_rss, rss, anon_rss_and_swap, rss_and_swap
      FROM memory_rss_and_swap_per_process ORDER BY ts";
    let expected = [
        "1000000 1000000 900 com.app 1000 - - - 1000 -",
        "2000000 1000000 900 com.app 1000 500 - 1500 1000 1500",
        "3000000 2000000 900 com.app 3000 500 - 3500 3000 3500",
        // The last values hold until one nanosecond after the end.
        "5000000 2000001 900 com.app 2000 500 - 2500 2000 2500",
    ];
    assert_eq!(answer(MEMORY, "linux.memory.process", sql), expected);
    let sql =
        "SELECT ts, dur, rss_high_watermark FROM memory_rss_high_watermark_per_process ORDER BY ts";
    let expected = [
        "1000000 1000000 1000",
        "2000000 1000000 1500",
        "3000000 2000000 3500",
        "5000000 2000000 3500",
    ];
    assert_eq!(answer(MEMORY, "linux.memory.high_watermark", sql), expected);
}

#[test]
fn scores_of_processes() {
    let module = "android.oom_adjuster";
    let sql = "SELECT ts, dur, score, bucket, process_name, oom_adj_ts, oom_adj_dur, oom_adj_thread_name, oom_adj_reason,
      oom_adj_trigger FROM android_oom_adj_intervals ORDER BY ts";
    let expected = [
        "2000000 2000000 0 foreground com.app - - - - -",
        "4000000 3000000 900 cached com.app 3100000 400000 system_server finishReceiver activityStopped",
    ];
    assert_eq!(answer(MEMORY, module, sql), expected);
    let sql = "SELECT android_oom_adj_score_to_bucket_name(column1), android_oom_adj_score_to_detailed_bucket_name(column1, 10001)
      FROM (VALUES (-900), (0), (50), (100), (200), (201), (250), (600), (999), (-5))";
    let expected = [
        "system system",
        "foreground foreground_app",
        "foreground perceptible_foreground_app",
        "bfgs visible_app",
        "foreground_service perceptible_app",
        "job perceptible_app",
        "background perceptible_low_app",
        "background home_app",
        "cached cached_app_lmk_first",
        "system unknown_app",
    ];
    assert_eq!(answer(MEMORY, module, sql), expected);
}

#[test]
fn memory_and_scores() {
    let sql = "SELECT ts, dur, score, bucket, rss FROM memory_oom_score_with_rss_and_swap_per_process ORDER BY ts";
    let expected = [
        "1000000 1000000 - - -",
        "2000000 1000000 0 foreground 1500",
        "3000000 1000000 0 foreground 3500",
        "4000000 1000000 900 cached 3500",
        "5000000 2000000 900 cached 2500",
        "7000000 1 - - 2500",
    ];
    assert_eq!(answer(MEMORY, "android.memory.process", sql), expected);
    let sql = "SELECT ts, dur, bucket, value FROM android_process_memory_intervals_by_oom_bucket
      WHERE memory_track_name = 'mem.rss.anon' ORDER BY ts";
    let expected = [
        "1000000 1000000 unknown 1000",
        "2000000 1000000 foreground 1000",
        "3000000 1000000 foreground 3000",
        "4000000 1000000 cached 3000",
        "5000000 2000000 cached 2000",
    ];
    assert_eq!(
        answer(MEMORY, "android.memory.memory_breakdown", sql),
        expected
    );
}

#[test]
fn memory_that_a_process_shares_with_the_zygote() {
    let zygote = "zygote64-700 (700)";
    let lines = [
        (zygote, 1_000, "C|700|mem.rss.anon|600"),
        (zygote, 2_000, "C|700|mem.rss.anon|800"),
        (
            zygote,
            2_500,
            "task_newtask: pid=900 comm=zygote64 clone_flags=0 oom_score_adj=0",
        ),
        (
            APP,
            2_600,
            "task_rename: pid=900 oldcomm=zygote64 newcomm=com.app oom_score_adj=0",
        ),
        (APP, 3_000, "C|900|mem.rss.anon|1000"),
        (APP, 4_000, "C|900|mem.rss.anon|200000000"),
        (APP, 4_000, "C|900|Heap size (KB)|2"),
        (APP, 5_000, "I|900|end"),
    ];
    let sql = "SELECT process_name, memory_track_name, ts, dur, value, zygote_adjusted_value, track_has_spike_gt_100mib
      FROM android_process_memory_intervals ORDER BY process_name, memory_track_name, ts";
    // The zygote's average is 700 bytes.
    let expected = [
        "com.app mem.heap 4000000 1000000 2048 2048 0",
        "com.app mem.rss.anon 3000000 1000000 1000 300 1",
        "com.app mem.rss.anon 4000000 1000000 200000000 199999300 1",
        "zygote64 mem.rss.anon 1000000 1000000 600 600 0",
        "zygote64 mem.rss.anon 2000000 3000000 800 800 0",
    ];
    assert_eq!(
        answer(&lines, "android.memory.memory_breakdown", sql),
        expected
    );
}

#[test]
fn shared_buffers_of_processes() {
    let lines = [
        (APP, 1_000, "C|900|mem.dmabuf_rss|4096"),
        (APP, 3_000, "C|900|mem.dmabuf_rss|0"),
        (APP, 5_000, "I|900|end"),
    ];
    let sql = "SELECT ts, dur, dmabuf_rss FROM _dmabuf_spans";
    let expected = ["1000000 2000000 4096", "3000000 2000000 0"];
    assert_eq!(answer(&lines, "android.memory.dmabuf_spans", sql), expected);
}

#[test]
fn the_screen_the_charger_and_doze() {
    let lines = [
        (SYSTEM, 1_000, "I|500|begin"),
        (SYSTEM, 2_000, "C|500|ScreenState|2"),
        (SYSTEM, 2_000, "C|500|BatteryStatus|3"),
        (SYSTEM, 2_000, "C|500|DozeLightState|0"),
        (SYSTEM, 4_000, "C|500|ScreenState|4"),
        (SYSTEM, 5_000, "C|500|BatteryStatus|9"),
        (SYSTEM, 6_000, "C|500|DozeLightState|4"),
        (SYSTEM, 6_000, "C|500|DozeDeepState|3"),
        (SYSTEM, 7_000, "I|500|end"),
    ];
    let sql = "SELECT ts, dur, simple_screen_state, short_screen_state, screen_state FROM android_screen_state";
    let expected = [
        "1000000 1000000 unknown unknown Unknown",
        "2000000 2000000 on on Screen on",
        "4000000 3000000 doze doze-suspend Always-on display (doze-suspend)",
    ];
    assert_eq!(answer(&lines, "android.screen_state", sql), expected);
    let sql = "SELECT ts, dur, short_charging_state, charging_state FROM android_charging_states";
    let expected = [
        "1000000 1000000 unknown Unknown",
        "2000000 3000000 discharging Discharging",
        "5000000 2000000 unknown Unknown",
    ];
    assert_eq!(
        answer(&lines, "android.battery.charging_states", sql),
        expected
    );
    let sql = "SELECT ts, dur, light_idle_state FROM android_light_idle_state UNION ALL
      SELECT ts, dur, deep_idle_state FROM android_deep_idle_state";
    let expected = [
        "2000000 4000000 active",
        "6000000 1000000 idle",
        "6000000 1000000 sensing",
    ];
    assert_eq!(answer(&lines, "android.battery.doze", sql), expected);
}
