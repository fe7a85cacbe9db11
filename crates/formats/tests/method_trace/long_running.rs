//! Long-running methods in ANR reports, and the older file format.

use traceloom_formats::{ReadOptions, detect, read_bytes};
use traceloom_trace::{MethodAction, RepairKind};

use crate::asm::Asm;
use crate::support::{Told, read_events, read_events_cut};

const ONE: u64 = 0x7100_0000_1000;
const TWO: u64 = 0x7100_0000_2000;

/// Records in the recorder's encoding: (ns, entered method).
fn records(list: &[(u64, Option<u64>)]) -> Asm {
    let (mut asm, mut coded, mut method) = (Asm::default(), 0, 0);
    for (ns, entered) in list {
        let now = ns << 1 | u64::from(entered.is_none());
        asm = asm.sleb(now.wrapping_sub(coded) as i64);
        coded = now;
        if let Some(entered) = entered {
            asm = asm.sleb(entered.wrapping_sub(method) as i64);
            method = *entered;
        }
    }
    asm
}

/// A block: two methods on one thread in two packets, with the names after them.
fn block(front: Asm) -> Vec<u8> {
    let first = records(&[(5_000_000_000, Some(ONE)), (5_100_000_000, Some(TWO))]);
    let second = records(&[
        (5_600_000_000, None),
        (5_900_000_000, None),
        (6_000_000_000, None),
    ]);
    front
        .records_packet(4321, 2, first)
        .records_packet(4321, 3, second)
        .thread_packet(4321, "main")
        .method_packet(ONE, "a.A\tone\t()V\tA.java\n")
        .method_packet(TWO, "a.A\ttwo\t()V\tA.java\n")
        .0
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let mut word = 0u32;
        (0..3).for_each(|n| word = word << 8 | u32::from(*group.get(n).unwrap_or(&0)));
        for n in 0..4 {
            let letter = ALPHABET[(word >> (18 - 6 * n) & 63) as usize];
            text.push(if n <= group.len() { letter.into() } else { '=' });
        }
    }
    text
}

fn report(block: &[u8]) -> String {
    format!(
        "----- pid 4321 at 2025-03-01 10:00:00 -----\nCmd line: com.example.app\nABI: 'arm64'\n\
         Long running methods: {}\n\n\"main\" prio=5 tid=1 Native\n  at a.A.two(A.java)\n",
        base64(block)
    )
}

fn check(told: &Told) {
    let calls: Vec<_> = told
        .events
        .iter()
        .map(|event| {
            let method = &told.methods[event.method().0 as usize];
            (event.wall_ns, method.name.as_str(), event.action())
        })
        .collect();
    let (enter, exit) = (MethodAction::Enter, MethodAction::Exit);
    assert_eq!(
        calls,
        [
            (0, "one", enter),
            (100_000_000, "two", enter),
            (600_000_000, "two", exit),
            (900_000_000, "one", exit),
        ]
    );
    assert_eq!(told.threads, [(4321, "main".to_owned())]);
    assert_eq!(told.count(RepairKind::UnmatchedExit), 1);
}

#[test]
fn a_block_in_a_report() {
    let text = report(&block(Asm::default()));
    assert_eq!(detect(text.as_bytes()).unwrap().id(), "art-long-running");
    let told = read_events(text.as_bytes()).unwrap();
    check(&told);
    assert_eq!(told.start.unwrap().start_ns, 5_000_000_000);
    assert_eq!(told.key("pid"), Some("4321"));
    assert_eq!(told.key("cmdline"), Some("com.example.app"));
    let trace = read_bytes(text.as_bytes(), ReadOptions::default()).unwrap();
    assert_eq!(
        trace.slices.dur.iter().collect::<Vec<_>>(),
        [900_000_000, 500_000_000]
    );
    let process = trace.strings.get(trace.processes.name.get(1));
    assert_eq!(process, "com.example.app");
    assert_eq!(
        trace.threads.is_main_thread.iter().collect::<Vec<_>>(),
        [false, true]
    );
    let cuts: Vec<_> = (0..text.len()).collect();
    assert_eq!(read_events_cut(text.as_bytes(), &cuts).unwrap(), told);
}

#[test]
fn a_block_with_clocks_in_front() {
    // The recorder's clock is 3 s behind CLOCK_MONOTONIC.
    let front = Asm::default().u8(3).u64(7_000_000_000).u64(10_000_000_000);
    let told = read_events(report(&block(front)).as_bytes()).unwrap();
    check(&told);
    assert_eq!(told.start.unwrap().start_ns, 8_000_000_000);
}

#[test]
fn a_block_on_its_own() {
    check(&read_events(&block(Asm::default())).unwrap());
}

#[test]
fn every_process_of_a_report_is_a_source_of_its_own() {
    let one = report(&block(Asm::default()));
    let other = one
        .replace("pid 4321", "pid 77")
        .replace("com.example.app", "com.example.other");
    let both = format!("{one}{other}");
    let trace = read_bytes(both.as_bytes(), ReadOptions::default()).unwrap();
    assert_eq!(trace.sources.len(), 2);
    let processes: Vec<_> = trace
        .processes
        .rows()
        .skip(1)
        .map(|row| (row.pid, trace.strings.get(row.name), row.source.0))
        .collect();
    let expected = [(4321, "com.example.app", 0), (77, "com.example.other", 1)];
    assert_eq!(processes, expected);
    let slices: Vec<_> = trace.slices.dur.iter().collect();
    assert_eq!(slices, [900_000_000, 900_000_000, 500_000_000, 500_000_000]);
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 0);
    // A consumer accepts only one trace.
    let error = read_events(both.as_bytes()).err().unwrap();
    assert!(error.to_string().contains("no method events"), "{error}");
}

/// A bug report begins with megabytes of other logs.
#[test]
fn a_block_far_behind_the_beginning_of_a_bug_report() {
    let title = "========================================================\n== dumpstate: 2025-03-01 10:00:00\n";
    let front = format!(
        "{title}{}",
        "07-10 12:00:00.123 I tag: text\n".repeat(4_000)
    );
    let text = format!("{front}{}", report(&block(Asm::default())));
    assert_eq!(detect(text.as_bytes()).unwrap().id(), "art-long-running");
    check(&read_events(text.as_bytes()).unwrap());
}

#[test]
fn long_reports_without_blocks_are_named() {
    let dump = format!(
        "\n----- pid 7 at 2025-03-01 10:00:00 -----\n{}",
        "  at a.A.b(A.java)\n".repeat(8_000)
    );
    let error = read_bytes(dump.as_bytes(), ReadOptions::default()).unwrap_err();
    assert!(
        error.to_string().contains("a thread dump of ART"),
        "{error}"
    );
}

#[test]
fn broken_blocks_end_in_a_result_or_an_error() {
    let block = block(Asm::default());
    for end in 0..block.len() {
        let _ = read_events(&block[..end]);
        let _ = read_events(report(&block[..end]).as_bytes());
        let mut changed = block.clone();
        changed[end] ^= 0x55;
        let _ = read_events(&changed);
    }
    assert!(detect(b"just a text with averyverylongwordthatcouldbebase64butisnotatall").is_none());
}

#[test]
fn the_older_file_without_times() {
    // The recorder's buffer held just 1 after a return.
    let records = Asm::default()
        .sleb(ONE as i64)
        .sleb((TWO - ONE) as i64)
        .sleb(1)
        .sleb(TWO as i64 - 1)
        .sleb(1)
        .sleb(0)
        .sleb(0);
    let mut asm = Asm::default()
        .text("TMOL")
        .u16(1)
        .u8(2)
        .u32(4321)
        .u8(7)
        .u16(0);
    asm.0.extend(records.0);
    let asm = asm
        .text("\n*threads\n4321\tmain\n*methods\n")
        .text(&format!(
            "{ONE}\ta.A\tone\t()V\tA.java\n{TWO}\ta.A\ttwo\t()V\tA.java\n*end"
        ));
    let told = read_events(&asm.0).unwrap();
    let calls: Vec<_> = told
        .events
        .iter()
        .map(|event| {
            (
                told.methods[event.method().0 as usize].name.as_str(),
                event.action() as u8,
            )
        })
        .collect();
    assert_eq!(
        calls,
        [
            ("one", 0),
            ("two", 0),
            ("two", 1),
            ("two", 0),
            ("two", 1),
            ("one", 1)
        ]
    );
    assert_eq!(told.count(RepairKind::UnmatchedExit), 1);
    assert_eq!(told.count(RepairKind::RebuiltTime), 1);
    for end in 0..asm.0.len() {
        let _ = read_events(&asm.0[..end]);
    }
}
