//! The modules about the state of an Android device. The expected answers were worked out by hand.

#[path = "../made/mod.rs"]
mod made;
mod packages;

use made::ask;
use traceloom_query::{Limits, Session};
use traceloom_trace::{
    ArgSetId, ArgValue, NO_TIME, RowId, SliceBegin, TraceBuilder, TrackId, TrackType,
};

/// The answer, with one line per row.
fn answer(out: TraceBuilder, module: &str, sql: &str) -> Vec<String> {
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = format!("INCLUDE PERFETTO MODULE {module}; {sql}");
    let rows = ask(&mut session, &sql).unwrap().rows;
    let row = |row: &Vec<traceloom_query::Value>| {
        let cells: Vec<_> = row.iter().map(cell).collect();
        cells.join(" ")
    };
    rows.iter().map(row).collect()
}

fn cell(value: &traceloom_query::Value) -> String {
    use traceloom_query::Value;
    match value {
        Value::Null => "-".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        other => format!("{other:?}"),
    }
}

/// A trace that lasts from 0 to 100.
fn trace() -> TraceBuilder {
    let mut out = TraceBuilder::new();
    let track = global(&mut out, TrackType::GlobalSlice, "all");
    slice(&mut out, track, (0, 100), "all");
    out
}

fn global(out: &mut TraceBuilder, kind: TrackType, name: &str) -> TrackId {
    let name = out.intern(name.as_bytes());
    out.global_track(kind, name)
}

fn slice(out: &mut TraceBuilder, track: TrackId, (ts, dur): (i64, i64), name: &str) {
    let name = out.intern(name.as_bytes());
    out.whole_slice(track, SliceBegin::named(ts, name), dur);
}

fn counter(out: &mut TraceBuilder, kind: TrackType, name: &str, values: &[(i64, i64)]) {
    let track = global(out, kind, name);
    for (ts, value) in values {
        out.whole_counter(track, *ts, *value);
    }
}

#[test]
fn figures_of_the_battery_at_one_time_are_one_row() {
    let mut out = trace();
    let kind = TrackType::BatteryCounter;
    counter(&mut out, kind, "batt.charge_uah", &[(5, 10)]);
    counter(&mut out, kind, "batt.current_ua", &[(5, 3), (9, 4)]);
    let sql = "SELECT ts, charge_uah, current_ua, power_mw FROM android_battery_charge";
    assert_eq!(answer(out, "android.battery", sql), ["5 10 3 -", "9 - 4 -"]);
}

#[test]
fn states_of_the_battery_statistics() {
    let mut out = trace();
    let kind = TrackType::BatteryStats;
    counter(&mut out, kind, "battery_stats.audio", &[(10, 1), (30, 7)]);
    counter(&mut out, kind, "battery_stats.data_conn", &[(20, 13)]);
    counter(&mut out, kind, "battery_stats.other", &[(40, 2)]);
    let sql =
        "SELECT ts, dur, safe_dur, value, value_name FROM android_battery_stats_state ORDER BY ts";
    let expected = [
        "10 20 20 1 active",
        "20 -1 80 13 4G (LTE)",
        "30 -1 70 7 unknown",
        "40 -1 60 2 2.0",
    ];
    assert_eq!(answer(out, "android.battery_stats", sql), expected);
}

#[test]
fn events_of_the_battery_statistics() {
    let mut out = trace();
    let top = global(&mut out, TrackType::GlobalSlice, "battery_stats.top");
    for (ts, name) in [
        (10, "+top=7:\"mail\""),
        (15, "-top=8:\"map\""),
        (25, "-top=7:\"mail\""),
        (60, "+top=9:\"chat\""),
    ] {
        let name = out.intern(name.as_bytes());
        out.instant(top, ts, name, ArgSetId::NONE);
    }
    let sql = "SELECT ts, dur, safe_dur, str_value, int_value FROM android_battery_stats_event_slices ORDER BY ts";
    let expected = ["0 15 15 map 8", "10 15 15 mail 7", "60 -1 40 chat 9"];
    assert_eq!(answer(out, "android.battery_stats", sql), expected);
}

#[test]
fn the_name_of_a_device() {
    let sql =
        "SELECT android_device_name_from_fingerprint('google/raven/raven:13/TQ1A/9:user/keys')";
    assert_eq!(answer(trace(), "android.device", sql), ["raven"]);
}

#[test]
fn how_long_each_frequency_lasts() {
    let mut out = trace();
    let values = [(20, 100), (40, 300), (60, 100)];
    counter(
        &mut out,
        TrackType::ClockFrequency,
        "domain@0 Frequency",
        &values,
    );
    counter(
        &mut out,
        TrackType::ClockFrequency,
        "domain@7 Frequency",
        &values,
    );
    let sql = "SELECT value, dur, pct FROM android_dvfs_counter_residency
        UNION ALL SELECT min, dur, wgt_avg FROM android_dvfs_counter_stats";
    // 100 for 20 + 40 of 80, 300 for 20: (60 * 100 + 20 * 300) / 80 = 150. From the first to the last value: 40.
    let expected = ["100 60 75", "300 20 25", "100 40 150"];
    assert_eq!(answer(out, "android.dvfs", sql), expected);
}

#[test]
fn a_cpu_enters_the_hypervisor_for_a_reason() {
    let mut out = trace();
    let name = out.intern(b"pkvm hypervisor");
    let track = out.cpu_track(TrackType::PkvmHypervisor, 3, name);
    let reason = ArgValue::Text(out.intern(b"host_smc"));
    let key = out.intern(b"hyp_enter_reason");
    let begin = SliceBegin {
        arg_set_id: out.args([(key, reason)]),
        ..SliceBegin::named(20, out.intern(b"hyp"))
    };
    out.whole_slice(track, begin, 5);
    slice(&mut out, track, (40, 10), "hyp");
    let sql = "SELECT cpu, ts, dur, reason FROM pkvm_hypervisor_events ORDER BY ts";
    let expected = ["3 20 5 host_smc", "3 40 10 -"];
    assert_eq!(answer(out, "pkvm.hypervisor", sql), expected);
}

/// A trace whose machine sleeps from 20 to 30.
fn sleeping() -> TraceBuilder {
    let mut out = trace();
    let track = global(&mut out, TrackType::SuspendResume, "suspend");
    slice(&mut out, track, (20, 10), "timekeeping_freeze(0)");
    slice(&mut out, track, (50, 10), "something_else(0)");
    out
}

#[test]
fn a_machine_is_awake_unless_it_sleeps() {
    let sql = "SELECT ts, dur, power_state, machine_id FROM android_suspend_state";
    let expected = ["0 20 awake 0", "20 10 suspended 0", "30 70 awake 0"];
    assert_eq!(answer(sleeping(), "android.suspend", sql), expected);
}

#[test]
fn wakelocks_are_compared_with_the_time_awake() {
    let mut out = sleeping();
    let kind = TrackType::AndroidNativeWakelock;
    counter(&mut out, kind, "wlan", &[(10, 0), (40, 5)]);
    let sql = "SELECT * FROM android_kernel_wakelocks";
    let expected = ["10 30 20 wlan native 5 0.25"];
    assert_eq!(answer(out, "android.kernel_wakelocks", sql), expected);
}

#[test]
fn the_newest_form_of_kills_counts() {
    let mut out = trace();
    let process = out.process(7);
    let name = out.intern(b"com.example");
    out.name_process(process, name);
    let track = global(&mut out, TrackType::GlobalSlice, "lmkd");
    slice(&mut out, track, (10, 2), "lmk,7,2,900");
    slice(&mut out, track, (20, 2), "lmk,99,1005,0");
    counter(
        &mut out,
        TrackType::GlobalCounter,
        "kill_one_process",
        &[(30, 7)],
    );
    let sql = "SELECT ts, pid, process_name, oom_score_adj, kill_reason FROM android_lmk_events ORDER BY ts";
    let expected = [
        "10 7 com.example 900 LOW_SWAP_AND_THRASHING",
        "20 99 - 0 VENDOR_REASON",
    ];
    assert_eq!(answer(out, "android.memory.lmk", sql), expected);
}

#[test]
fn buffers_belong_to_the_thread_that_allocated_them() {
    let mut out = trace();
    let name = out.intern(b"mem.dma_heap_change");
    let inode = (out.intern(b"inode"), ArgValue::Int(5));
    for (ts, tid, size) in [(10, 8, 300.0), (20, 9, -300.0)] {
        let thread = out.thread(tid);
        let track = out.thread_named_track(TrackType::ThreadCounter, thread, name);
        let args = out.args([inode]);
        out.counter_with_args(track, ts, size, args);
    }
    let sql = "SELECT ts, buf_size, inode, tid, value FROM android_dmabuf_allocs
        JOIN android_memory_cumulative_dmabuf USING (ts)";
    let expected = ["10 300 5 8 300", "20 -300 5 8 0"];
    assert_eq!(answer(out, "android.memory.dmabuf", sql), expected);
}

#[test]
fn lines_of_the_log_are_those_of_logcat() {
    let mut out = trace();
    for source in ["android_logcat", "journald"] {
        let text = ArgValue::Text(out.intern(source.as_bytes()));
        let cells = [
            ("log_source", text),
            ("msg", text),
            ("prio", ArgValue::Int(4)),
        ];
        out.record(5, "__intrinsic_logs", &cells);
    }
    let sql = "SELECT ts, prio, msg FROM android_logs";
    assert_eq!(answer(out, "android.input", sql), ["5 4 android_logcat"]);
}

/// A part of the device uses 3 mW s in the first second and 1 mW s in the next two.
#[test]
fn energy_of_parts_of_the_device() {
    let mut out = trace();
    let kind = TrackType::PowerRails;
    let values = [(0, 1000), (1_000_000_000, 4000), (3_000_000_000, 5000)];
    counter(&mut out, kind, "power.rails.display", &values);
    let sql = "SELECT ts, dur, power_rail_name, energy_since_boot, energy_since_boot_at_end, average_power, energy_delta
      FROM android_power_rails_counters ORDER BY ts";
    let expected = [
        "0 1000000000 power.rails.display 1000 4000 3 -",
        "1000000000 2000000000 power.rails.display 4000 5000 0.5 3000",
    ];
    let found = answer(out, "android.power_rails", sql);
    assert_eq!(found[..2], expected);
    let mut out = trace();
    counter(&mut out, kind, "power.rails.display", &values);
    let sql =
        "SELECT power_rail_name, friendly_name, subsystem_name FROM android_power_rails_metadata";
    assert_eq!(
        answer(out, "android.power_rails", sql),
        ["power.rails.display display -"]
    );
}

#[test]
fn broadcasts_to_processes() {
    let mut out = trace();
    let app = out.process(900);
    let name = out.intern(b"com.app");
    out.name_process(app, name);
    let system = out.process(500);
    let name = out.intern(b"system_server");
    out.name_process(system, name);
    let queue = out.intern(b"BroadcastQueue.mRunning[2]");
    let queue = out.process_track(TrackType::AtraceAsyncSliceForTrack, system, queue);
    for (ts, name) in [
        (10, "5f3 900:com.app/u0a77 running"),
        (20, "9a1 com.app.SYNC/u0 scheduled"),
    ] {
        let name = out.intern(name.as_bytes());
        out.begin_slice(queue, SliceBegin::named(ts, name));
    }
    for ts in [30, 40] {
        out.end_slice(queue, ts, None);
    }
    let sql = "SELECT record_id, intent_action, process_name, sent.pid, process.name, process_queue_id, queue_id, ts, dur
      FROM _android_broadcasts_minsdk_u AS sent JOIN process USING (upid)";
    let expected = ["9a1 com.app.SYNC com.app 900 com.app 5f3 2 20 10"];
    assert_eq!(answer(out, "android.broadcasts", sql), expected);
}

/// The part was asleep for 2 s when it was first read, and for 2.5 s one second later.
#[test]
fn states_of_parts_of_the_device() {
    let mut out = trace();
    let name = "Entity residency: Modem is Sleep";
    counter(
        &mut out,
        TrackType::EntityState,
        name,
        &[(0, 2000), (1_000_000_000, 2500)],
    );
    let sql = "SELECT ts, dur, entity_name, state_name, state_time_since_boot, state_time_since_boot_at_end, state_time_ratio
      FROM android_entity_state_residency";
    let expected = [
        "0 1000000000 Modem Sleep 2000000000 2500000000 0.5",
        "1000000000 - Modem Sleep 2500000000 - -",
    ];
    assert_eq!(answer(out, "android.entity_state_residency", sql), expected);
}

#[test]
fn mappings_in_a_bug_report() {
    let mut out = trace();
    let lines = [
        "   virtual                     shared   shared  private  private                   Anon      Shmem     File      Shared   Private",
        "      size      RSS      PSS    clean    dirty    clean    dirty     swap  swapPSS HugePages PmdMapped PmdMapped Hugetlb  Hugetlb   Locked    # object",
        "      1024      512      256        1        2        3        4        5        6         7         8         9      10       11       12    2 /system/lib64/libc.so",
        "      1024      512      256        1        2        3        4        5        6         7         8         9      10       11       12    2 TOTAL",
    ];
    for line in lines {
        let cells = [("section", "SHOW MAP 900: com.app"), ("line", line)];
        let cells = cells.map(|(key, text)| (key, ArgValue::Text(out.intern(text.as_bytes()))));
        out.record(NO_TIME, "android_dumpstate", &cells);
    }
    let sql = "SELECT * FROM android_dumpsys_show_map";
    let expected = ["com.app 900 1024 512 256 1 2 3 4 5 6 7 8 9 10 11 12 2 /system/lib64/libc.so"];
    assert_eq!(answer(out, "android.dumpsys.show_map", sql), expected);
}

/// The states of a GPU, the statistics of the system, and pictures of the screen.
#[test]
fn small_modules() {
    let mut out = trace();
    counter(
        &mut out,
        TrackType::GlobalCounter,
        "mali_gpu_power_state",
        &[(20, 1), (50, 2)],
    );
    let sql = "SELECT ts, dur, power_state FROM android_mali_gpu_power_state";
    assert_eq!(
        answer(out, "android.gpu.mali_power_state", sql),
        ["20 30 1", "50 50 2"]
    );
    let mut out = trace();
    let track = global(&mut out, TrackType::GlobalSlice, "Statsd Atoms");
    let [key, trigger, name] = [
        "perfetto_trigger.trigger_name",
        "slow_start",
        "perfetto_trigger",
    ]
    .map(|text| out.intern(text.as_bytes()));
    let args = out.args([(key, ArgValue::Text(trigger))]);
    out.instant(track, 30, name, args);
    let sql = "SELECT ts, name FROM android_statsd_atoms UNION ALL SELECT * FROM _android_statsd_perfetto_triggers";
    assert_eq!(
        answer(out, "android.statsd", sql),
        ["30 perfetto_trigger", "30 slow_start"]
    );
    let mut out = trace();
    let track = global(&mut out, TrackType::GlobalSlice, "Screenshots");
    let [key, category, name] = ["screenshot.jpg_image", "android_screenshot", "Screenshot"]
        .map(|text| out.intern(text.as_bytes()));
    for (ts, has_picture) in [(30, true), (40, false)] {
        let args = out.args(has_picture.then_some((key, ArgValue::Text(name))));
        let begin = SliceBegin {
            category,
            arg_set_id: args,
            ..SliceBegin::named(ts, name)
        };
        out.whole_slice(track, begin, 0);
    }
    assert_eq!(
        answer(
            out,
            "android.screenshots",
            "SELECT ts, name FROM android_screenshots"
        ),
        ["30 Screenshot"]
    );
}
