//! Tests of whole traces, built field by field.

use testkit::Proto;
use traceloom_trace::{ArgValue, RepairKind, Trace};

use crate::{ReadOptions, read_bytes};

/// A `TracePacket` with a timestamp, ns, and content.
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

/// Changing any byte must not cause a panic.
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

#[test]
fn an_empty_field_makes_no_trace() {
    let other = [&[0x0a, 0, 0x12, 2, 0x10, 1][..], &[0x12, 2, 0x10, 1]].concat();
    assert!(read_bytes(&other, ReadOptions::default()).is_err());
    let trace = [&[0x0a, 0, 0x0a, 2, 0x40, 1][..], &[0x0a, 2, 0x40, 2]].concat();
    assert!(read_bytes(&trace, ReadOptions::default()).is_ok());
}
