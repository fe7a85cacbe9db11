//! Tests ring files that testkit builds from the format description, and round trips through our
//! writer.

use testkit::{Rng, ring_record, ring_text, tiny_ring};
use traceloom_ring::layout::SAMPLED_TID;
use traceloom_ring::{FileHeader, Image, NoteKind, Owner, What};
use traceloom_trace::{RepairKind, RowId, SliceId, Trace};

use crate::{FORMATS, ReadOptions, WriteOptions, detect, read_bytes};

mod props;

fn read(bytes: &[u8]) -> Trace {
    read_bytes(bytes, ReadOptions::default()).expect("a ring file")
}

/// `thread: start +duration name`, by time.
fn slices(trace: &Trace) -> Vec<String> {
    let rows = trace.slices.rows().enumerate();
    let rows = rows.filter(|(_, row)| !row.instant);
    let shown = rows.map(|(row, slice)| {
        let track = trace.tracks.row(slice.track_id.row());
        let owner = match track.utid.some() {
            Some(utid) => trace.thread_name(utid),
            None => format!("pid {}", trace.processes.pid.get(track.upid.row())),
        };
        let name = trace.slice_name(SliceId::from_row(row));
        format!("{owner}: {} +{} {name}", slice.ts, slice.dur)
    });
    shown.collect()
}

#[test]
fn every_record_becomes_what_it_says() {
    let bytes = tiny_ring().to_bytes();
    assert_eq!(detect(&bytes).map(|format| format.id()), Some("ring"));
    let trace = read(&bytes);
    assert_eq!(
        slices(&trace),
        [
            "main: 1010 +50 decode",
            "main: 1015 +40 a.B.run",
            "main: 1020 +30 2",
            "worker: 1021 +20 decode",
            "pid 4711: 1063 +1 #8",
            "main: 500000000 +5 draw",
            "pid 4711: 500000003 +1 load",
            "main: 500000007 +100000002 a long name",
        ]
    );
    let cpu: Vec<i64> = trace
        .slices
        .thread_dur
        .iter()
        .filter(|dur| *dur >= 0)
        .collect();
    assert_eq!(cpu, [20]);
    let counters: Vec<(i64, String, f64)> = trace
        .counters
        .rows()
        .map(|row| {
            let name = trace.tracks.name.get(row.track_id.row());
            (row.ts, trace.strings.get(name).to_owned(), row.value)
        })
        .collect();
    assert_eq!(
        counters,
        [
            (1_061, "fps".to_owned(), -3.0),
            (500_000_001, "queue".to_owned(), 5.0),
            (500_000_006, "from libcutils".to_owned(), 6.0),
        ]
    );
    let instants: Vec<&str> = trace
        .slices
        .instants()
        .map(|row| trace.strings.get(trace.slices.name.get(row)))
        .collect();
    assert_eq!(instants, ["#8", "tap"]);
}

#[test]
fn processes_clocks_and_repairs_are_told() {
    let trace = read(&tiny_ring().to_bytes());
    let process = trace.processes.row(1);
    assert_eq!(
        (process.pid, trace.strings.get(process.name)),
        (4711, "com.example.app")
    );
    let tids: Vec<i64> = trace.threads.tid.iter().skip(1).collect();
    assert_eq!(tids, [4711, 4712]);
    assert!(trace.threads.is_main_thread.get(1));
    let clocks: Vec<(&str, i64, i64)> = trace
        .clocks
        .iter()
        .map(|row| (row.clock.name(), row.ts, row.value_ns))
        .collect();
    assert_eq!(
        clocks,
        [
            ("boot", 1_000, 1_000),
            ("monotonic", 1_000, 900),
            ("realtime", 1_000, 1_700_000_000_000_001_000)
        ]
    );
    let repairs: Vec<(RepairKind, u64)> = trace
        .repairs
        .rows()
        .iter()
        .map(|row| (row.kind, row.count))
        .collect();
    assert_eq!(repairs, [(RepairKind::MissingSummary, 1)]);
}

#[test]
fn sections_and_methods_close_only_their_like() {
    let mut ring = tiny_ring();
    ring.chunks.truncate(2);
    ring.chunks[0].thread.1 = 0;
    ring.chunks[0].base = 0;
    ring.chunks[0].records = [
        ring_record(4, 1, 5), // method 5 at 1
        ring_record(3, 1, 0), // an end without a begin
        ring_record(2, 1, 9), // a section at 3, without an end
        ring_record(5, 1, 4), // a method that is not open
        ring_record(5, 1, 5), // the exit of method 5 at 5
        ring_record(3, 1, 0), // the section's end, too late
    ]
    .concat();
    ring.chunks.truncate(1);
    let trace = read(&ring.to_bytes());
    assert_eq!(slices(&trace), ["main: 1 +4 5", "main: 3 +2 fps"]);
    for (kind, count) in [
        (RepairKind::UnmatchedEnd, 2),
        (RepairKind::UnmatchedExit, 1),
        (RepairKind::MissingExit, 1),
    ] {
        assert_eq!(trace.repairs.count(kind), count, "{kind:?}");
    }
}

/// Chunks of a process that was killed while it took the oldest chunk from its thread.
#[test]
fn a_chunk_that_was_being_emptied_is_no_damage() {
    let events = |values: &[u32]| values.iter().map(|id| ring_record(9, 1, *id)).collect();
    let chunk = |claim, ordinal, base, values: &[u32]| {
        let records: Vec<Vec<u8>> = events(values);
        let mut chunk = tiny_ring().chunks[2].clone();
        (chunk.claim, chunk.thread) = (claim, (1, ordinal));
        (chunk.base, chunk.records) = (base, records.concat());
        chunk
    };
    let read = |chunks: Vec<testkit::RingChunk>| {
        let mut ring = tiny_ring();
        ring.chunks = chunks;
        let trace = read(&ring.to_bytes());
        let names = trace.slices.instants();
        let names = names.map(|row| trace.strings.get(trace.slices.name.get(row)).to_owned());
        let repairs = trace.repairs.count(RepairKind::BrokenBlock);
        assert_eq!(repairs, 0);
        let dropped = trace.repairs.count(RepairKind::BufferOverflow);
        (names.collect::<Vec<_>>().join(" "), dropped)
    };
    // Its events were not dropped yet: they directly precede those of the next chunk.
    let newer = chunk((5, 3), 4, 2_000, &[13, 14]);
    let kept = read(vec![newer.clone(), chunk((9, 1), 3, 1_500, &[11, 12])]);
    assert_eq!(kept, ("#11 #12 #13 #14".to_owned(), 0));
    // Other threads have already overwritten the chunk after it.
    let given_up = read(vec![newer.clone(), chunk((9, 1), 2, 1_500, &[11, 12])]);
    assert_eq!(given_up, ("#13 #14".to_owned(), 2));
    // It is already empty, and its header is that of the next thread.
    let empty = read(vec![newer, chunk((9, 1), 77, 0, &[])]);
    assert_eq!(empty, ("#13 #14".to_owned(), 0));
}

/// A chunk that three threads used one after the other.
#[test]
fn threads_may_share_a_chunk() {
    let mut ring = tiny_ring();
    let mut first = ring.chunks[2].clone();
    first.thread.1 |= 1 << 31;
    let mut records = vec![ring_record(2, 1, 9), ring_record(3, 1, 0)];
    for (thread, tid, base) in [(7u32, 5_001u32, 3_000u64), (8, 5_002, 4_000)] {
        let mut header = vec![0; 64];
        let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &(u64::from(thread) << 2 | 2).to_le_bytes());
        put(12, &thread.to_le_bytes());
        put(16, &base.to_le_bytes());
        put(36, &4_711u32.to_le_bytes());
        put(40, &tid.to_le_bytes());
        put(48, format!("next {thread}").as_bytes());
        records.push([&ring_record(18, 0, 64)[..], &header].concat());
        records.push(ring_record(2, 5, 7));
        records.push(ring_record(3, 20, 0));
    }
    first.records = records.concat();
    ring.chunks = vec![first];
    let trace = read(&ring.to_bytes());
    let expected = [
        "main: 1001 +1 fps",
        "next 7: 3005 +20 decode",
        "next 8: 4005 +20 decode",
    ];
    assert_eq!(slices(&trace), expected);
    let tids: Vec<i64> = trace.threads.tid.iter().skip(1).collect();
    assert_eq!(tids, [4_711, 5_001, 5_002]);
}

#[test]
fn nothing_lasts_over_chunks_that_are_missing() {
    let mut ring = tiny_ring();
    let mut chunks = vec![ring.chunks[2].clone(), ring.chunks[2].clone()];
    chunks[0].base = 0;
    chunks[0].records = [
        ring_record(2, 1, 9),                            // a section at 1
        ring_record(4, 1, 5),                            // method 5 at 2
        ring_text(17, 1, 1 << 31, None, "B|4711|a lon"), // a mark that goes on
    ]
    .concat();
    // The next chunk comes four chunks later.
    (chunks[1].claim, chunks[1].thread.1, chunks[1].base) = ((9, 3), 5, 1_000);
    chunks[1].records = [
        ring_text(17, 0, 1 << 30, None, "g name"), // the end of another mark
        ring_record(5, 10, 5),                     // an exit of method 5
        ring_record(3, 10, 0),                     // the end of a section
        ring_record(2, 1, 9),                      // a section at 1,021
        ring_record(3, 1, 0),
    ]
    .concat();
    ring.chunks = chunks;
    let trace = read(&ring.to_bytes());
    let expected = ["main: 1 +1 fps", "main: 2 +0 5", "main: 1021 +1 fps"];
    assert_eq!(slices(&trace), expected);
    for (kind, count) in [
        (RepairKind::MissingExit, 2),
        (RepairKind::BrokenBlock, 4),
        (RepairKind::TornRecord, 2),
        (RepairKind::UnmatchedExit, 1),
        (RepairKind::UnmatchedEnd, 1),
    ] {
        assert_eq!(trace.repairs.count(kind), count, "{kind:?}");
    }
}

#[test]
fn a_cut_file_gives_what_is_there() {
    let bytes = tiny_ring().to_bytes();
    for length in 0..bytes.len() {
        let result = read_bytes(&bytes[..length], ReadOptions::default());
        match result {
            Ok(trace) => {
                assert!(length >= 4096, "{length}");
                assert!(trace.repairs.count(RepairKind::TornRecord) > 0, "{length}");
            }
            Err(error) => assert!(length < 4096, "{length}: {error}"),
        }
    }
}

#[test]
fn damage_ends_in_a_trace_or_a_clear_error() {
    let whole = tiny_ring().to_bytes();
    let mut rng = Rng::new(7);
    for _ in 0..1_000 {
        let damaged = testkit::mutate(&whole, &mut rng);
        let _trace_or_error = read_bytes(&damaged, ReadOptions::default());
    }
}

#[test]
fn fields_that_nothing_can_be_read_with_are_named() {
    let whole = tiny_ring().to_bytes();
    let with = |at: usize, value: u32| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        read_bytes(&bytes, ReadOptions::default())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(with(8, 9), "ring: version is 9 at byte 8; expected 1 or 2");
    assert_eq!(
        with(16, 1000),
        "ring: chunk_bytes is 1000 at byte 16; expected a power of two from 1024 to 1048576"
    );
    assert_eq!(with(32, 3), "ring: clock is 3 at byte 32; expected 0 to 2");
}

fn write(trace: &Trace) -> Vec<u8> {
    let format = FORMATS.iter().find(|format| format.id() == "ring").unwrap();
    let mut bytes = Vec::new();
    let writer = format.writer().unwrap();
    writer
        .write(trace, &WriteOptions::default(), &mut bytes)
        .unwrap();
    bytes
}

#[test]
fn what_is_written_reads_back_the_same() {
    let samples = [tiny_ring().to_bytes(), testkit::app_trace().to_bytes()];
    for bytes in samples {
        let trace = read(&bytes);
        let again = read(&write(&trace));
        assert_eq!(slices(&trace), slices(&again));
        let counters = |trace: &Trace| -> Vec<(i64, u64)> {
            let rows = trace.counters.rows();
            rows.map(|row| (row.ts, row.value.to_bits())).collect()
        };
        assert_eq!(counters(&trace), counters(&again));
        let instants = |trace: &Trace| trace.slices.instants().count();
        assert_eq!(instants(&trace), instants(&again));
        let cpu = |trace: &Trace| trace.slices.thread_dur.iter().collect::<Vec<_>>();
        assert_eq!(cpu(&trace), cpu(&again));
    }
}

/// A recording with a sampled thread and a kernel thread of the same number.
fn sampled_ring() -> Vec<u8> {
    let header = FileHeader {
        pid: 40,
        sample_ns: 1_500_000,
        samples: 3,
        ..FileHeader::default()
    };
    let mut image = Image::new(header);
    let name = *b"worker\0\0\0\0\0\0\0\0\0\0";
    let [kernels, sampled] =
        [41, SAMPLED_TID + 41].map(|tid| image.owner(Owner { pid: 40, tid, name }));
    image.note(NoteKind::Name, 8, b"a.B does it (...)");
    image.note(NoteKind::Source, 8, b"B.kt:12");
    image.note(NoteKind::Name, 9, b"a.B c (...)");
    image.note(NoteKind::Source, 9, b"B.kt");
    let cpu_ns = None;
    image.push(sampled, 10, &What::Enter { id: 8, cpu_ns });
    image.push(kernels, 15, &What::Enter { id: 1, cpu_ns });
    image.push(sampled, 20, &What::Enter { id: 9, cpu_ns });
    image.push(kernels, 25, &What::Exit { id: 1, cpu_ns });
    image.push(sampled, 30, &What::Exit { id: 9, cpu_ns });
    image.push(sampled, 30, &What::Exit { id: 8, cpu_ns });
    image.into_bytes()
}

#[test]
fn sampled_threads_are_their_own() {
    let trace = read(&sampled_ring());
    let expected = [
        "worker: 10 +20 a.B.does it",
        "worker: 15 +10 1",
        "worker: 20 +10 a.B.c",
    ];
    assert_eq!(slices(&trace), expected);
    let threads = trace.threads.rows().skip(1);
    let threads: Vec<_> = threads.map(|row| (row.tid, row.is_main_thread)).collect();
    assert_eq!(threads, [(41, false), (41, false)]);
    let first = trace.slices.track_id.get(0);
    assert_eq!(first, trace.slices.track_id.get(2));
    assert_ne!(first, trace.slices.track_id.get(1));
    assert_eq!(trace.metadata("sampling-interval-usec"), Some("1500"));
    assert_eq!(trace.metadata("num-samples"), Some("3"));
    assert!(trace.repairs.rows().is_empty());

    let sources = |trace: &Trace| -> Vec<(String, i32)> {
        let rows = trace.methods.rows();
        rows.map(|row| (trace.strings.get(row.file).to_owned(), row.line))
            .collect()
    };
    let found = [
        ("B.kt".to_owned(), 12),
        (String::new(), -1),
        ("B.kt".to_owned(), -1),
    ];
    assert_eq!(sources(&trace), found);
    assert_eq!(sources(&read(&write(&trace))), found);
}
