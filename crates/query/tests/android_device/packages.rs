//! The packages of processes and users.

use traceloom_trace::{ArgValue, NO_TIME, TraceBuilder, TrackType};

use crate::{answer, global, trace};

/// A trace with packages: two share a user.
fn packages() -> TraceBuilder {
    let mut out = trace();
    for (name, uid) in [
        ("com.android.providers.x", 10_001),
        ("com.shared", 10_001),
        ("com.shared.more", 10_001),
        ("com.alone", 10_002),
    ] {
        let name = ArgValue::Text(out.intern(name.as_bytes()));
        let cells = [("package_name", name), ("uid", ArgValue::Int(uid))];
        out.record(NO_TIME, "package_list", &cells);
    }
    out
}

#[test]
fn the_package_of_a_process() {
    let mut out = packages();
    for (pid, name, uid) in [
        (11, "com.shared.more:remote", 110_001),
        (12, "own_name", 10_002),
        (13, "com.alone:sandboxed_process0", 99_004),
        (14, "init", 0),
    ] {
        let process = out.process(pid);
        let name = out.intern(name.as_bytes());
        out.name_process(process, name);
        out.set_process_uid(process, uid);
    }
    let sql = "SELECT pid, uid, shared_uid, user_id, package_name FROM android_process_metadata WHERE pid > 10";
    let expected = [
        "11 10001 1 1 com.shared.more",
        "12 10002 - 0 com.alone",
        "13 99004 - 0 com.alone",
        "14 0 - 0 -",
    ];
    assert_eq!(answer(out, "android.process_metadata", sql), expected);
}

#[test]
fn the_package_of_a_user() {
    let sql = "SELECT android_package_lookup(110001), android_package_lookup(10002),
        android_package_lookup(1001000), android_package_lookup(12345), android_package_lookup(NULL)";
    let expected = ["com.shared com.alone AID_SYSTEM_USER uid=12345 -"];
    assert_eq!(answer(packages(), "android.package_lookup", sql), expected);
}

#[test]
fn the_cpu_time_of_users() {
    let mut out = packages();
    for (uid, name, values) in [
        (110_001, "app", &[(10, 5), (30, 9), (50, 9)][..]),
        (1_000, "system", &[(20, 7)]),
    ] {
        let track = global(&mut out, TrackType::GlobalCounter, name);
        for (ts, value) in values {
            out.whole_counter(track, *ts, *value);
        }
        let cells = [
            ("track_id", track.into()),
            ("uid", ArgValue::Int(uid)),
            ("cluster", ArgValue::Int(1)),
            ("total_cpu_millis", ArgValue::Int(9)),
        ];
        out.record(NO_TIME, "__intrinsic_android_cpu_per_uid_track", &cells);
    }
    let module = "android.cpu.cpu_per_uid";
    let sql = "SELECT uid, cluster, total_cpu_millis, package_name, ts, dur, diff_ms, cpu_ratio
      FROM android_cpu_per_uid_track AS track
      LEFT JOIN android_cpu_per_uid_counter AS used ON used.track_id = track.id ORDER BY uid, ts";
    let expected = [
        "1000 1 9 - - - - -",
        "110001 1 9 com.android.providers.x 10 20 4 200000",
        "110001 1 9 com.android.providers.x 30 20 0 0",
    ];
    assert_eq!(answer(out, module, sql), expected);
}
