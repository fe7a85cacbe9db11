//! Builds hostile inputs: the heads of the formats, and repeated contents.

use std::io::Write;

/// A `trace.dat` with events of id 100 and the given `fields`. `event` makes the bytes of each
/// event.
pub fn dat(bytes: usize, fields: &str, event: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
    let machine = testkit::Machine::USUAL;
    let mut pages = testkit::RingPages::new(machine, 4096);
    let length = event(0).len() + 4;
    (0..bytes / length).for_each(|n| pages.push(1_000 + n as u64, &event(n)));
    let mut dat = testkit::DatBytes::of(6, machine, vec![pages.finish()]);
    dat.only = vec!["print"];
    let format = format!("name: sched_switch\nID: 100\nformat:\n{fields}\nprint fmt: \"\"\n");
    dat.more_formats = vec![("sched", format)];
    dat.to_bytes()
}

/// Repeats `one`, which gets its number, until the input has `bytes` bytes.
pub fn many(mut out: Vec<u8>, bytes: usize, mut one: impl FnMut(&mut Vec<u8>, usize)) -> Vec<u8> {
    let mut n = 1;
    while out.len() < bytes {
        one(&mut out, n);
        n += 1;
    }
    out
}

/// A Perfetto trace. `packet` makes each packet from its number.
pub fn protos(bytes: usize, packet: impl Fn(u64) -> testkit::Proto) -> Vec<u8> {
    many(Vec::new(), bytes, |out, n| {
        let packet = testkit::Proto::new().message(1, packet(n as u64));
        out.extend_from_slice(packet.bytes());
    })
}

pub fn text(bytes: usize, line: impl FnMut(&mut Vec<u8>, usize)) -> Vec<u8> {
    many(b"# tracer: nop\n".to_vec(), bytes, line)
}

pub fn json(bytes: usize, event: impl FnMut(&mut Vec<u8>, usize)) -> Vec<u8> {
    many(b"[{\"ph\":\"M\"},".to_vec(), bytes, event)
}

pub fn key_section(bytes: usize, thread: &str, line: impl FnMut(&mut Vec<u8>, usize)) -> Vec<u8> {
    let head = format!("*version\n1\nclock=wall\n*threads\n{thread}*methods\n");
    let mut out = many(head.into_bytes(), bytes, line);
    out.extend(b"*end\n");
    out.extend(v1_header());
    out.extend([1, 4, 0, 0, 0, 0, 0, 0, 0]);
    out.extend([1, 5, 0, 0, 0, 9, 0, 0, 0]);
    out
}

pub fn v1_header() -> Vec<u8> {
    let mut out = b"SLOW\x01\x00\x10\x00".to_vec();
    out.extend([0; 8]);
    out
}

/// The header of a second encoding. With ticks per second, it is of encoding B.
pub fn v2_header(version: u16, is_b: bool) -> Vec<u8> {
    let mut out = b"SLOW".to_vec();
    out.extend(version.to_le_bytes());
    out.extend(5_000_000_000_000u64.to_le_bytes());
    out.extend(0u64.to_le_bytes());
    out.extend(if is_b { 1_000_000_000u64 } else { 0 }.to_le_bytes());
    out.extend([0, 0]);
    out
}

/// Packets of one thread that repeat these records.
pub fn packets(version: u16, is_b: bool, bytes: usize, records: &[&[u8]]) -> Vec<u8> {
    let records = records.concat();
    packet(version, is_b, &records.repeat(bytes / records.len()))
}

/// Calls and returns, each at an earlier time than the previous one.
pub fn back_in_time(bytes: usize) -> Vec<u8> {
    // An exit on an empty stack, at a late time.
    let late = [0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20];
    let pairs = [0x7B, 0, 1].repeat(bytes / 3);
    packet(0xF4, true, &[&late[..], &pairs].concat())
}

fn packet(version: u16, is_b: bool, payload: &[u8]) -> Vec<u8> {
    let mut out = v2_header(version, is_b);
    out.extend([2, 1, 0, 0, 0, 0, 0, 0]);
    out.extend((payload.len() as u32).to_le_bytes());
    out.extend(payload);
    out
}

/// A walk through a tree of paths in which every method calls many others.
pub fn new_paths(version: u16, bytes: usize) -> Vec<u8> {
    const CHILDREN: i64 = 32;
    let mut walk = Walk {
        payload: Vec::new(),
        bytes,
        dual: version == 0xF5,
        method: 0,
        action: 0,
    };
    // Deep enough for any requested size.
    for _ in 0.. {
        let child = walk.method / 4 + 1;
        walk.enter(4 * (child % CHILDREN));
        if walk.below(4, CHILDREN) {
            break;
        }
        if walk.payload.len() >= bytes {
            break;
        }
    }
    packet(version, true, &walk.payload)
}

/// Writes entries and exits up to a given size.
struct Walk {
    payload: Vec<u8>,
    bytes: usize,
    dual: bool,
    method: i64,
    action: i64,
}

impl Walk {
    /// Calls every path with this many levels. Returns whether the size was reached.
    fn below(&mut self, levels: usize, children: i64) -> bool {
        if levels == 0 {
            return self.payload.len() >= self.bytes;
        }
        for child in 0..children {
            self.enter(child);
            if self.below(levels - 1, children) {
                return true;
            }
            self.exit();
        }
        false
    }

    fn time(&mut self, action: i64) {
        // The time does not change, so the difference is that of the actions.
        self.payload.push((action - self.action) as u8 & 0x7F);
        self.action = action;
        if self.dual {
            self.payload.push(0);
        }
    }

    fn enter(&mut self, method: i64) {
        self.time(0);
        self.payload.push((method - self.method) as u8 & 0x7F);
        self.method = method;
    }

    fn exit(&mut self) {
        self.time(1);
    }
}

/// Only entries: each call is inside the previous one, and no method calls another one twice.
pub fn new_edges(bytes: usize) -> Vec<u8> {
    const METHODS: usize = 4096;
    let mut out = b"*version\n1\nclock=wall\n*threads\n1\tmain\n*methods\n".to_vec();
    (1..=METHODS).for_each(|n| writeln!(out, "{}\ta\tb\tc", n * 4).unwrap());
    out.extend(b"*end\n");
    out.extend(v1_header());
    let (mut at, mut time) = (0, 0u32);
    many(out, bytes, |out, n| {
        at = (at + n / METHODS + 1) % METHODS;
        time += 1;
        out.push(1);
        out.extend((at as u32 * 4 + 4).to_le_bytes());
        out.extend(time.to_le_bytes());
    })
}
