//! Tests of graphics packets and network packets.

use testkit::Proto;
use traceloom_trace::{ArgValue, RepairKind, RowId, Trace, TrackId};

use crate::perfetto::tests::{packet, read};
use crate::{ReadOptions, read_bytes};

/// The text or the number in a column of each row of a table.
fn column(trace: &Trace, table: &str, column: &str) -> Vec<String> {
    let (table, column) = (trace.strings.lookup(table), trace.strings.lookup(column));
    let rows = trace.records.rows().table.iter().enumerate();
    let rows = rows.filter(|(_, of)| Some(*of) == table);
    rows.map(|(row, _)| {
        let cell = column.and_then(|column| trace.records.cell(row, column));
        cell.map_or("–".to_owned(), |cell| cell.display(&trace.strings))
    })
    .collect()
}

fn track_name(trace: &Trace, track: TrackId) -> &str {
    trace.strings.get(trace.tracks.name.get(track.row()))
}

/// The track, the name, the start and the duration of each slice.
fn slices(trace: &Trace) -> Vec<(&str, &str, i64, i64)> {
    let rows = trace.slices.rows();
    rows.map(|row| {
        let name = trace.strings.get(row.name);
        (track_name(trace, row.track_id), name, row.ts, row.dur)
    })
    .collect()
}

/// The value of an argument of a slice, as text.
fn arg(trace: &Trace, slice: usize, key: &str) -> Option<String> {
    let key = trace.strings.lookup(key)?;
    let value = trace.args.value(trace.slices.arg_set_id.get(slice), key)?;
    Some(value.display(&trace.strings))
}

#[test]
fn counters_of_gpus_have_units_and_groups() {
    const HERTZ: i64 = 13;
    const SECOND: i64 = 22;
    let spec = |id, name| Proto::new().int(1, id).text(2, name);
    let clock = spec(1, "clock").text(3, "how fast").int(7, HERTZ);
    let rate = spec(2, "rate").int(8, SECOND).int(10, 3).int(11, 2);
    let group = Proto::new().int(1, 9).text(2, "all").int(4, 1).int(4, 2);
    let descriptor = Proto::new()
        .message(1, clock)
        .message(1, rate)
        .message(6, group);
    let value = |id, value| Proto::new().int(1, id).int(2, value);
    let event = |values: [Proto; 2]| {
        let [one, other] = values;
        Proto::new().int(3, 4).message(2, one).message(2, other)
    };
    let trace = read([
        packet(5, 52, Proto::new().int(3, 4).message(1, descriptor)),
        packet(10, 52, event([value(1, 100), value(2, 200)])),
        packet(20, 52, event([value(1, 110), value(2, 210)])),
        Proto::new().message(52, event([value(1, 0), value(2, 0)])),
    ]);
    let counters: Vec<_> = trace
        .counters
        .rows()
        .map(|row| (track_name(&trace, row.track_id), row.ts, row.value))
        .collect();
    // Values of `clock` apply to the time before them, so no value is known after the last one.
    let expected = [
        ("rate", 10, 200.0),
        ("clock", 10, 110.0),
        ("rate", 20, 210.0),
        ("clock", 20, 0.0),
    ];
    assert_eq!(counters, expected);
    let units = trace.tracks.unit.iter();
    let units: Vec<_> = units.map(|unit| trace.strings.get(unit)).collect();
    assert_eq!(units, ["Hz", "/s"]);
    let gpus = column(&trace, "_gpu_track_detail", "gpu_id");
    assert_eq!(gpus, ["4", "4"]);
    let groups = column(&trace, "gpu_counter_group", "group_id");
    assert_eq!(groups, ["0", "3", "9", "9"]);
    assert_eq!(column(&trace, "__intrinsic_gpu", "gpu"), ["4"]);
    let stats = column(&trace, "stats", "name");
    assert_eq!(stats, ["gpu_counters_missing_timestamp"]);
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 1);
}

#[test]
fn a_sequence_may_use_counters_that_another_one_describes() {
    let spec = Proto::new().int(1, 1).text(2, "clock").int(11, 2);
    let descriptor = Proto::new().message(1, spec);
    let value = |value| Proto::new().message(2, Proto::new().int(1, 1).int(2, value));
    let trace = read([
        packet(5, 52, Proto::new().message(1, descriptor)).int(10, 1),
        packet(10, 52, value(100)).int(10, 2),
        packet(20, 52, value(200)).int(10, 1),
    ]);
    let rows = trace.counters.rows();
    let values = rows.map(|row| (track_name(&trace, row.track_id), row.ts, row.value));
    let expected = [("clock", 10, 100.0), ("clock", 20, 200.0)];
    assert_eq!(values.collect::<Vec<_>>(), expected);
}

#[test]
fn frequencies_of_gpus() {
    let frequency = |gpu, khz| Proto::new().int(1, gpu).int(2, khz);
    let trace = read([
        packet(5, 129, frequency(0, 300)),
        packet(6, 129, frequency(1, 400)),
    ]);
    let rows = trace.counters.rows();
    let values = rows.map(|row| (track_name(&trace, row.track_id), row.value));
    let expected = [("gpufreq", 300.0), ("gpufreq 1", 400.0)];
    assert_eq!(values.collect::<Vec<_>>(), expected);
}

#[test]
fn gpus_are_described() {
    let extra = Proto::new().text(1, "driver").text(2, "5");
    let gpu = Proto::new().text(1, "one").raw(5, &[0xab, 1]);
    let trace = read([packet(
        5,
        128,
        Proto::new().message(1, gpu.message(6, extra)),
    )]);
    assert_eq!(column(&trace, "__intrinsic_gpu", "name"), ["one"]);
    assert_eq!(column(&trace, "__intrinsic_gpu", "uuid"), ["ab01"]);
    let args: Vec<_> = trace.args.set(traceloom_trace::ArgSetId(0)).collect();
    assert!(matches!(args[..], [(_, ArgValue::Text(_))]), "{args:?}");
}

/// A packet of a sequence with interned data.
fn with_interned(ts: i64, interned: Proto, number: u32, content: Proto) -> Proto {
    let packet = packet(ts, number, content).int(10, 1).int(13, 1);
    packet.message(12, interned)
}

#[test]
fn stages_that_overlap_are_on_lanes() {
    let named = |iid, name| Proto::new().int(1, iid).text(2, name);
    let context = Proto::new().int(1, 7).int(2, 66).int(3, 2);
    let interned = Proto::new()
        .message(24, named(1, "queue"))
        .message(24, named(2, "vertex").text(3, "first").int(4, 1))
        .message(23, context);
    let stage = |id| Proto::new().int(1, id).int(2, 10).int(13, 1).int(14, 2);
    let waits = stage(2).int(18, 1).int(5, 7).int(15, 0b101);
    let trace = read([
        with_interned(100, interned, 53, stage(1)),
        packet(105, 53, waits).int(10, 1),
        packet(120, 53, Proto::new().int(1, 3).int(3, 6).int(4, 5)).int(10, 1),
        packet(130, 53, Proto::new().int(1, 4).int(13, 99)).int(10, 1),
    ]);
    let expected = [
        ("queue", "vertex", 100, 10),
        ("queue", "vertex", 105, 10),
        ("Unknown GPU Queue 6", "render stage(5)", 120, 0),
    ];
    assert_eq!(slices(&trace), expected);
    assert_eq!(trace.slices.depth.iter().max(), Some(0));
    assert_eq!(arg(&trace, 0, "description").as_deref(), Some("first"));
    assert_eq!(arg(&trace, 1, "render_subpasses").as_deref(), Some("0,2"));
    let flow = trace.flows.row(0);
    assert_eq!((flow.slice_out.0, flow.slice_in.0), (0, 1));
    assert_eq!(column(&trace, "__intrinsic_gpu_context", "api"), ["VULKAN"]);
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 1);
}

#[test]
fn a_kernel_has_its_launch() {
    let size = Proto::new().int(1, 256).int(2, 1);
    let extra = Proto::new().text(2, "registers").int(4, 32);
    let launch = Proto::new().message(1, size).message(3, extra);
    let event = Proto::new().int(1, 1).text(17, "add").message(21, launch);
    let trace = read([packet(5, 53, event)]);
    assert_eq!(slices(&trace)[0].1, "add");
    assert_eq!(arg(&trace, 0, "launch.grid_size.x").as_deref(), Some("256"));
    assert_eq!(arg(&trace, 0, "registers").as_deref(), Some("32"));
}

#[test]
fn a_buffer_goes_from_the_app_to_the_display() {
    let event = |ts, kind, frame| {
        let event = Proto::new()
            .int(1, frame)
            .int(2, kind)
            .text(3, "L")
            .int(5, 1);
        packet(ts, 57, Proto::new().message(1, event))
    };
    let trace = read([
        event(1, 1, 0),
        event(4, 2, 11),
        event(6, 4, 11),
        event(8, 5, 11),
        event(14, 8, 11),
        event(31, 1, 0),
        event(40, 1, 0),
        packet(50, 57, Proto::new().message(1, Proto::new().int(2, 1))),
    ]);
    let phases = slices(&trace);
    let phases: Vec<_> = phases
        .into_iter()
        .filter(|(track, ..)| !track.starts_with("Buffer"))
        .collect();
    let expected = [
        ("APP_1 L", "11", 1, 3),
        ("GPU_1 L", "11", 4, 2),
        ("SF_1 L", "11", 8, 6),
        ("Display_L", "11", 14, -1),
        ("APP_1 L", "0", 31, -1),
        ("APP_1 L", "40", 40, -1),
    ];
    assert_eq!(phases, expected);
    let dequeue = slices(&trace).iter().position(|slice| slice.1 == "Dequeue");
    let frame = arg(&trace, dequeue.unwrap(), "frame_number");
    assert_eq!(frame.as_deref(), Some("11"));
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 1);
}

#[test]
fn vulkan_names_submits_and_allocates() {
    let name = Proto::new().int(3, 24).int(4, 5).text(5, "target");
    let submit = Proto::new().int(1, 30).int(2, 7).int(5, 80).int(5, 81);
    let stage = Proto::new().int(1, 1).int(8, 5);
    let memory = |operation, bytes| {
        let event = Proto::new().int(1, 3).int(2, operation).int(3, 50);
        event.int(4, 7).int(6, bytes).int(18, 2)
    };
    let trace = read([
        packet(5, 65, Proto::new().message(1, name)),
        packet(10, 65, Proto::new().message(2, submit)),
        packet(20, 53, stage),
        packet(30, 63, Proto::new().int(1, 5).text(2, "tag").text(3, "bad")),
        packet(50, 62, memory(1, 100)),
        packet(51, 62, memory(2, 40)),
    ]);
    let expected = [
        ("Vulkan Events", "vkQueueSubmit", 10, 30),
        ("Unknown GPU Queue 0", "render stage(0)", 20, 0),
        ("GPU Log", "ERROR", 30, 0),
    ];
    assert_eq!(slices(&trace), expected);
    assert_eq!(arg(&trace, 0, "command_buffers[1]").as_deref(), Some("81"));
    let target = arg(&trace, 1, "render_target_name");
    assert_eq!(target.as_deref(), Some("target"));
    assert_eq!(arg(&trace, 2, "message").as_deref(), Some("bad"));
    let values: Vec<f64> = trace.counters.rows().map(|row| row.value).collect();
    assert_eq!(values, [100.0, 60.0]);
    let operations = column(&trace, "vulkan_memory_allocations", "operation");
    assert_eq!(operations, ["CREATE", "DESTROY"]);
}

#[test]
fn packets_of_the_network() {
    let context = |uid| {
        Proto::new()
            .int(1, 2)
            .text(2, "wlan0")
            .int(4, uid)
            .int(6, 6)
    };
    let one = context(10_050).int(3, 700).int(7, 0b11);
    let many = Proto::new()
        .message(2, context(7))
        .raw(3, &[0, 9])
        .raw(4, &[40, 50]);
    let sum = Proto::new().int(1, 3).int(5, 4).int(6, 1_000).int(7, 5_000);
    let interned = Proto::new().message(30, Proto::new().int(1, 3).message(2, context(7)));
    let trace = read([
        packet(10, 88, one),
        packet(20, 92, many),
        with_interned(40, interned, 92, sum),
    ]);
    let track = "wlan0 Transmitted";
    let expected = [
        (track, "uid=10050", 10, 0),
        (track, "uid=7", 20, 0),
        (track, "uid=7", 29, 0),
        (track, "uid=7", 40, 1_000),
    ];
    assert_eq!(slices(&trace), expected);
    let of = |name| column(&trace, "__intrinsic_android_network_packets", name);
    assert_eq!(of("id"), ["0", "1", "2", "3"]);
    assert_eq!(of("packet_length"), ["700", "40", "50", "5000"]);
    assert_eq!(of("packet_count"), ["1", "1", "1", "4"]);
    assert_eq!(of("packet_tcp_flags_str")[0], "fs......");
    assert_eq!(of("packet_transport")[0], "IPPROTO_TCP");
}

/// Changing any byte must not cause a panic.
#[test]
fn damage_is_survived() {
    let event = Proto::new().int(1, 3).int(2, 9).text(3, "name");
    let inner = [5, 6, 9, 21]
        .into_iter()
        .fold(event.clone(), |all, number| {
            all.message(number, event.clone())
        });
    let numbers = [52, 53, 57, 62, 63, 65, 88, 92, 128];
    let trace = numbers.into_iter().fold(Proto::new(), |all, number| {
        let packet = with_interned(5, inner.clone(), number, inner.clone());
        all.message(1, packet)
    });
    for at in 0..trace.bytes().len() {
        for value in [0, 0xff] {
            let mut bytes = trace.bytes().to_vec();
            bytes[at] = value;
            _ = read_bytes(&bytes, ReadOptions::default());
        }
    }
}

/// Threads submit stages and wait for them. Their events may come before the stages or after them.
#[test]
fn flows_connect_threads_and_stages() {
    let name = |name| Proto::new().int(9, 3).text(23, name);
    let submits = name("submit").message(3000, Proto::new().int(1, 1).int(1, 2));
    let waits = name("wait").message(3000, Proto::new().packed(2, &[1, 2]));
    let stage = |id| Proto::new().int(1, id).int(2, 10).int(3, id).int(4, id);
    let on_thread = |ts, event| packet(ts, 11, event).int(10, 1).int(13, 1);
    let trace = read([
        on_thread(5, submits),
        packet(10, 53, stage(1)).int(10, 1),
        on_thread(15, waits),
        packet(20, 53, stage(2).int(18, 1)).int(10, 1),
    ]);
    let name =
        |slice: traceloom_trace::SliceId| trace.strings.get(trace.slices.name.get(slice.row()));
    let flows = trace.flows.rows();
    let mut flows: Vec<_> = flows
        .map(|flow| [name(flow.slice_out), name(flow.slice_in)])
        .collect();
    flows.sort_unstable();
    let [one, two] = ["render stage(1)", "render stage(2)"];
    let expected = [
        [one, two],
        [one, "wait"],
        [two, "wait"],
        ["submit", one],
        ["submit", two],
    ];
    assert_eq!(flows, expected);
}

#[test]
fn flows_of_events_with_the_same_id_are_limited() {
    let stage = || Proto::new().int(1, 1).int(2, 10).int(18, 1);
    let trace = read((0..2_000).map(|ts| packet(ts, 53, stage())));
    assert!(trace.flows.len() < 100_000, "{}", trace.flows.len());
    assert!(trace.repairs.count(RepairKind::BeyondLimit) > 0);
}

#[test]
fn counters_that_are_not_described_properly_count() {
    let spec = |id, name| Proto::new().int(1, id).text(2, name);
    let descriptor = Proto::new()
        .message(1, spec(1, "clock"))
        .message(1, spec(1, "clock"))
        .message(1, Proto::new().int(1, 2));
    let unknown = Proto::new().int(4, 9);
    let trace = read([
        packet(5, 52, Proto::new().message(1, descriptor)),
        packet(6, 52, unknown).int(10, 1),
    ]);
    let names = column(&trace, "stats", "name");
    let values = column(&trace, "stats", "value");
    let figure = names
        .iter()
        .position(|name| name == "gpu_counters_invalid_spec");
    assert_eq!(figure.map(|at| values[at].as_str()), Some("3"));
}
