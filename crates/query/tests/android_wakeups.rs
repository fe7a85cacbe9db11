//! The module about what woke a device. The messages have the formats of Android's suspend service; the expected answers
//! were worked out by hand.

mod systrace;

use systrace::answer;

const SUSPEND: &str = "suspend-9 (9)";

/// The wakeups of a trace with these messages on these tracks, at these microseconds.
fn wakeups(messages: &[(u64, &str)], columns: &str) -> Vec<String> {
    let lines: Vec<_> = messages
        .iter()
        .map(|(micros, message)| (*micros, format!("N|9|{message}")))
        .collect();
    let lines: Vec<_> = lines
        .iter()
        .map(|(micros, line)| (SUSPEND, *micros, line.as_str()))
        .collect();
    let sql = format!("SELECT {columns} FROM android_wakeups");
    answer(&lines, "android.wakeups", &sql)
}

#[test]
fn each_cause_has_a_row() {
    let messages = [
        (
            1_000_000,
            "wakeup_reason|100 170 176a0000.mbox:440 dhdpcie_host_wake",
        ),
        (
            2_000_000,
            "wakeup_reason|200 Abort: Pending Wakeup Sources: wlan_wake wlan_rx",
        ),
        (
            3_000_000,
            "wakeup_reason|300 Abort: Last active Wakeup Source: alarm timer",
        ),
        (
            4_000_000,
            "wakeup_reason|400 Abort: Device 1:0 failed to suspend: error -16",
        ),
        (5_000_000, "wakeup_reason|500 1 a:2 b:3 c:4 d:5 e"),
    ];
    let expected = [
        "1000000000 normal 176a0000.mbox",
        "1000000000 normal dhdpcie_host_wake",
        "2000000000 abort_pending wlan_wake",
        "2000000000 abort_pending wlan_rx",
        "3000000000 abort_last_active alarm timer",
        "4000000000 abort_other Device 1:0 failed to suspend: error -16",
        "5000000000 normal a",
        "5000000000 normal b",
        "5000000000 normal c",
        "5000000000 normal d",
        "5000000000 normal e",
    ];
    assert_eq!(wakeups(&messages, "ts, type, item"), expected);
}

/// A good suspend is blamed until the next wakeup, at most 5 s; a bad one for as long as suspend backs off.
#[test]
fn wakeups_are_to_blame_for_a_time() {
    let messages = [
        (1_000_000, "suspend_backoff|good"),
        (1_000_001, "wakeup_reason|100 1 a"),
        (3_000_000, "suspend_backoff|bad new short 2 100"),
        (3_000_001, "wakeup_reason|200 1 b"),
        (4_000_000, "suspend_backoff|good"),
        (4_000_001, "wakeup_reason|300 1 c"),
        (10_000_000, "wakeup_reason|400 1 d"),
        (11_000_000, "wakeup_attribution|200 Alarm"),
    ];
    let columns =
        "item, dur, suspend_quality, backoff_state, backoff_reason, backoff_count, backoff_millis,
      on_device_attribution";
    let expected = [
        "a 2000000000 good - none - - -",
        "b 100000000 bad new short 2 100 Alarm",
        "c 5000000000 good - none - - -",
        "d 0 - - none - - -",
    ];
    assert_eq!(wakeups(&messages, columns), expected);
}

#[test]
fn a_sleep_ends_the_blame() {
    let lines = [
        (SUSPEND, 1_000_000, "N|9|suspend_backoff|good"),
        (SUSPEND, 1_000_001, "N|9|wakeup_reason|100 1 a"),
        (
            SUSPEND,
            2_500_001,
            "suspend_resume: timekeeping_freeze[0] begin",
        ),
        (
            SUSPEND,
            9_000_000,
            "suspend_resume: timekeeping_freeze[0] end",
        ),
    ];
    let sql = "SELECT item, dur FROM android_wakeups";
    assert_eq!(answer(&lines, "android.wakeups", sql), ["a 1500000000"]);
}
