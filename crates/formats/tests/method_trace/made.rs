//! Hand-made traces that demonstrate every rule of the reader.

use traceloom_formats::{ReadError, ReadOptions, read_bytes};
use traceloom_trace::{MethodAction, RepairKind, Trace};

use crate::asm::{Asm, dual, streaming};
use crate::support::{Told, read_events};

fn events(asm: Asm) -> Told {
    read_events(&asm.0).unwrap()
}

fn tables(bytes: &[u8]) -> Trace {
    read_bytes(bytes, ReadOptions::default()).unwrap()
}

fn walls_us(told: &Told) -> Vec<i64> {
    told.events
        .iter()
        .map(|event| event.wall_ns / 1000)
        .collect()
}

#[test]
fn the_same_calls_streamed_or_not() {
    let (plain, streamed) = (tables(&dual()), tables(&streaming()));
    let slices = |trace: &Trace| -> Vec<_> {
        let rows = trace.slices.rows();
        rows.map(|row| (row.ts, row.dur, row.thread_ts, row.thread_dur, row.depth))
            .collect()
    };
    assert_eq!(slices(&plain), slices(&streamed));
    assert_eq!(
        slices(&plain),
        [
            (5_000_010_000, 50_000, 0, 11_000, 0),
            (5_000_020_000, 30_000, 5_000, 4_000, 1),
            (5_000_025_000, 30_000, 0, 3_000, 0),
            (5_000_030_000, 10_000, 6_000, 2_000, 2),
        ]
    );
    for trace in [plain, streamed] {
        assert_eq!(trace.repairs.rows(), []);
        assert_eq!(trace.processes.pid.iter().collect::<Vec<_>>(), [0, 77]);
        assert_eq!(
            trace.threads.is_main_thread.iter().collect::<Vec<_>>(),
            [false, true, false]
        );
    }
    let told = read_events(&streaming()).unwrap();
    assert_eq!(
        (told.methods[0].raw_id, told.methods[1].file.as_str()),
        (0, "")
    );
}

#[test]
fn versions_and_clocks() {
    let v1 = Asm::default()
        .keys(1, "clock=wall\n")
        .header(1, 0)
        .v1(1, 4, 7)
        .v1(2, 12, 9);
    let told = events(v1);
    assert_eq!(walls_us(&told), [7, 9]);
    assert_eq!(told.events[1].offset - told.events[0].offset, 9);
    let global = Asm::default()
        .keys(2, "clock=global\n")
        .header(2, 0)
        .v2(1, 4, 7);
    let told = events(global);
    assert_eq!(
        (walls_us(&told), told.start.unwrap().clocks.name()),
        (vec![7], "wall")
    );
    // Without the option, version 2 has CPU time and version 3 has both.
    let silent = events(Asm::default().keys(2, "").header(2, 0).v2(1, 4, 7));
    assert_eq!(silent.start.unwrap().clocks.name(), "thread-cpu");
    assert_eq!(silent.count(RepairKind::RebuiltTime), 1);
    let silent = events(Asm::default().keys(3, "").header(3, 0).v3(1, 4, 7, 8));
    assert_eq!(
        (silent.events[0].cpu_ns, silent.events[0].wall_ns),
        (7_000, 8_000)
    );
    // A record of version 2 has no room for two clocks.
    let dual = events(
        Asm::default()
            .keys(2, "clock=dual\n")
            .header(2, 0)
            .v2(1, 4, 7),
    );
    assert_eq!(dual.start.unwrap().clocks.name(), "thread-cpu");
    assert_eq!(dual.count(RepairKind::BadField), 1);
}

#[test]
fn any_record_size_and_offset() {
    let asm = Asm::default()
        .keys(3, "clock=dual\n")
        .text("SLOW")
        .u16(3)
        .u16(21) // offset to data
        .u64(1)
        .u16(17) // record size
        .zeros(3)
        .v3(1, 4, 1, 2)
        .zeros(3)
        .v3(1, 5, 3, 4)
        .zeros(3);
    let told = events(asm);
    assert_eq!(walls_us(&told), [2, 4]);
    assert_eq!(told.repairs, []);
}

#[test]
fn a_data_file_without_its_key_file() {
    let told = events(Asm::default().header(3, 9).v3(1, 4, 7, 8).v3(1, 5, 9, 10));
    assert_eq!(told.events.len(), 2);
    assert_eq!(told.methods[0].raw_id, 4);
    assert_eq!(told.count(RepairKind::MissingKeySection), 1);
    assert_eq!(told.count(RepairKind::UnknownMethod), 1);
    assert_eq!(told.count(RepairKind::UnknownThread), 1);
}

#[test]
fn a_clock_that_ran_over_is_continued() {
    let late = u32::MAX - 5;
    let asm = Asm::default().keys(3, "clock=dual\n").header(3, 0);
    let asm = asm.v3(1, 4, 0, late).v3(1, 5, 3, 10).v3(2, 12, 1, 11);
    let told = events(asm);
    let over = 1i64 << 32;
    assert_eq!(walls_us(&told), [i64::from(late), over + 10, over + 11]);
    assert_eq!(told.count(RepairKind::ClockWrapped), 1);
    let place = told.repairs[0].2.offset.unwrap();
    assert_eq!(place, told.events[1].offset);
}

#[test]
fn small_steps_back_are_kept_and_counted() {
    let asm = Asm::default().keys(3, "clock=dual\n").header(3, 0);
    let told = events(asm.v3(1, 4, 0, 100).v3(2, 12, 0, 90).v3(1, 5, 3, 95));
    assert_eq!(walls_us(&told), [100, 90, 95]);
    // Time may step back between threads, but not within one thread.
    assert_eq!(told.count(RepairKind::TimeWentBack), 1);
}

#[test]
fn cpu_times_alone_give_a_rebuilt_time_line() {
    let asm = Asm::default().keys(2, "clock=thread-cpu\n").header(2, 1);
    let asm = asm
        .v2(1, 4, 10)
        .v2(1, 8, 30)
        .v2(2, 12, 0)
        .v2(2, 13, 5)
        .v2(1, 9, 50);
    let told = events(asm.clone());
    assert_eq!(walls_us(&told), [0, 20, 30, 35, 45]);
    let cpus: Vec<_> = told
        .events
        .iter()
        .map(|event| event.cpu_ns / 1000)
        .collect();
    assert_eq!(cpus, [10, 30, 0, 5, 50]);
    assert_eq!(told.count(RepairKind::RebuiltTime), 1);
}

#[test]
fn a_streaming_trace_names_its_clock_at_the_end() {
    let front = Asm::default()
        .header(0xF2, 1)
        .new_thread(1, "main")
        .v2(1, 4, 10)
        .v2(1, 5, 30);
    let wall = front.clone().summary("*version\n2\nclock=wall\n*end\n");
    let told = events(wall);
    assert_eq!(walls_us(&told), [10, 30]);
    assert_eq!(
        (told.events[0].cpu_ns, told.start.unwrap().clocks.name()),
        (0, "wall")
    );
    let cpu = front
        .clone()
        .summary("*version\n2\nclock=thread-cpu\n*end\n");
    assert_eq!(walls_us(&events(cpu)), [0, 20]);
    let killed = events(front);
    assert_eq!(killed.count(RepairKind::MissingSummary), 1);
    assert_eq!(killed.events.len(), 2);
}

#[test]
fn odd_records_are_counted_with_their_place() {
    let asm = Asm::default().keys(
        3,
        "clock=dual\nnum-method-calls=9\ndata-file-overflow=true\n",
    );
    let asm = asm
        .header(3, 0)
        .v3(1, 4, 0, 1)
        .v3(1, 7, 0, 2)
        .v3(9, 0x40, 0, 3)
        .v3(1, 5, 0, 4);
    let told = events(asm.u8(1).u8(0));
    assert_eq!(told.events.len(), 3);
    let places: Vec<_> = told
        .repairs
        .iter()
        .map(|repair| (repair.0, repair.2.offset))
        .collect();
    let record = |n: u64| Some(told.events[0].offset + 14 * n);
    assert_eq!(
        places,
        [
            (RepairKind::UnknownAction, record(1)),
            (RepairKind::TornRecord, record(4)),
            (RepairKind::CountMismatch, Some(0)),
            (RepairKind::BufferOverflow, Some(0)),
            (RepairKind::UnknownThread, record(2)),
            (RepairKind::UnknownMethod, record(2)),
        ]
    );
}

#[test]
fn bytes_behind_the_end_are_told_from_a_torn_record() {
    let mut plain = dual();
    plain.extend(b"junk");
    assert_eq!(
        read_events(&plain)
            .unwrap()
            .count(RepairKind::TrailingBytes),
        1
    );
    let mut streamed = streaming();
    streamed.extend(b"junk");
    assert_eq!(
        read_events(&streamed)
            .unwrap()
            .count(RepairKind::TrailingBytes),
        1
    );
}

#[test]
fn ids_may_change_their_meaning() {
    let asm = Asm::default()
        .header(0xF3, 1)
        .new_thread(1, "a")
        .new_method("0x4\tA\tb\t()V\n");
    let asm = asm
        .v3(1, 4, 0, 0)
        .new_method("0x4\tA\tc\t()V\n")
        .new_thread(1, "b");
    let told = events(asm.v3(1, 5, 1, 1).summary("*version\n3\n*end\n"));
    assert_eq!(told.count(RepairKind::Redefined), 2);
    assert_eq!(
        (told.methods[0].name.as_str(), told.threads[0].1.as_str()),
        ("c", "b")
    );
}

#[test]
fn an_unknown_code_ends_a_stream() {
    let asm = Asm::default()
        .header(0xF3, 1)
        .new_thread(1, "a")
        .v3(1, 4, 0, 0);
    let told = events(asm.u16(0).u8(9).text("what follows cannot be told apart"));
    assert_eq!(told.events.len(), 1);
    assert_eq!(told.count(RepairKind::BrokenBlock), 1);
}

#[test]
fn calls_without_return_and_returns_without_call() {
    let asm = Asm::default().keys(3, "clock=dual\n").header(3, 0);
    let asm = asm
        .v3(1, 0xd, 0, 1) // three returns, called before the recording
        .v3(1, 0x4, 0, 2)
        .v3(1, 0x8, 0, 3)
        .v3(1, 0x5, 0, 9) // one returns while two is open
        .v3(1, 0xc, 0, 10);
    let trace = tables(&asm.0);
    assert_eq!(trace.repairs.count(RepairKind::UnmatchedExit), 1);
    assert_eq!(trace.repairs.count(RepairKind::MissingExit), 1);
    assert_eq!(trace.repairs.count(RepairKind::NeverClosed), 1);
    assert_eq!(
        trace.slices.dur.iter().collect::<Vec<_>>(),
        [7_000, 6_000, -1]
    );
    let unmatched = &trace.repairs.rows()[0];
    assert_eq!(
        (unmatched.detail.as_str(), unmatched.first.ts),
        ("b.B.three", Some(1_000))
    );
}

#[test]
fn exceptions_are_told_from_returns() {
    let told = read_events(&dual()).unwrap();
    assert_eq!(told.events[5].action(), MethodAction::Unwind);
}

#[test]
fn a_file_that_went_through_a_text_tool_is_refused() {
    let broken = String::from_utf8_lossy(
        &Asm::default()
            .keys(3, "clock=dual\n")
            .header(3, 0x1234_89ab_cdef)
            .v3(1, 0x84, 0x81, 0x90)
            .0,
    )
    .into_owned();
    let error = read_events(broken.as_bytes()).unwrap_err();
    assert!(matches!(error, ReadError::Reencoded { .. }), "{error}");
}

#[test]
fn what_is_missing_is_said() {
    let text = |bytes: &[u8]| read_events(bytes).unwrap_err().to_string();
    let keys = Asm::default().keys(3, "").0;
    assert!(text(&keys).contains(".data"), "{}", text(&keys));
    assert!(text(&keys[..40]).contains("*end"), "{}", text(&keys[..40]));
    let mut other = keys.clone();
    other.extend(b"not a header, but more than four bytes");
    assert!(text(&other).ends_with("at byte 125; expected \"SLOW\""));
    assert!(text(&other).contains("not a header"));
    let short = Asm::default().keys(3, "").text("SLOW").u16(3).0;
    assert!(
        text(&short).contains("inside the binary header"),
        "{}",
        text(&short)
    );
    let tiny = Asm::default()
        .keys(3, "")
        .text("SLOW")
        .u16(3)
        .u16(18)
        .u64(0)
        .u16(4)
        .0;
    assert!(text(&tiny).contains("record size is 4"), "{}", text(&tiny));
}
