//! Tests of whole traces, made field by field.

use testkit::Proto;
use traceloom_trace::{ArgValue, RepairKind, RowId, Trace};

use crate::{ReadOptions, read_bytes};

/// A `TracePacket` at a time, ns, with its content.
pub(super) fn packet(ts: i64, number: u32, content: Proto) -> Proto {
    Proto::new().int(8, ts).message(number, content)
}

/// Reads a trace of these packets.
pub(super) fn read(packets: impl IntoIterator<Item = Proto>) -> Trace {
    let trace = packets
        .into_iter()
        .fold(Proto::new(), |trace, packet| trace.message(1, packet));
    read_bytes(trace.bytes(), ReadOptions::default()).unwrap()
}

#[test]
fn a_process_and_its_thread() {
    let process = Proto::new()
        .int(1, 7)
        .int(2, 1)
        .text(3, "app")
        .text(3, "--fast");
    let thread = Proto::new().int(1, 8).text(2, "worker").int(3, 7);
    let tree = Proto::new().message(1, process).message(2, thread);
    let trace = read([packet(5, 2, tree)]);
    let threads: Vec<_> = trace.threads.rows().map(|row| row.tid).collect();
    assert!(threads.contains(&8));
    let app = trace.processes.rows().find(|row| row.pid == 7).unwrap();
    assert_eq!(trace.strings.get(app.cmdline), "app --fast");
}

/// The name and the values of each counter.
fn counters(trace: &Trace) -> Vec<(&str, i64, f64)> {
    let rows = trace.counters.rows();
    rows.map(|row| {
        let track = trace.tracks.row(row.track_id.0 as usize);
        (trace.strings.get(track.name), row.ts, row.value)
    })
    .collect()
}

#[test]
fn memory_of_a_process() {
    let process = Proto::new()
        .int(1, 7)
        .int(3, 100)
        .int(10, -900)
        .int(16, 3)
        .int(21, 5)
        .message(11, Proto::new().int(1, 9));
    let trace = read([packet(5, 9, Proto::new().message(1, process))]);
    let expected = [
        ("mem.rss", 5, 102_400.0),
        ("oom_score_adj", 5, -900.0),
        ("mem.smaps.rss", 5, 3_072.0),
        ("runtime.user_ns", 5, 5.0),
    ];
    assert_eq!(counters(&trace), expected);
    let thread = trace.threads.rows().find(|row| row.tid == 9).unwrap();
    let process = trace.processes.row(thread.upid.0 as usize);
    assert_eq!(process.pid, 7);
}

#[test]
fn figures_of_the_machine() {
    let pair = |first, second| Proto::new().int(1, first).int(2, second);
    let disk = |sectors, ms| Proto::new().text(1, "sda").int(2, sectors).int(3, ms);
    let first = Proto::new()
        .message(1, pair(2, 10))
        .message(2, pair(188, 4))
        .message(3, pair(1, 8))
        .message(6, pair(30, 2))
        .message(10, Proto::new().text(1, "bus").int(2, 7))
        .packed(11, &[100, 200])
        .message(
            12,
            Proto::new()
                .text(1, "Node 0")
                .text(2, "DMA")
                .packed(3, &[6, 5]),
        )
        .message(13, disk(0, 0))
        .message(14, pair(3, 55))
        .message(15, Proto::new().text(1, "z0").int(2, 41).text(3, "skin"))
        .message(
            16,
            Proto::new()
                .int(1, 2)
                .message(2, Proto::new().text(1, "C1").int(2, 9)),
        )
        .message(18, Proto::new().text(1, "dentry").int(2, 2).int(3, 3));
    let second = Proto::new().message(13, disk(4_096, 500));
    let trace = read([packet(5, 7, first), packet(6, 7, second)]);
    let found = counters(&trace);
    for expected in [
        ("MemFree", 5, 10_240.0),
        ("workingset_restore_file", 5, 4.0),
        ("cpu.times.user_ns", 5, 8.0),
        ("num_irq (id: 30)", 5, 2.0),
        ("bus Frequency", 5, 7.0),
        ("cpufreq", 5, 200.0),
        ("mem.buddyinfo[Node 0][DMA][8 kB]", 5, 5.0),
        ("psi.io.some", 5, 55.0),
        ("skin", 5, 41.0),
        ("cpuidle2.C1", 5, 9.0),
        ("mem.slab.dentry", 5, 24_576.0),
        ("diskstat.[sda].read_amount", 6, 2.0),
        ("diskstat.[sda].read_throughput", 6, 4.0),
    ] {
        assert!(found.contains(&expected), "{expected:?} in {found:?}");
    }
}

#[test]
fn energy_of_a_device() {
    let battery = Proto::new()
        .fixed32(2, 99.5_f32.to_bits())
        .int(3, -400_000)
        .int(7, 4_000_000);
    let rails = Proto::new()
        .message(1, Proto::new().int(1, 3).text(2, "S_VDD_G3D"))
        .message(1, Proto::new().int(1, 4).text(2, "OTHER"))
        .message(2, Proto::new().int(1, 3).int(2, 2).int(3, 70))
        .message(2, Proto::new().int(1, 4).int(3, 80))
        .message(2, Proto::new().int(1, 9).int(3, 1));
    let trace = read([packet(5, 38, battery), packet(6, 40, rails)]);
    let expected = [
        ("batt.capacity_pct", 5, 99.5),
        ("batt.current_ua", 5, -400_000.0),
        ("batt.voltage_uv", 5, 4_000_000.0),
        ("batt.power_mw", 5, 1_600.0),
        ("power.OTHER_uws", 6, 80.0),
        ("power.rails.gpu", 2_000_000, 70.0),
    ];
    assert_eq!(counters(&trace), expected);
}

#[test]
fn a_gpu_counter_holds_for_the_time_before_it() {
    let spec = |id, name, direction| Proto::new().int(1, id).text(2, name).int(11, direction);
    let descriptor = Proto::new()
        .message(1, spec(1, "busy", 0))
        .message(1, spec(2, "clock", 2));
    let value = |id, value| Proto::new().int(1, id).int(2, value);
    let sample = |ts, busy, clock| {
        let event = Proto::new()
            .message(2, value(1, busy))
            .message(2, value(2, clock));
        packet(ts, 52, event)
    };
    let trace = read([
        packet(1, 52, Proto::new().message(1, descriptor)),
        sample(5, 30, 100),
        sample(9, 40, 200),
    ]);
    let mut found = counters(&trace);
    found.sort_by_key(|(name, ts, _)| (*name, *ts));
    let expected = [
        ("busy", 5, 40.0),
        ("busy", 9, 0.0),
        ("clock", 5, 100.0),
        ("clock", 9, 200.0),
    ];
    assert_eq!(found, expected);
}

#[test]
fn equal_counters_of_two_gpus_are_apart() {
    let describe = |sequence, gpu| {
        let spec = Proto::new().int(1, 1).text(2, "busy").int(11, 2);
        let descriptor = Proto::new()
            .int(1, 5)
            .message(2, Proto::new().message(1, spec))
            .int(3, gpu);
        Proto::new()
            .int(10, sequence)
            .message(12, Proto::new().message(47, descriptor))
            .int(13, 1)
    };
    let sample = |ts, sequence, value| {
        let value = Proto::new().int(1, 1).int(2, value);
        let event = Proto::new().message(2, value).int(4, 5);
        packet(ts, 52, event).int(10, sequence).int(13, 2)
    };
    let trace = read([
        describe(1, 0),
        describe(2, 1),
        sample(5, 1, 10),
        sample(6, 2, 20),
    ]);
    assert_eq!(counters(&trace), [("busy", 5, 10.0), ("busy", 6, 20.0)]);
    assert_ne!(
        trace.counters.track_id.get(0),
        trace.counters.track_id.get(1)
    );
}

#[test]
fn frames_have_their_verdict_and_their_display_frame() {
    let surface = Proto::new()
        .int(1, 1)
        .int(2, 12)
        .int(3, 15)
        .int(4, 7)
        .text(5, "layer");
    let late = surface.clone().int(6, 2).int(9, 64).int(11, 1);
    let late = Proto::new().message(4, late);
    let expected = Proto::new().message(3, surface.int(1, 2));
    let display = Proto::new()
        .int(1, 3)
        .int(2, 15)
        .int(3, 2)
        .int(4, 1)
        .int(7, 1);
    let end = |cookie| Proto::new().message(5, Proto::new().int(1, cookie));
    let trace = read([
        packet(10, 76, expected),
        packet(11, 76, late),
        packet(20, 76, end(2)),
        packet(30, 76, Proto::new().message(2, display)),
        packet(35, 76, end(1)),
        packet(40, 76, end(3)),
        packet(41, 76, end(99)),
    ]);
    let slices: Vec<_> = trace
        .slices
        .rows()
        .map(|row| {
            let track = trace.tracks.row(row.track_id.0 as usize);
            let name = trace.strings.get(row.name);
            (track.kind.name(), name, row.ts, row.dur)
        })
        .collect();
    let expected = [
        ("android_expected_frame_timeline", "12", 10, 10),
        ("android_actual_frame_timeline", "12", 11, 24),
        ("android_actual_frame_timeline", "15", 30, 10),
    ];
    assert_eq!(slices, expected);
    let flow = trace.flows.row(0);
    assert_eq!((flow.slice_out.0, flow.slice_in.0), (1, 2));
    let args: Vec<_> = trace
        .args
        .set(trace.slices.arg_set_id.get(1))
        .filter_map(|(key, value)| match value {
            ArgValue::Text(text) => Some((trace.strings.get(key), trace.strings.get(text))),
            _ => None,
        })
        .collect();
    for expected in [
        ("Layer name", "layer"),
        ("Present type", "Late Present"),
        ("Jank type", "App Deadline Missed"),
        ("Jank tag", "Self Jank"),
        ("Jank severity type", "Unknown"),
        ("Is Buffer?", "Yes"),
    ] {
        assert!(args.contains(&expected), "{expected:?} in {args:?}");
    }
    assert_eq!(trace.repairs.count(RepairKind::UnmatchedEnd), 1);
}

#[test]
fn properties_and_states_of_a_device() {
    let property = |name, value| Proto::new().text(1, name).text(2, value);
    let properties = Proto::new()
        .message(1, property("debug.tracing.plug_type", "2"))
        .message(1, property("debug.tracing.device_state", "FOLDED"))
        .message(1, property("debug.tracing.mcc", "x"));
    let states = Proto::new()
        .message(
            1,
            Proto::new()
                .int(1, 1)
                .int(2, 2)
                .text(3, "Modem")
                .text(4, "Sleep"),
        )
        .message(2, Proto::new().int(1, 1).int(2, 2).int(3, 77));
    let consumers = Proto::new().message(1, Proto::new().int(1, 6).text(4, "CPU"));
    let energy = Proto::new()
        .int(2, 6)
        .int(3, 50)
        .message(4, Proto::new().int(1, 1000).int(2, 8));
    let trace = read([
        packet(4, 70, Proto::new().int(1, 2)),
        packet(5, 86, properties),
        packet(6, 91, states),
        packet(7, 77, Proto::new().message(1, consumers)),
        packet(8, 77, energy),
    ]);
    let expected = [
        ("ScreenState", 4, 2.0),
        ("PlugType", 5, 2.0),
        ("Entity residency: Modem is Sleep", 6, 77.0),
        ("CPU", 8, 50.0),
        ("CPU", 8, 8.0),
    ];
    assert_eq!(counters(&trace), expected);
    assert_eq!(trace.slices.len(), 1);
}

/// Any change of a byte gives a trace, never a panic.
#[test]
fn damage_is_survived() {
    let event = Proto::new().int(1, 3).int(2, 9).int(3, 1).text(5, "name");
    let inner = (1..=18).fold(event.clone(), |all, number| {
        all.message(number, event.clone())
    });
    let trace = [7, 9, 38, 40, 52, 70, 71, 76, 77, 86, 91]
        .into_iter()
        .fold(Proto::new(), |all, number| {
            all.message(1, packet(5, number, inner.clone()))
        });
    for at in 0..trace.bytes().len() {
        for value in [0, 0x7f, 0xff, trace.bytes()[at] ^ 1] {
            let mut bytes = trace.bytes().to_vec();
            bytes[at] = value;
            _ = read_bytes(&bytes, ReadOptions::default());
        }
    }
}

#[test]
fn wake_ups_know_whether_an_interrupt_did_them() {
    let waking = |tid| {
        Proto::new()
            .text(1, "app")
            .int(2, tid)
            .int(3, 120)
            .int(5, 0)
    };
    let event = |ts, flags: Option<i64>, tid| {
        let event = Proto::new().int(1, ts).int(2, 5).message(20, waking(tid));
        match flags {
            Some(flags) => event.int(5, flags),
            None => event,
        }
    };
    let events = [
        event(10, Some(0x11), 7),
        event(20, Some(0x01), 8),
        event(30, None, 9),
    ];
    let bundle = Proto::new().int(1, 0);
    let bundle = events
        .into_iter()
        .fold(bundle, |bundle, event| bundle.message(2, event));
    let trace = read([Proto::new().message(1, bundle)]);
    let flags: Vec<_> = trace.wakeups.irq_context.iter().collect();
    assert_eq!(flags, [1, 0, -1]);
}

/// The rows of a table of records, as `column=value`.
fn records(trace: &Trace, table: &str) -> Vec<String> {
    let tables = trace.records.rows().table.iter().enumerate();
    let rows = tables.filter(|(_, of)| trace.strings.get(*of) == table);
    let shown = |row| {
        let cells = trace.records.cells(RowId::from_row(row));
        let shown = cells.map(|(key, value)| {
            let key = trace.strings.get(key);
            format!("{key}={}", value.display(&trace.strings))
        });
        shown.collect::<Vec<_>>().join(" ")
    };
    rows.map(|(row, _)| shown(row)).collect()
}

#[test]
fn figures_of_the_recorder() {
    let buffer = Proto::new().int(1, 4096).int(19, 3);
    let stats = Proto::new().int(2, 5).message(1, buffer);
    let cpu = |entries| Proto::new().int(1, 1).int(2, entries);
    let kernel = |phase, entries| Proto::new().int(1, phase).message(2, cpu(entries));
    let trace = read([
        packet(1, 34, kernel(1, 10)),
        packet(2, 34, kernel(2, 25)),
        packet(3, 35, stats),
    ]);
    let figures = records(&trace, "stats");
    for expected in [
        "name=traced_producers_connected value=5 machine_id=0",
        "name=traced_buf_bytes_written value=4096 machine_id=0 idx=0",
        "name=traced_buf_trace_writer_packet_loss value=3 machine_id=0 idx=0",
        "name=ftrace_cpu_entries_begin value=10 machine_id=0 idx=1",
        "name=ftrace_cpu_entries_delta value=15 machine_id=0 idx=1",
    ] {
        assert!(figures.iter().any(|row| row == expected), "{expected}");
    }
}

#[test]
fn facts_of_the_recorder() {
    let uuid = Proto::new().int(1, 1).int(2, 2);
    let trigger = |name| Proto::new().text(1, name).text(2, "producer").int(3, 9);
    let kernel = Proto::new().int(10, 64).int(11, 250);
    let source = Proto::new().text(1, "linux.ftrace").message(100, kernel);
    let config = Proto::new().message(2, Proto::new().message(1, source));
    let trace = read([
        packet(1, 89, uuid),
        packet(2, 33, config),
        packet(3, 46, trigger("first")),
        packet(4, 113, trigger("copied")),
        packet(5, 46, trigger("late")),
    ]);
    assert_eq!(
        trace.metadata("trace_uuid"),
        Some("00000000-0000-0001-0000-000000000002")
    );
    assert_eq!(trace.metadata("trace_trigger"), Some("copied"));
    let config = trace.metadata("trace_config_pbtxt").unwrap();
    let expected = "data_sources {\n  config {\n    name: \"linux.ftrace\"\n    ftrace_config {";
    assert!(config.starts_with(expected), "{config}");
    assert_eq!(trace.slices.instants().count(), 3);
    let mistakes = records(&trace, "__intrinsic_trace_diagnostics");
    assert!(
        mistakes[0].starts_with("key=tiny_ftrace_buffer"),
        "{mistakes:?}"
    );
    assert!(
        mistakes[1].starts_with("key=low_ftrace_drain_bandwidth"),
        "{mistakes:?}"
    );
    assert_eq!(mistakes.len(), 2);
}

#[test]
fn what_the_cpus_are() {
    let cpu = |frequency, capacity| {
        let arm = Proto::new().int(4, 3336);
        let cpu = Proto::new()
            .text(1, "AArch64")
            .int(2, frequency)
            .message(4, arm);
        cpu.int(3, capacity).int(5, 1)
    };
    let info = Proto::new()
        .message(1, cpu(300_000, 1024))
        .message(1, cpu(100_000, 250));
    let trace = read([packet(1, 67, info)]);
    assert_eq!(
        records(&trace, "cpu_available_frequencies"),
        ["cpu=0 ucpu=0 freq=300000", "cpu=1 ucpu=1 freq=100000"]
    );
    let cpus = records(&trace, "cpu");
    assert!(
        cpus[0].starts_with("cpu=0 processor=AArch64 cluster_id=1"),
        "{cpus:?}"
    );
    assert!(
        cpus[1].starts_with("cpu=1 processor=AArch64 cluster_id=0"),
        "{cpus:?}"
    );
    assert!(trace.strings.lookup("cpu_features.mte").is_some());
    assert!(trace.strings.lookup("arm_cpu_part").is_some());
}

/// The hash of "a" is in the reference of FNV (RFC 9923); this trace is the packet `0a 00` with the hash that follows
/// from the same definition.
#[test]
fn a_trace_without_an_identifier_gets_one() {
    let fnv = |bytes: &[u8]| {
        let hash = bytes
            .iter()
            .fold(14_695_981_039_346_656_037, |hash: u128, byte| {
                ((hash ^ u128::from(*byte)) * 1_099_511_628_211) % (1 << 64)
            });
        format!("{hash:016x}")
    };
    assert_eq!(fnv(b"a"), "af63dc4c8601ec8c");
    let trace = read([Proto::new().int(8, 1)]);
    let digits = fnv(&[0x0a, 2, 8 << 3, 1]);
    let expected = format!("00000000-0000-0000-{}-{}", &digits[..4], &digits[4..]);
    assert_eq!(trace.metadata("trace_uuid"), Some(expected.as_str()));
}

#[test]
fn the_api_level_is_that_of_the_version() {
    let level = |version: &str, told: Option<i64>| {
        let fingerprint = format!("google/coral/coral:{version}/SP1A/7679548:userdebug/dev-keys");
        let info = Proto::new().text(2, &fingerprint);
        let info = told.map_or(info.clone(), |told| info.int(5, told));
        let trace = read([packet(1, 45, info)]);
        trace.metadata("android_sdk_version").map(str::to_owned)
    };
    assert_eq!(level("12", None).as_deref(), Some("31"));
    assert_eq!(level("12", Some(32)).as_deref(), Some("32"));
    assert_eq!(level("8.1.0", None).as_deref(), Some("27"));
    assert_eq!(level("Tiramisu", None), None);
    assert_eq!(level("99999999999", None), None);
}
