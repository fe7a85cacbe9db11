//! App starts in each form in which Android has reported them. The expected answers were worked out by hand.

mod systrace;

use systrace::{Line, answer};

const SYSTEM: &str = "system_server-500 (500)";
const APP: &str = "com.app-900 (900)";
const RENDER: &str = "RenderThread-905 (900)";

/// The app's activity from 1.05 s on: it begins, shows its activity, and draws three frames. During the second frame,
/// it reports that it is complete.
const APP_LINES: &[Line<'_>] = &[
    (APP, 1_050_000, "B|900|bindApplication"),
    (APP, 1_060_000, "B|900|Lcom/app/Main;"),
    (APP, 1_064_000, "E|900"),
    (APP, 1_100_000, "E|900"),
    (APP, 1_120_000, "B|900|activityStart"),
    (APP, 1_150_000, "E|900"),
    (APP, 1_160_000, "B|900|activityResume"),
    (APP, 1_170_000, "E|900"),
    (APP, 1_180_000, "B|900|Choreographer#doFrame"),
    (APP, 1_190_000, "E|900"),
    (RENDER, 1_185_000, "B|900|DrawFrame"),
    (RENDER, 1_200_000, "E|900"),
    (APP, 1_210_000, "B|900|Choreographer#doFrame"),
    (APP, 1_212_000, "B|900|reportFullyDrawn() for com.app"),
    (APP, 1_213_000, "E|900"),
    (APP, 1_220_000, "E|900"),
    (RENDER, 1_215_000, "B|900|DrawFrame"),
    (RENDER, 1_230_000, "E|900"),
    (APP, 1_240_000, "B|900|Choreographer#doFrame"),
    (APP, 1_245_000, "E|900"),
    (RENDER, 1_243_000, "B|900|DrawFrame"),
    (RENDER, 1_248_000, "E|900"),
];

/// The lines of the app and the system, sorted by time.
fn trace<'t>(system: &[Line<'t>], app: &[Line<'t>]) -> Vec<Line<'t>> {
    let mut lines: Vec<_> = [system, app].concat();
    lines.sort_by_key(|line| line.1);
    lines
}

/// Android 13: a number, and the kind of the start.
const SINCE_33: &[Line<'_>] = &[
    (SYSTEM, 1_000_000, "S|500|launchingActivity#7|1"),
    (SYSTEM, 1_205_000, "F|500|launchingActivity#7|1"),
    (
        SYSTEM,
        1_206_000,
        "I|500|launchingActivity#7:completed-cold:com.app",
    ),
    (SYSTEM, 1_300_000, "S|500|launchingActivity#8|2"),
    (SYSTEM, 1_310_000, "F|500|launchingActivity#8|2"),
    (
        SYSTEM,
        1_311_000,
        "I|500|launchingActivity#8:completed-same-process:com.app",
    ),
];

#[test]
fn starts_since_android_13() {
    let lines = trace(SINCE_33, APP_LINES);
    let module = "android.startup.startups";
    let starts = answer(&lines, module, "SELECT * FROM android_startups");
    assert_eq!(
        starts,
        ["7 1000000000 1205000000 205000000 205000000 com.app cold"]
    );
    let sql = "SELECT startup_id, pid, startup_type FROM android_startup_processes";
    assert_eq!(answer(&lines, module, sql), ["7 900 cold"]);
    let sql = "SELECT tid, thread_name, is_main_thread FROM android_startup_threads ORDER BY tid";
    assert_eq!(
        answer(&lines, module, sql),
        ["900 com.app 1", "905 RenderThread 0"]
    );
    let sql = "SELECT slice_name, slice_dur, tid FROM android_class_loading_for_startup";
    assert_eq!(answer(&lines, module, sql), ["Lcom/app/Main; 4000000 900"]);
    let sql =
        "SELECT slice_ts FROM android_slices_for_startup_and_slice_name(7, 'activity*') ORDER BY 1";
    assert_eq!(answer(&lines, module, sql), ["1120000000", "1160000000"]);
    let sql = "SELECT android_sum_dur_for_startup_and_slice(7, 'activity*'), android_sum_dur_for_startup_and_slice(7, '*Frame'),
      android_sum_dur_on_main_thread_for_startup_and_slice(7, '*Frame')";
    assert_eq!(answer(&lines, module, sql), ["40000000 25000000 10000000"]);
}

#[test]
fn starts_of_android_10_to_12() {
    let system = [
        (
            SYSTEM,
            1_000_000,
            "B|500|MetricsLogger:launchObserverNotifyIntentStarted",
        ),
        (SYSTEM, 1_001_000, "E|500"),
        (SYSTEM, 1_040_000, "S|500|launching: com.app|1"),
        (SYSTEM, 1_250_000, "F|500|launching: com.app|1"),
        (
            SYSTEM,
            1_251_000,
            "B|500|MetricsLogger:launchObserverNotifyActivityLaunchFinished",
        ),
        (SYSTEM, 1_252_000, "E|500"),
        // A second request, without success.
        (
            SYSTEM,
            2_000_000,
            "B|500|MetricsLogger:launchObserverNotifyIntentStarted",
        ),
        (SYSTEM, 2_001_000, "E|500"),
        (SYSTEM, 2_040_000, "S|500|launching: com.app|2"),
        (SYSTEM, 2_050_000, "F|500|launching: com.app|2"),
        (SYSTEM, 2_060_000, "I|500|end"),
    ];
    let app: Vec<_> = APP_LINES
        .iter()
        .copied()
        .filter(|line| line.1 >= 1_120_000)
        .collect();
    let lines = trace(&system, &app);
    let sql = "SELECT * FROM android_startups";
    let starts = answer(&lines, "android.startup.startups", sql);
    assert_eq!(
        starts,
        ["0 1000000000 1250000000 250000000 250000000 com.app warm"]
    );
}

/// The activity of another app only leads to the activity that is shown.
#[test]
fn a_trampoline_counts_for_the_whole_but_not_for_the_app() {
    let system = [
        (SYSTEM, 1_000_000, "S|500|launching: com.door|1"),
        (SYSTEM, 1_020_000, "F|500|launching: com.door|1"),
        (SYSTEM, 1_030_000, "S|500|launching: com.app|2"),
    ];
    let told = [(SYSTEM, 1_205_000, "F|500|launching: com.app|2")];
    let lines = trace(&[&system, SINCE_33, &told].concat(), APP_LINES);
    let sql = "SELECT dur, dur_without_trampoline FROM android_startups";
    assert_eq!(
        answer(&lines, "android.startup.startups", sql),
        ["205000000 175000000"]
    );
}

/// Android 9 records only starts with a new activity. If an activity returns, the start ends with the next frame.
#[test]
fn starts_up_to_android_9() {
    let system = [
        (SYSTEM, 1_000_000, "S|500|launching: com.app|1"),
        (SYSTEM, 1_130_000, "F|500|launching: com.app|1"),
    ];
    let lines = trace(&system, APP_LINES);
    let sql = "SELECT startup_id, ts, ts_end, package, startup_type FROM android_startups";
    let starts = answer(&lines, "android.startup.startups", sql);
    // The frame at 1.18 s is drawn at 1.2 s. Within the noted start, the activity does not resume, so its kind is
    // unknown.
    assert_eq!(
        starts,
        [
            "0 1000000000 1130000000 com.app -",
            "1 1160000000 1200000000 com.app hot"
        ]
    );
}

#[test]
fn how_long_until_something_is_to_be_seen() {
    let lines = trace(SINCE_33, APP_LINES);
    let sql = "SELECT startup_id, time_to_initial_display, time_to_full_display, ttid_frame_id, ttfd_frame_id
      FROM android_startup_time_to_display";
    // The first frame is drawn at 1.2 s. The app is complete in the second frame, which is drawn at 1.23 s.
    let expected = ["7 200000000 230000000 1 2"];
    assert_eq!(
        answer(&lines, "android.startup.time_to_display", sql),
        expected
    );
}

/// ```text
/// time  1.00      1.05                1.10   1.13 1.15      1.205
/// start |-----------------------------------------------------|
/// slice           bindApplication       -    activityStart    -
/// state           Running               S    R    Running
/// ```
#[test]
fn each_time_of_a_start_has_a_reason() {
    let switch = "sched_switch: prev_comm=x prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=com.app next_pid=900 next_prio=120";
    let away = "sched_switch: prev_comm=com.app prev_pid=900 prev_prio=120 prev_state=S ==> next_comm=x next_pid=1 next_prio=120";
    let woken = "sched_waking: comm=com.app pid=900 prio=120 target_cpu=000";
    let app = [
        ("x-1 (1)", 1_050_000, switch),
        (APP, 1_050_000, "B|900|bindApplication"),
        (APP, 1_100_000, "E|900"),
        (APP, 1_100_000, away),
        ("x-1 (1)", 1_130_000, woken),
        ("x-1 (1)", 1_150_000, switch),
        (APP, 1_150_000, "B|900|activityStart"),
        (APP, 1_150_000, "E|900"),
        (APP, 1_150_000, "B|900|activityResume"),
        (APP, 1_160_000, "E|900"),
        (APP, 1_300_000, away),
    ];
    let lines = trace(SINCE_33, &app);
    let sql = "SELECT ts / 1000000, dur / 1000000, reason FROM android_startup_opinionated_breakdown ORDER BY ts";
    let expected = [
        "1000 50 launch_delay",
        "1050 50 bind_application",
        "1100 30 S",
        "1130 20 R",
        "1150 10 activity_resume",
        "1160 45 Running",
    ];
    assert_eq!(
        answer(&lines, "android.startup.startup_breakdowns", sql),
        expected
    );
}

#[test]
fn an_app_that_records_itself_knows_its_start() {
    let lines: &[Line] = &[
        (APP, 10, "B|900|bindApplication"),
        (APP, 20, "E|900"),
        (APP, 30, "B|900|Choreographer#doFrame"),
        (APP, 35, "E|900"),
        (APP, 40, "B|900|Choreographer#doFrame 7"),
        (APP, 48, "E|900"),
        (APP, 50, "B|900|Choreographer#doFrame 8"),
        (APP, 51, "E|900"),
        (APP, 60, "B|900|reportFullyDrawn() for com.app"),
        (APP, 62, "E|900"),
    ];
    let sql =
        "SELECT ts, name, dur, startup_checkpoint FROM android_profiling_manager_cold_startup";
    let found = answer(lines, "android.profiling_manager.startup", sql);
    let expected = [
        "10000 app_startup_ttff 38000 TTFF",
        "10000 app_startup_tti 52000 TTI",
    ];
    assert_eq!(found, expected);
}
