//! The packages of processes and users.

use traceloom_trace::{ArgValue, NO_TIME, TraceBuilder};

use crate::{answer, trace};

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
