//! ART's second encodings: the calls that ART's own test expects are encoded in each variant and
//! read back. The defects of its writers are tested, too.

use std::collections::HashMap;

use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::{MethodAction, RepairKind};

use crate::asm::Asm;
use crate::support::{Told, corpus, read_events, read_events_cut};

#[derive(Clone, Copy, PartialEq, Debug)]
enum Encoding {
    A1,
    A2,
    B,
}

/// One line that ART's test prints: `...>> thread class name signature file`, with `<<` for a
/// return and `<<E` for an exception.
#[derive(Clone)]
struct Line<'a> {
    thread: &'a str,
    method: &'a str,
    action: u64,
}

fn parse(line: &str) -> Option<Line<'_>> {
    let rest = line.trim_start_matches('.');
    let (action, rest) = match rest.split_at_checked(2)? {
        (">>", rest) => (0, rest),
        ("<<", rest) => match rest.strip_prefix('E') {
            Some(rest) => (2, rest),
            None => (1, rest),
        },
        _ => return None,
    };
    let (thread, method) = rest.trim_start().split_once(' ')?;
    Some(Line {
        thread,
        method,
        action,
    })
}

/// Time of the n-th record: wall time, and CPU time that is half of it, in µs.
fn times(n: usize) -> (u64, u64) {
    (n as u64 * 10 + 3, n as u64 * 5)
}

/// Encodes the records of one thread's packet.
fn payload(
    lines: &[(usize, Line<'_>)],
    ids: &HashMap<&str, u64>,
    encoding: Encoding,
    dual: bool,
) -> Asm {
    let scale = if encoding == Encoding::A1 { 1 } else { 1000 };
    let (mut asm, mut word, mut wall, mut cpu, mut method) = (Asm::default(), 0, 0, 0, 0);
    for (n, line) in lines {
        let (wall_now, cpu_now) = times(*n);
        let (wall_now, cpu_now) = (wall_now * scale, cpu_now * scale);
        let id = ids[line.method];
        if encoding == Encoding::B {
            let coded = wall_now << 2 | line.action;
            asm = asm.sleb((coded - wall) as i64);
            wall = coded;
            if dual {
                asm = asm.sleb((cpu_now - cpu) as i64);
            }
            if line.action == 0 {
                asm = asm.sleb(id.wrapping_sub(method) as i64);
                method = id;
            }
        } else {
            let now = id | line.action;
            asm = asm
                .sleb(now.wrapping_sub(word) as i64)
                .uleb(wall_now - wall);
            word = now;
            wall = wall_now;
            if dual {
                asm = asm.uleb(cpu_now - cpu);
            }
        }
        cpu = cpu_now;
    }
    asm
}

/// A trace of these lines as the recorder of this encoding writes it.
fn encode(lines: &[Line<'_>], version: u16, encoding: Encoding) -> Vec<u8> {
    let dual = version & 0xF == 5;
    let start = if encoding == Encoding::A1 {
        90_000_000
    } else {
        90_000_000_000_000
    };
    let (ticks, frequency) = if encoding == Encoding::B {
        (77, 1_000_000_000)
    } else {
        (0, 0)
    };
    let mut asm = Asm::default().header_2(version, start, ticks, frequency);
    let (mut ids, mut tids) = (HashMap::new(), HashMap::new());
    let mut late = Vec::new();
    for line in lines {
        let next = 0x7100_0000_1000 + ids.len() as u64 * 0x28;
        ids.entry(line.method).or_insert_with(|| {
            let fields: Vec<&str> = line.method.splitn(4, ' ').collect();
            late.push((next, format!("{}\n", fields.join("\t"))));
            next
        });
        let tid = 5000 + tids.len() as u32;
        tids.entry(line.thread).or_insert(tid);
    }
    // Half of the methods are named before the records, half after them.
    let behind = late.split_off(late.len() / 2);
    for (id, line) in late {
        asm = asm.method_packet(id, &line);
    }
    for (thread, tid) in &tids {
        asm = asm.thread_packet(*tid, thread);
    }
    let numbered: Vec<(usize, Line<'_>)> = lines.iter().cloned().enumerate().collect();
    for block in numbered.chunk_by(|a, b| a.1.thread == b.1.thread && b.0 % 40 != 0) {
        let payload = payload(block, &ids, encoding, dual);
        // The recorder does the same while streaming: the count adds up over packets.
        let count = block.last().unwrap().0 as u32 + 1;
        asm = asm.records_packet(tids[block[0].1.thread], count, payload);
    }
    for (id, line) in behind {
        asm = asm.method_packet(id, &line);
    }
    let clock = if dual { "dual" } else { "wall" };
    let elapsed = if encoding == Encoding::A1 {
        "usec"
    } else {
        "nsec"
    };
    asm.summary_packet(&format!(
        "*version\n2\nclock={clock}\nelapsed-time-{elapsed}=9\nvm=art\npid=4\n*end\n"
    ))
    .0
}

/// Prints the result like ART's test.
fn print(told: &Told) -> Vec<String> {
    let mut depths: HashMap<u32, usize> = HashMap::new();
    let line = |event: &traceloom_trace::MethodEvent| {
        let depth = depths.entry(event.thread.0).or_insert(1);
        let mark = match event.action() {
            MethodAction::Enter => ">>",
            MethodAction::Exit => "<<",
            MethodAction::Unwind => "<<E",
        };
        if event.action() != MethodAction::Enter {
            *depth -= 1;
        }
        let dots = ".".repeat(*depth);
        if event.action() == MethodAction::Enter {
            *depth += 1;
        }
        let thread = &told.threads[event.thread.0 as usize].1;
        let method = &told.methods[event.method().0 as usize];
        let names = [&method.class, &method.name, &method.signature, &method.file];
        let names = names.map(String::as_str).join(" ");
        format!("{dots}{mark} {thread} {names}")
    };
    told.events.iter().map(line).collect()
}

/// The runs that ART's test prints, each with its version.
fn sections(text: &str) -> Vec<(u16, Vec<&str>)> {
    let mut sections: Vec<(u16, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        if let Some(version) = line.strip_prefix("version=") {
            let version = u16::from_str_radix(version, 16).unwrap();
            sections.push((version, Vec::new()));
        } else if let (Some(section), Some(_)) = (sections.last_mut(), parse(line)) {
            section.1.push(line);
        }
    }
    sections
}

#[test]
fn the_calls_that_art_s_own_test_expects() {
    let Some(folder) = corpus() else { return };
    let path = folder.join("other/art-tests/2246-trace-v2__expected-stdout.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let sections = sections(&text);
    assert_eq!(sections.len(), 8);
    for (version, expected) in &sections {
        let lines: Vec<_> = expected.iter().filter_map(|line| parse(line)).collect();
        for encoding in [Encoding::A1, Encoding::A2, Encoding::B] {
            check_section(&lines, expected, *version, encoding);
        }
    }
    eprintln!("{} runs of ART's own test checked", sections.len());
}

fn check_section(lines: &[Line<'_>], expected: &[&str], version: u16, encoding: Encoding) {
    let bytes = encode(lines, version, encoding);
    let told = read_events(&bytes).unwrap();
    assert_eq!(print(&told), expected, "{encoding:?} {version:x}");
    let dual = version & 0xF == 5;
    for (n, event) in told.events.iter().enumerate() {
        let (wall, cpu) = times(n);
        assert_eq!(event.wall_ns, wall as i64 * 1000, "{encoding:?}");
        assert_eq!(
            event.cpu_ns,
            if dual { cpu as i64 * 1000 } else { 0 },
            "{encoding:?}"
        );
    }
    assert_eq!(told.repairs, []);
    let start = told.start.unwrap();
    assert_eq!(
        start.start_ns,
        90_000_000_000_000 / if encoding == Encoding::A1 { 1000 } else { 1 }
    );
    let name = format!("{encoding:?}").to_lowercase();
    assert_eq!((start.encoding, start.version), (name.as_str(), version));
}

fn small(version: u16, encoding: Encoding) -> Vec<u8> {
    let text = [
        ".>> main A one ()V A.java",
        "..>> main A two ()V A.java",
        ".>> other B three ()V B.java",
        "..<<E main A two ()V A.java",
        ".<< main A one ()V A.java",
    ];
    let lines: Vec<_> = text.iter().filter_map(|line| parse(line)).collect();
    encode(&lines, version, encoding)
}

const ALL: [Encoding; 3] = [Encoding::A1, Encoding::A2, Encoding::B];

#[test]
fn cuts_and_truncations() {
    for (version, encoding) in [4, 5, 0xF4, 0xF5]
        .into_iter()
        .flat_map(|v| ALL.map(|e| (v, e)))
    {
        let bytes = small(version, encoding);
        let whole = read_events(&bytes).unwrap();
        assert_eq!(whole.events.len(), 5);
        for cut in 0..bytes.len() {
            assert_eq!(read_events_cut(&bytes, &[cut, cut + 5]).unwrap(), whole);
            let _ = read_events(&bytes[..cut]);
        }
        let trace = read_bytes(&bytes, ReadOptions::default()).unwrap();
        assert_eq!(trace.slices.len(), 3);
    }
}

#[test]
fn a_killed_app_s_trace_is_kept() {
    for encoding in ALL {
        let bytes = small(0xF5, encoding);
        let end = bytes
            .windows(8)
            .position(|window| window == b"*version")
            .unwrap();
        let told = read_events(&bytes[..end - 3]).unwrap();
        assert_eq!(told.events.len(), 5);
        assert_eq!(told.count(RepairKind::MissingSummary), 1);
        // The unit is derived from the start time.
        assert_eq!(told.events[0].wall_ns, 3_000, "{encoding:?}");
        assert_eq!(
            told.start.unwrap().encoding,
            format!("{encoding:?}").to_lowercase()
        );
    }
}

#[test]
fn a_single_cpu_clock_is_rebuilt() {
    let payload = |thread: i64| Asm::default().sleb(thread * 8).uleb(10).sleb(1).uleb(20);
    for (key, unit) in [("usec", 1000), ("nsec", 1)] {
        let asm = Asm::default()
            .header_2(4, 1, 0, 0)
            .records_packet(1, 2, payload(1))
            .records_packet(2, 2, payload(2))
            .summary_packet(&format!(
                "*version\n2\nclock=thread-cpu\nelapsed-time-{key}=1\n*end\n"
            ));
        let told = read_events(&asm.0).unwrap();
        let walls: Vec<_> = told
            .events
            .iter()
            .map(|event| event.wall_ns / unit)
            .collect();
        assert_eq!(walls, [0, 20, 20, 40]);
        assert_eq!(told.events[1].cpu_ns, 30 * unit);
        assert_eq!(told.count(RepairKind::RebuiltTime), 1);
    }
}

#[test]
fn sizes_are_trusted_and_counts_are_not() {
    let record = Asm::default()
        .sleb(8)
        .uleb(10)
        .uleb(1)
        .sleb(1)
        .uleb(10)
        .uleb(1);
    let torn = Asm(vec![0x80, 0x80]);
    let asm = Asm::default()
        .header_2(5, 1, 0, 0)
        .records_packet(1, 0, record)
        .records_packet(1, 70_000, torn)
        .summary_packet("*version\n2\nclock=dual\nelapsed-time-usec=1\n*end\n")
        .text("junk");
    let told = read_events(&asm.0).unwrap();
    assert_eq!(told.events.len(), 2);
    assert_eq!(told.count(RepairKind::BrokenBlock), 1);
    assert_eq!(told.count(RepairKind::TrailingBytes), 1);
    assert_eq!(told.count(RepairKind::UnknownThread), 1);
}

#[test]
fn ticks_become_nanoseconds() {
    let payload = Asm::default()
        .sleb(24_000_000 << 2)
        .sleb(0)
        .sleb(0x1000)
        .sleb((24_000_000 << 2) + 1)
        .sleb(0);
    let payload = payload.sleb(4).sleb(0);
    let asm = Asm::default()
        .header_2(5, 7, 1, 24_000_000)
        .records_packet(1, 2, payload);
    let told = read_events(&asm.summary_packet("*version\n2\n*end\n").0).unwrap();
    let walls: Vec<_> = told.events.iter().map(|event| event.wall_ns).collect();
    assert_eq!(walls, [1_000_000_000, 2_000_000_000]);
    // The third record returns without an open method.
    assert_eq!(told.count(RepairKind::UnmatchedExit), 1);
    assert_eq!(told.start.unwrap().start_ns, 7);
}
