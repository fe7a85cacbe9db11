//! Tests of packets about the recorder and the machine.

use testkit::Proto;
use traceloom_trace::{ArgSetId, ArgValue, RepairKind, RowId, Trace};

use super::tests::{packet, read};

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
    let stats = records(&trace, "stats");
    for expected in [
        "name=traced_producers_connected value=5 machine_id=0",
        "name=traced_buf_bytes_written value=4096 machine_id=0 idx=0",
        "name=traced_buf_trace_writer_packet_loss value=3 machine_id=0 idx=0",
        "name=ftrace_cpu_entries_begin value=10 machine_id=0 idx=1",
        "name=ftrace_cpu_entries_delta value=15 machine_id=0 idx=1",
    ] {
        assert!(stats.iter().any(|row| row == expected), "{expected}");
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

/// The metadata of two Chrome instances, and a text trace that one of them recorded.
#[test]
fn facts_under_names_of_chrome() {
    let fact = |name| Proto::new().text(1, name);
    let first = Proto::new()
        .message(2, fact("os-arch").text(2, "arm64"))
        .message(2, fact("cpus").int(4, 8))
        .message(2, fact("empty"));
    let second = Proto::new()
        .message(2, fact("highres-ticks").int(3, 1))
        .text(4, "# tracer: nop\n")
        .text(4, "#\n");
    let trace = read([packet(1, 5, first), packet(2, 5, second)]);
    let facts = ["cr-os-arch", "cr-cpus", "cr-2-highres-ticks", "cr-empty"];
    let facts = facts.map(|name| trace.metadata(name));
    assert_eq!(facts, [Some("arm64"), Some("8"), Some("1"), None]);
    let rows = records(&trace, "__intrinsic_chrome_raw");
    assert_eq!(rows.len(), 3);
    assert!(rows[2].starts_with("name=chrome_event.legacy_system_trace"));
    let data = trace.strings.lookup("# tracer: nop\n#\n");
    assert!(data.is_some());
}

/// A legacy object snapshot of Chrome is not a slice. Without a thread, it is counted.
#[test]
fn an_event_of_an_unknown_kind_is_a_record_of_its_thread() {
    let thread = Proto::new().int(1, 7).int(2, 8);
    let track = Proto::new().int(1, 5).message(4, thread);
    let annotation = Proto::new().text(10, "size").int(4, 3);
    let legacy = Proto::new().int(2, i64::from(b'O')).int(6, 42);
    let event = |uuid| {
        let event = Proto::new().int(11, uuid).text(22, "cc").text(23, "layer");
        let event = event.message(4, annotation.clone());
        packet(9, 11, event.message(6, legacy.clone())).int(10, 1)
    };
    let trace = read([packet(0, 60, track).int(10, 1), event(5), event(6)]);
    let rows = records(&trace, "__intrinsic_chrome_raw");
    assert_eq!(rows.len(), 1);
    let set = trace.strings.lookup("arg_set_id").unwrap();
    let Some(ArgValue::Row(_, set)) = trace.records.cell(0, set) else {
        panic!("{rows:?}");
    };
    let args = trace.args.set(ArgSetId(set));
    let args = args.map(|(key, value)| {
        let key = trace.strings.get(key);
        format!("{key}={}", value.display(&trace.strings))
    });
    let args: Vec<String> = args.collect();
    let expected = [
        "legacy_event.category=cc",
        "legacy_event.name=layer",
        "legacy_event.phase=O",
        "legacy_event.unscoped_id=42",
        "debug.size=3",
    ];
    assert_eq!(args, expected);
    assert_eq!(trace.slices.len(), 0);
    let kinds: Vec<_> = trace.repairs.rows().iter().map(|row| row.kind).collect();
    assert_eq!(kinds, [RepairKind::UnknownAction]);
}

#[test]
fn benchmarks_interrupts_and_the_journal() {
    let benchmark = Proto::new()
        .text(3, "speed")
        .int(8, 2)
        .int(9, 1)
        .text(7, "a");
    let mapping = |id, name: &str| Proto::new().message(1, Proto::new().int(1, id).text(2, name));
    let line = Proto::new()
        .int(1, 7)
        .int(3, 0)
        .int(5, 4)
        .text(6, "sshd")
        .text(7, "hello");
    let trace = read([
        packet(1, 48, benchmark),
        packet(2, 130, mapping(5, "mmc")),
        packet(3, 130, mapping(5, "again")),
        packet(3, 130, mapping(5, "other")).int(98, 7),
        packet(4, 132, line),
        packet(5, 132, Proto::new().int(20, 9)),
    ]);
    assert_eq!(trace.metadata("benchmark_name"), Some("speed"));
    assert_eq!(trace.metadata("benchmark_had_failures"), Some("1"));
    assert_eq!(
        records(&trace, "_linux_interrupt_mapping"),
        [
            "irq_id=5 name=mmc machine_id=0",
            "irq_id=5 name=other machine_id=1"
        ]
    );
    let lines = records(&trace, "__intrinsic_logs");
    assert_eq!(lines.len(), 1);
    let start = "prio=4 log_source=systemd_journald msg=hello tag=sshd";
    assert!(lines[0].starts_with(start), "{lines:?}");
    let stats = records(&trace, "stats");
    let total = "name=systemd_journal_num_total value=9 machine_id=0";
    assert!(stats.iter().any(|row| row == total), "{stats:?}");
}

/// The process tree has both the inner and the outer pids and tids of containers.
#[test]
fn descriptors_in_containers_have_numbers_of_the_container() {
    let process = Proto::new().int(1, 1003).text(3, "server").packed(6, &[1]);
    let thread = Proto::new().int(1, 1005).int(3, 1003).packed(4, &[3]);
    let tree = Proto::new().message(1, process).message(2, thread);
    let described = |uuid, pid, tid| {
        let thread = Proto::new().int(1, pid).int(2, tid).text(5, "worker");
        let track = Proto::new().int(1, uuid).message(4, thread);
        packet(9, 60, track).int(10, 1).int(79, 1003)
    };
    let trace = read([described(1, 1, 3), described(2, 1, 1), packet(5, 2, tree)]);
    let threads = trace.threads.rows().skip(1);
    let threads: Vec<_> = threads.map(|row| (row.tid, row.upid.0)).collect();
    assert_eq!(threads, [(1003, 1), (1005, 1)]);
    assert_eq!(trace.processes.row(1).pid, 1003);
}

#[test]
fn programs_of_perfetto_trace_themselves() {
    let event = |ts, dur, content: Proto| packet(ts, 49, content.int(3, dur).int(5, 8));
    let text = Proto::new().int(1, 4).text(2, "Parse");
    let arg = |value: &str| Proto::new().text(1, "word").text(2, value);
    let named = Proto::new()
        .int(11, 4)
        .message(10, text)
        .message(7, arg("a"))
        .message(7, arg("b"));
    let counter = Proto::new().int(2, 1).int(4, 7).int(5, 8);
    let trace = read([
        event(10, 100, named),
        event(20, 30, Proto::new().int(1, 12)),
        packet(30, 49, counter),
    ]);
    let slices = trace.slices.rows().map(|row| {
        let name = trace.strings.get(row.name);
        (name, row.ts, row.dur, row.depth)
    });
    let expected = [("Parse", 10, 100, 0), ("READ_SYS_STATS", 20, 30, 1)];
    assert_eq!(slices.collect::<Vec<_>>(), expected);
    let args = trace.args.set(trace.slices.arg_set_id.get(0));
    let args: Vec<_> = args.map(|(key, _)| trace.strings.get(key)).collect();
    assert_eq!(args, ["word[0]", "word[1]"]);
    let counter = trace.counters.row(0);
    assert_eq!(counter.value, 7.0);
    let track = trace.tracks.row(counter.track_id.row());
    assert_eq!(trace.strings.get(track.name), "FTRACE_PAGES_DRAINED");
}

#[test]
fn a_metatrace_event_ends_with_the_one_around_it() {
    let event = |ts, dur| packet(ts, 49, Proto::new().int(1, 12).int(3, dur).int(5, 8));
    let trace = read([event(10, 10), event(15, 100), event(200, 5)]);
    let slices = trace.slices.rows().map(|row| (row.ts, row.dur, row.depth));
    assert_eq!(
        slices.collect::<Vec<_>>(),
        [(10, 10, 0), (15, 5, 1), (200, 5, 0)]
    );
    assert_eq!(trace.repairs.count(RepairKind::BadField), 1);
}

#[test]
fn more_facts_and_errors_of_lists() {
    let config = Proto::new().message(7, Proto::new().int(4, 99));
    let interest = Proto::new().int(1, 7);
    let trace = read([
        packet(1, 33, config),
        packet(2, 90, interest),
        packet(3, 83, Proto::new().int(3, 1)),
        packet(4, 123, Proto::new().int(2, -1)),
    ]);
    let id = trace.metadata("statsd_triggering_subscription_id");
    assert_eq!(id, Some("99"));
    assert_eq!(trace.metadata("range_of_interest_start_us"), Some("7"));
    let stats = records(&trace, "stats");
    for name in ["game_intervention_has_read_errors", "user_list_errors"] {
        let row = format!("name={name} value=1 machine_id=0");
        assert!(stats.contains(&row), "{stats:?}");
    }
}

#[test]
fn atoms_of_statsd_are_instants() {
    let scan = Proto::new().int(1, 5).text(2, "wifi").raw(3, &[0, 1]);
    let own = Proto::new().double(1, 0.5);
    let atoms = Proto::new()
        .message(1, Proto::new().message(100_001, own))
        .message(1, Proto::new().message(2, scan))
        .packed(2, &[900, 800]);
    let trace = read([packet(1_000, 84, atoms)]);
    let slices = trace.slices.rows().map(|row| {
        let args = trace.args.set(row.arg_set_id).map(|(key, value)| {
            let value = value.display(&trace.strings);
            format!("{}={value}", trace.strings.get(key))
        });
        let args: Vec<_> = args.collect();
        let name = trace.strings.get(row.name);
        format!("{} {name} {}", row.ts, args.join(" "))
    });
    assert_eq!(
        slices.collect::<Vec<_>>(),
        [
            "800 ble_scan_state_changed field_1=5 field_2=wifi field_3=AAE=",
            "900 atom_100001 field_1_assuming_double=0.5",
        ]
    );
}

#[test]
fn known_atoms_have_named_fields() {
    let node = |uid| Proto::new().int(1, uid).text(2, "tag");
    let job = Proto::new()
        .message(1, node(10_090))
        .message(1, node(1_000))
        .text(2, "com.app/Job")
        .int(3, 1)
        .int(4, -1)
        .int(5, 99)
        .int(12, 1)
        .int(200, 5);
    let atoms = Proto::new().message(1, Proto::new().message(8, job));
    let trace = read([packet(1_000, 84, atoms)]);
    let instant = trace.slices.row(0);
    let args = trace.args.set(instant.arg_set_id).map(|(key, value)| {
        let key = trace.strings.get(key);
        let key = key.strip_prefix("scheduled_job_state_changed.").unwrap();
        format!("{key}={}", value.display(&trace.strings))
    });
    let expected = [
        "attribution_node[0].uid=10090",
        "attribution_node[0].tag=tag",
        "attribution_node[1].uid=1000",
        "attribution_node[1].tag=tag",
        "job_name=com.app/Job",
        "state=STARTED",
        "internal_stop_reason=INTERNAL_STOP_REASON_UNKNOWN",
        "standby_bucket=99",
        "has_idle_constraint=true",
        "field_200=5",
    ];
    assert_eq!(args.collect::<Vec<_>>(), expected);
}
