//! Tests of the rows for Android's packets.

use testkit::Proto;
use traceloom_trace::{ArgValue, RecordId, RepairKind, RowId, Trace};

use super::super::tests::{packet, read};

/// The rows of a table: names and values of cells.
fn rows(trace: &Trace, table: &str) -> Vec<String> {
    let Some(table) = trace.strings.lookup(table) else {
        return Vec::new();
    };
    let all = trace.records.rows().rows().enumerate();
    let own = all.filter(|(_, row)| row.table == table);
    own.map(|(id, _)| cells(trace, RecordId::from_row(id)))
        .collect()
}

fn cells(trace: &Trace, id: RecordId) -> String {
    let cell = |(name, value)| match value {
        ArgValue::Text(text) => format!("{}={}", trace.strings.get(name), trace.strings.get(text)),
        ArgValue::Int(number) => format!("{}={number}", trace.strings.get(name)),
        ArgValue::Float(number) => format!("{}={number}", trace.strings.get(name)),
        _ => trace.strings.get(name).to_owned(),
    };
    let cells: Vec<_> = trace.records.cells(id).map(cell).collect();
    cells.join(" ")
}

/// All arguments of a trace.
fn args(trace: &Trace) -> Vec<String> {
    let sets = (0..trace.records.len()).flat_map(|id| trace.records.cells(RecordId::from_row(id)));
    let sets = sets.filter_map(|(_, value)| match value {
        ArgValue::Row(traceloom_trace::IdKind::ArgSet, row) => Some(row),
        _ => None,
    });
    let args = sets.flat_map(|row| trace.args.set(traceloom_trace::ArgSetId(row)));
    args.map(|(key, value)| match value {
        ArgValue::Text(text) => format!("{}={}", trace.strings.get(key), trace.strings.get(text)),
        value => format!("{}={value:?}", trace.strings.get(key)),
    })
    .collect()
}

/// The name, the time and the value of each counter.
fn counters(trace: &Trace) -> Vec<(&str, i64, f64)> {
    let rows = trace.counters.rows();
    rows.map(|row| {
        let track = trace.tracks.row(row.track_id.row());
        (trace.strings.get(track.name), row.ts, row.value)
    })
    .collect()
}

#[test]
fn lines_of_the_log_are_in_order_of_their_own_times() {
    let clock = |number, time| Proto::new().int(1, number).int(2, time);
    let clocks = Proto::new()
        .message(1, clock(6, 1_000))
        .message(1, clock(1, 51_000));
    let value = Proto::new().text(1, "pid").int(2, 7);
    let late = Proto::new()
        .int(2, 7)
        .int(3, 8)
        .int(5, 51_500)
        .text(6, "am_start")
        .message(9, value);
    let early = Proto::new()
        .int(2, 7)
        .int(3, 8)
        .int(5, 51_200)
        .int(7, 6)
        .text(8, "broken");
    let log = Proto::new().message(1, late).message(1, early);
    let trace = read([packet(1_000, 6, clocks), packet(2_000, 39, log)]);
    let expected = [
        "utid prio=6 log_source=android_logcat msg=broken",
        "utid prio=4 log_source=android_logcat msg=pid=7 tag=am_start",
    ];
    assert_eq!(rows(&trace, "__intrinsic_logs"), expected);
    let times: Vec<_> = trace.records.rows().ts.iter().take(2).collect();
    assert_eq!(times, [1_200, 1_500]);
}

#[test]
fn the_recorder_counts_lines_of_the_log() {
    let log = |total| Proto::new().message(2, Proto::new().int(1, total).int(3, 2));
    let trace = read([packet(1, 39, log(5)), packet(2, 39, log(9))]);
    let expected = [
        "name=android_log_num_total value=9 machine_id=0",
        "name=android_log_num_skipped value=2 machine_id=0",
    ];
    let stats = rows(&trace, "stats");
    assert!(
        expected
            .iter()
            .all(|row| stats.iter().any(|figure| figure == row)),
        "{stats:?}"
    );
}

#[test]
fn lists_of_packages_with_errors_say_so_once() {
    let list = || Proto::new().int(2, 1).int(3, 0);
    let trace = read([packet(1, 47, list()), packet(2, 47, list())]);
    let stats = rows(&trace, "stats");
    let of_packages = stats.iter().filter(|row| row.contains("packages_list"));
    let of_packages: Vec<_> = of_packages.collect();
    assert_eq!(
        of_packages,
        ["name=packages_list_has_parse_errors value=1 machine_id=0"]
    );
}

#[test]
fn a_repeated_package_has_one_row() {
    let package = |name| Proto::new().text(1, name).int(2, 10_123).int(3, 1);
    let list = Proto::new()
        .message(1, package("a.b"))
        .message(1, package("a.c"));
    let trace = read([packet(1, 47, list.clone()), packet(2, 47, list)]);
    let expected = [
        "package_name=a.b uid=10123 debuggable=1 profileable_from_shell=0 version_code=0",
        "package_name=a.c uid=10123 debuggable=1 profileable_from_shell=0 version_code=0",
    ];
    assert_eq!(rows(&trace, "package_list"), expected);
}

#[test]
fn the_modes_of_a_game() {
    let mode = Proto::new()
        .int(1, 3)
        .int(2, 1)
        .fixed32(3, 0.5_f32.to_bits())
        .fixed32(4, 40.0_f32.to_bits());
    let game = Proto::new().text(1, "a.b").int(3, 3).message(4, mode);
    let trace = read([packet(1, 83, Proto::new().message(1, game))]);
    let expected = "package_name=a.b uid=0 current_mode=3 standard_mode_supported=0 \
        perf_mode_supported=0 battery_mode_supported=1 battery_mode_downscale=0.5 \
        battery_mode_use_angle=1 battery_mode_fps=40";
    assert_eq!(rows(&trace, "android_game_intervention_list"), [expected]);
}

#[test]
fn cpu_time_is_written_where_it_changes() {
    let first = Proto::new()
        .int(1, 2)
        .packed(2, &[1_000, 99_001])
        .packed(3, &[100, 50, 7, 0]);
    let same = Proto::new();
    let more = Proto::new().packed(2, &[99_001]).packed(3, &[3, 0]);
    let trace = read([
        packet(10, 119, first),
        packet(20, 119, same),
        packet(30, 119, more),
    ]);
    let mut found = counters(&trace);
    found.retain(|(name, ..)| name.ends_with("CL0"));
    found.sort_by_key(|(name, ts, _)| (*name, *ts));
    let expected = [
        ("CPU for Apps CL0", 10, 0.0),
        ("CPU for Apps CL0", 20, 0.0),
        ("CPU for Apps CL0", 30, 3.0),
        ("CPU for System CL0", 10, 0.0),
        ("CPU for UID 1000 CL0", 10, 100.0),
        ("CPU for UID 90000 CL0", 10, 0.0),
        ("CPU for UID 90000 CL0", 20, 0.0),
        ("CPU for UID 90000 CL0", 30, 3.0),
    ];
    assert_eq!(found, expected);
    let users = rows(&trace, "__intrinsic_android_cpu_per_uid_track");
    assert!(users.contains(&"track_id uid=90000 cluster=0 total_cpu_millis=3".to_owned()));
}

#[test]
fn wakelocks_add_up() {
    let lock = Proto::new().int(1, 1).text(2, "wlan").int(3, 1);
    let first = Proto::new()
        .message(1, lock)
        .packed(2, &[1])
        .packed(3, &[5]);
    let second = Proto::new().packed(2, &[1, 9]).packed(3, &[2, 4]);
    let trace = read([packet(10, 115, first), packet(20, 115, second)]);
    assert_eq!(
        counters(&trace),
        [("wlan", 10, 5_000_000.0), ("wlan", 20, 7_000_000.0)]
    );
}

#[test]
fn messages_become_arguments() {
    let barrier = Proto::new().text(1, "x").int(2, 4);
    let layer = Proto::new()
        .int(1, 5)
        .uint(2, 1 << 32 | 0x2000)
        .message(22, Proto::new().int(7, 1));
    let transaction = Proto::new()
        .int(1, 70)
        .uint(10, 8)
        .message(11, barrier)
        .message(7, layer);
    let entry = Proto::new().message(3, transaction).packed(5, &[3, 4]);
    let trace = read([packet(1, 94, entry)]);
    let args = args(&trace);
    for expected in [
        "transactions[0].pid=Int(70)",
        "transactions[0].layer_changes[0].buffer_data.pixel_format=PIXEL_FORMAT_RGBA_8888",
        "transactions[0].transaction_barriers[0].barrier_token=x",
        "destroyed_layers[1]=Int(4)",
        "buffer_data.pixel_format=PIXEL_FORMAT_RGBA_8888",
        "transaction_barriers[0].kind=Int(4)",
        "apply_token=Int(8)",
    ] {
        assert!(args.contains(&expected.to_owned()), "{expected}: {args:?}");
    }
    let flags = rows(&trace, "__intrinsic_surfaceflinger_transaction_flag");
    let expected = [
        "flags_id=0 flag=eBufferCropChanged",
        "flags_id=0 flag=eDestinationFrameChanged",
    ];
    assert_eq!(flags, expected);
    let changes = rows(&trace, "__intrinsic_surfaceflinger_transaction");
    assert_eq!(changes.len(), 3);
    assert!(changes[1].contains("layer_id=3"), "{changes:?}");
}

#[test]
fn a_container_does_not_have_those_inside() {
    let container = |hash, title| {
        let identifier = Proto::new().int(1, hash).text(3, title);
        Proto::new().message(6, identifier)
    };
    let inner = Proto::new().message(2, container(2, "inner"));
    let outer = container(1, "outer").message(5, inner);
    let root = Proto::new().message(1, outer);
    let service = Proto::new().message(2, root);
    let entry = Proto::new().message(3, service);
    let trace = read([packet(1, 112, Proto::new().message(6, entry))]);
    let found = rows(&trace, "__intrinsic_windowmanager_windowcontainer");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("title=outer token=1"), "{found:?}");
    assert!(found[1].contains("title=inner token=2"), "{found:?}");
    assert!(
        found[1].contains("parent_token=1 child_index=0"),
        "{found:?}"
    );
    let hashes = |title: &str| {
        let args = args(&trace);
        args.iter().filter(|arg| arg.ends_with(title)).count()
    };
    assert_eq!((hashes("=outer"), hashes("=inner")), (1, 1));
}

#[test]
fn a_view_is_scaled_and_hidden_with_the_views_around_it() {
    let view = |id: i64, parent: i64, scale: f32| {
        Proto::new()
            .int(1, id)
            .int(2, parent)
            .int(6, 10)
            .int(8, 100)
            .int(9, 50)
            .fixed32(14, scale.to_bits())
            .fixed32(15, scale.to_bits())
    };
    let views = Proto::new()
        .message(3, view(0, -1, 0.5).int(19, 4))
        .message(3, view(1, 0, 1.0));
    let trace = read([packet(1, 112, Proto::new().message(4, views))]);
    let rects = rows(&trace, "__intrinsic_winscope_rect");
    // Scaling keeps the center: 10 + 100 * (1 - 0.5) / 2 = 35. The inner view is 10 * 0.5 further right.
    assert_eq!(rects, ["x=35 y=12.5 w=50 h=25", "x=40 y=12.5 w=50 h=25"]);
    let found = rows(&trace, "__intrinsic_viewcapture_view");
    assert!(
        found.iter().all(|view| view.contains("is_visible=0")),
        "{found:?}"
    );
}

#[test]
fn a_transition_is_told_by_several_packets() {
    let packets = [
        Proto::new().int(1, 3).int(4, 50).int(2, 40),
        Proto::new().int(1, 3).int(9, 90),
    ];
    let trace = read(packets.map(|content| packet(1, 96, content)));
    let found = rows(&trace, "window_manager_shell_transitions");
    assert_eq!(found.len(), 1);
    for part in ["duration_ns=40", "status=played", "create_time_ns=40"] {
        assert!(found[0].contains(part), "{found:?}");
    }
}

#[test]
fn values_in_the_places_of_a_line() {
    let text = "%s: %d, 0%o, 0x%x, %f, %e, %g, %b, 100%%, %q, %d";
    let message = Proto::new()
        .fixed(1, 77)
        .text(2, text)
        .int(3, 4)
        .int(4, 1)
        .text(5, "A.java:3");
    let group = Proto::new().int(1, 1).text(2, "group").text(3, "WM");
    let config = Proto::new().message(1, message).message(2, group);
    // In zigzag encoding, 16 is 8.
    let line = Proto::new()
        .fixed(1, 77)
        .packed(3, &[16, 16, 16])
        .double(4, 1.5)
        .double(4, 12_345.0)
        .double(4, 0.25)
        .int(5, 1)
        .int(2, 9);
    let trace = read([packet(9, 104, line), packet(10, 105, config)]);
    let expected = "level=WARN tag=WM message=<ERROR>: 8, 010, 0x8, 1.500000, 1.234500e+04, 0.25, \
        true, 100%, %q, [MISSING_PARAM] location=A.java:3";
    assert_eq!(rows(&trace, "protolog"), [expected]);
}

#[test]
fn wakelocks_of_apps_are_slices() {
    let info = Proto::new().int(1, 1).text(2, "sync").int(4, 55);
    let interned = Proto::new().message(42, info);
    // Each time is relative to the packet. The lowest bit means that the wakelock was acquired.
    let events = |ids: &[u64], times: &[u64]| Proto::new().packed(1, ids).packed(2, times);
    let trace = read([
        packet(100, 116, events(&[1, 9], &[10 << 1 | 1, 1]))
            .int(10, 1)
            .int(13, 1)
            .message(12, interned),
        packet(200, 116, events(&[1], &[30 << 1])).int(10, 1),
        // One more release than acquisitions, and an event without a time.
        packet(300, 116, events(&[1, 1], &[0])).int(10, 1),
    ]);
    let slice = trace.slices.row(0);
    assert_eq!(trace.strings.get(slice.name), "sync");
    assert_eq!((slice.ts, slice.dur), (110, 120));
    assert_eq!(trace.slices.len(), 1);
    assert_eq!(trace.repairs.count(RepairKind::BadField), 2);
    assert_eq!(trace.repairs.count(RepairKind::UnmatchedEnd), 1);
}

#[test]
fn packets_of_bluetooth_are_slices() {
    let event = Proto::new().int(1, 2).int(3, 64).int(4, 7).int(6, 15);
    let trace = read([packet(5, 114, event)]);
    let slice = trace.slices.row(0);
    assert_eq!(trace.strings.get(slice.name), "BluetoothTraceEvent");
    assert_eq!((slice.ts, slice.dur), (5, 7));
    let args = trace.args.set(slice.arg_set_id).map(|(key, value)| {
        let value = value.display(&trace.strings);
        format!("{}={value}", trace.strings.get(key))
    });
    let args: Vec<_> = args.collect();
    assert_eq!(
        args,
        ["TracePacketType=HCI_EVT", "Length=64", "Event Code=15"]
    );
}

#[test]
fn flags_that_cannot_be_read_say_why() {
    let flags = Proto::new().text(2, "no such tool");
    let trace = read([packet(7, 127, flags)]);
    let expected = ["trace_id severity=error name=android_aflags_errors arg_set_id"];
    let logs = rows(&trace, "_trace_import_logs");
    assert_eq!(logs.len(), 1, "{expected:?}");
    assert!(logs[0].contains("severity=error name=android_aflags_errors"));
    assert_eq!(args(&trace), ["error=no such tool"]);
    let figure = "name=android_aflags_errors value=1 machine_id=0".to_owned();
    assert!(rows(&trace, "stats").contains(&figure));
    assert!(rows(&trace, "__intrinsic_android_aflags").is_empty());
}

#[test]
fn problems_of_wakelocks_are_counted() {
    let lock = || Proto::new().int(1, 1).text(2, "alarm").int(3, 1);
    let data = Proto::new().message(1, lock()).message(1, lock());
    let data = data.int(2, 1).int(2, 9).int(3, 5).int(3, 5).int(4, 0b101);
    let trace = read([packet(7, 115, data)]);
    let stats = rows(&trace, "stats");
    for name in [
        "reused_id",
        "unknown_id",
        "zero_value_reported",
        "implausibly_large_value_reported",
    ] {
        let figure = format!("name=kernel_wakelock_{name} value=1 machine_id=0");
        assert!(stats.contains(&figure), "{figure}: {stats:?}");
    }
}
