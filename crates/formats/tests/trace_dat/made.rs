//! Files made by the testkit: all versions, machines and compressions give the same trace.

use testkit::{DatBytes, DatCompression, Machine, small_dat};
use traceloom_formats::{ReadOptions, Reader, Target, wants_whole};
use traceloom_trace::{RepairKind, Trace, TraceBuilder};

use crate::story::{Story, args_of, open};

pub const MACHINES: [Machine; 4] = [
    Machine {
        big_endian: false,
        long_bytes: 8,
    },
    Machine {
        big_endian: false,
        long_bytes: 4,
    },
    Machine {
        big_endian: true,
        long_bytes: 8,
    },
    Machine {
        big_endian: true,
        long_bytes: 4,
    },
];

/// Every kind of file, with a description.
pub fn every_kind() -> Vec<(String, DatBytes)> {
    use DatCompression::*;
    let mut all = Vec::new();
    for machine in MACHINES {
        for (version, compression) in [(6, None), (7, None), (7, Zlib), (7, Zstd)] {
            let what = format!("version {version}, {compression:?}, {machine:?}");
            all.push((what, small_dat(version, machine, compression)));
        }
    }
    all
}

fn usual() -> Trace {
    open(&small_dat(6, Machine::USUAL, DatCompression::None).to_bytes())
}

#[test]
fn every_kind_of_file_tells_the_same() {
    let expected = usual();
    let story = Story::of(&expected);
    for (what, dat) in every_kind() {
        let trace = open(&dat.to_bytes());
        let differences = Story::of(&trace).differences(&story);
        assert_eq!(differences, Vec::<String>::new(), "{what}");
        let repairs = |trace: &Trace| -> Vec<_> {
            let rows = trace.repairs.rows().iter();
            rows.map(|row| (row.kind, row.count)).collect()
        };
        assert_eq!(repairs(&trace), repairs(&expected), "{what}");
    }
}

#[test]
fn what_happened_is_told() {
    let story = Story::of(&usual());
    let starts = |list: &[String], text: &str| list.iter().filter(|row| row.contains(text)).count();
    // Times include the 5 ns that the option OFFSET adds.
    assert!(
        story
            .slices
            .contains(&"1000009005 +21000 t4711 /0 doFrame 0".to_owned()),
        "{:#?}",
        story.slices
    );
    assert_eq!(starts(&story.slices, "c0 irq/0 IRQ (arch_timer)"), 6);
    assert_eq!(starts(&story.slices, "SCHED"), 6);
    assert_eq!(starts(&story.slices, "block 8,0/0 WS"), 6);
    assert_eq!(starts(&story.slices, "t4720 functions/0 vfs_read"), 6);
    assert_eq!(
        starts(&story.slices, "+400 t4720 functions/1 rw_verify_area"),
        6
    );
    assert_eq!(starts(&story.sched, "thread 4711 R+"), 6);
    assert_eq!(starts(&story.sched, "thread 4720 D"), 6);
    assert_eq!(starts(&story.states, "Some(4711)"), 6);
    assert_eq!(starts(&story.counters, "p4711 pending = 1"), 1);
    assert_eq!(starts(&story.counters, "c0 cpufreq = 1800000"), 6);
    assert_eq!(starts(&story.instants, "text that is longer"), 6);
    // The instance's softirq never ends, so it is a slice as well.
    assert_eq!(starts(&story.slices, "c0 softirq/0 TIMER"), 1);
}

#[test]
fn arguments_are_those_of_the_text() {
    let trace = usual();
    let shown = args_of(&trace, "kmalloc");
    assert_eq!(
        shown,
        "call_site=vfs_read+0x10 ptr=0x7f00 bytes_req=64 gfp_flags=GFP_KERNEL|__GFP_ZERO"
    );
    let shown = args_of(&trace, "sched_process_fork");
    assert_eq!(
        shown,
        "comm=RenderThread pid=4720 child_comm=hwuiTask0 child_pid=5000"
    );
    assert_eq!(
        args_of(&trace, "function"),
        "ip=vfs_read parent_ip=rw_verify_area"
    );
    assert_eq!(args_of(&trace, "vfs_read"), "cpu=7");
}

#[test]
fn facts_and_losses_are_told() {
    let trace = usual();
    let fact = |key: &str| {
        let mut rows = trace.metadata.key.iter().zip(trace.metadata.value.iter());
        let row = rows.find(|(found, _)| trace.strings.get(*found) == key);
        row.map(|(_, value)| trace.strings.get(value).to_owned())
    };
    assert_eq!(fact("uname").as_deref(), Some("Linux phone 6.1.0 aarch64"));
    assert_eq!(fact("trace-cmd").as_deref(), Some("3.2.0"));
    assert_eq!(fact("clock").as_deref(), Some("local"));
    assert_eq!(fact("buffer").as_deref(), Some("other"));
    assert_eq!(fact("cpus").as_deref(), Some("2"));
    assert_eq!(trace.repairs.count(RepairKind::LostEvents), 17);
    // The kernel's own count is 20; pages report 17 of these.
    assert_eq!(trace.repairs.count(RepairKind::BufferOverflow), 3);
    let names: Vec<_> = trace
        .threads
        .name
        .iter()
        .map(|name| trace.strings.get(name))
        .collect();
    assert!(
        names.contains(&"ksoftirqd/0") && names.contains(&"com.example.app"),
        "{names:?}"
    );
}

/// If two buffers recorded the same switches, they are counted once.
#[test]
fn switches_of_two_buffers_are_told_once() {
    let one = small_dat(7, Machine::USUAL, DatCompression::None);
    let mut two = one.clone();
    two.buffers[1].cpus.clone_from(&one.buffers[0].cpus);
    let (one, two) = (open(&one.to_bytes()), open(&two.to_bytes()));
    // The events that are recorded twice are not damaged.
    let bad = |trace: &Trace| trace.repairs.count(RepairKind::BadField);
    assert_eq!(bad(&one), bad(&two));
    let (one, two) = (Story::of(&one), Story::of(&two));
    assert_eq!(one.sched, two.sched);
    assert_eq!(two.events["sched_switch"], one.sched.len());
}

/// Pairs of events that two buffers recorded produce each slice once.
#[test]
fn slices_of_two_buffers_are_told_once() {
    let mut one = small_dat(7, Machine::USUAL, DatCompression::None);
    one.buffers.truncate(1);
    let mut two = one.clone();
    two.buffers.push(one.buffers[0].clone());
    two.buffers[1].name = "again".to_owned();
    let (one, two) = (open(&one.to_bytes()), open(&two.to_bytes()));
    let unmatched = |trace: &Trace| trace.repairs.count(RepairKind::UnmatchedEnd);
    assert_eq!(unmatched(&one), unmatched(&two));
    let (one, two) = (Story::of(&one), Story::of(&two));
    assert_eq!(one.slices, two.slices);
    assert_eq!(one.counters, two.counters);
}

#[test]
fn bigger_sub_buffers_are_read() {
    let events = testkit::small_dat_events();
    let story = |version, page_bytes| {
        let cpus = DatBytes::pages(&events, Machine::USUAL, page_bytes);
        let mut dat = DatBytes::of(version, Machine::USUAL, cpus);
        dat.page_bytes = page_bytes;
        Story::of(&open(&dat.to_bytes()))
    };
    let expected = story(6, 4096);
    for (version, page_bytes) in [(6, 16 << 10), (7, 16 << 10), (7, 512)] {
        assert_eq!(
            story(version, page_bytes),
            expected,
            "version {version}, {page_bytes} bytes"
        );
    }
}

/// Reading in chunks and as a whole gives the same trace.
#[test]
fn chunks_make_no_difference() {
    let bytes = small_dat(7, Machine::USUAL, DatCompression::Zstd).to_bytes();
    assert!(wants_whole(&bytes));
    let mut builder = TraceBuilder::new();
    let mut reader = traceloom_formats::AnyReader::new(ReadOptions::default());
    let mut out = Target::Trace(&mut builder);
    for chunk in bytes.chunks(997) {
        reader.feed(chunk, &mut out).unwrap();
    }
    reader.finish(&mut out).unwrap();
    assert_eq!(Story::of(&builder.finish()), Story::of(&open(&bytes)));
}

/// The smallest possible events, in a file larger than the free memory limit: all are kept.
#[test]
fn dense_recordings_are_kept_whole() {
    const EVENTS: u64 = 500_000;
    let events: Vec<_> = (0..EVENTS)
        .map(|number| testkit::DatEvent {
            ts: 1_000 + number * 10,
            cpu: 0,
            tid: 7,
            name: ["softirq_entry", "softirq_exit"][number as usize % 2],
            values: vec![1.into()],
        })
        .collect();
    let pages = DatBytes::pages(&events, Machine::USUAL, 4096);
    let trace = open(&DatBytes::of(6, Machine::USUAL, pages).to_bytes());
    assert_eq!(trace.repairs.count(RepairKind::BeyondLimit), 0);
    assert_eq!(trace.slices.len(), EVENTS as usize / 2);
}

/// Times of a processor's clock, a clock that other traces use, and the time of day.
#[test]
fn clocks_are_scaled_and_tied() {
    let mut dat = small_dat(7, Machine::USUAL, DatCompression::None);
    dat.clock = "mono".to_owned();
    let trace = open(&dat.to_bytes());
    assert_eq!(trace.clocks[0].clock.name(), "monotonic");
    assert_eq!(trace.clocks[0].value_ns, trace.bounds.0);
    let first = trace.bounds.0;
    // Half a nanosecond per tick.
    let half = [1u32.to_le_bytes(), 1u32.to_le_bytes(), [0; 4], [0; 4]].concat();
    dat.options.push((14, half));
    let scaled = open(&dat.to_bytes());
    assert_eq!(scaled.bounds.0, (first - 5) / 2 + 5);
    dat.options.push((1, b"0x10\0".to_vec()));
    let dated = open(&dat.to_bytes());
    assert_eq!(dated.bounds.0, scaled.bounds.0 + 16_000);
    assert_eq!(dated.clocks[0].clock.name(), "realtime");
}
