//! Random traces: mostly programs that call and return, sometimes with all the odd things.

use crate::build::{ENTER, EXIT, Trace, UNROLL};
use crate::rng::Rng;

/// The trace of a seed.
pub fn trace(seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let mut trace = Trace::new(*rng.pick(&[1, 2, 2, 3, 3]));
    trace.offset = *rng.pick(&[16, 20, 32, 32, 32]);
    if trace.version == 3 {
        trace.offset = trace.offset.max(18);
        trace.record_size = *rng.pick(&[10, 14, 14, 14, 18]);
    }
    methods(&mut rng, &mut trace);
    calls(&mut rng, &mut trace);
    if rng.one_in(6) {
        trace.tail = (0..rng.below(14)).map(|_| rng.next() as u8).collect();
    }
    let mut bytes = trace.bytes();
    if rng.one_in(5) {
        damage(&mut rng, &mut bytes);
    }
    bytes
}

fn methods(rng: &mut Rng, trace: &mut Trace) {
    let most = *rng.pick(&[3, 10, 60]);
    let count = 1 + rng.below(most);
    let spread = *rng.pick(&[1, 1, 3, 1000]);
    let odd = rng.one_in(3);
    for i in 0..count {
        let id = if odd && rng.one_in(8) {
            rng.below(64)
        } else {
            4 * (1 + i * spread)
        };
        let class = rng.pick(&["A", "B", "a/b/C$1", "d.e.F", "<G>", "(toplevel)", "$"]);
        let name = rng.pick(&["<init>", "run", "run", "get", "a", "b & c", "zz"]);
        let signature = rng.pick(&["()V", "(I)V", "(Ljava/util/List<T>;)Z", ""]);
        let line = match rng.below(if odd { 8 } else { 3 }) {
            0 => format!("{id:#x}\t{class}{i}\t{name}{i}\t{signature}\tF.java"),
            1 => format!("{id}\t{class}\t{name}\t{signature}\tF.java\t{i}"),
            2 => format!("{id}\t{class}\t{name}\t{signature}"),
            3 => format!("{id}\t{class}"),
            4 => format!("{id}\t{class}\t{name}"),
            5 => format!("{id}\t\t{name}\t{signature}"),
            _ => format!("{id}\tclass{i}\t{name}\t{signature}\tF.java"),
        };
        trace.method(&line);
    }
    if odd && rng.one_in(10) {
        trace.method("-7\tlow\tlow\t()V");
    }
}

/// The ids that stand in the trace's method lines, and one that does not.
fn ids(trace: &Trace) -> Vec<u32> {
    let lines = trace.methods.iter().flatten();
    let mut ids: Vec<u32> = lines
        .filter_map(|line| {
            let text = std::str::from_utf8(line).ok()?.split('\t').next()?;
            match text.strip_prefix("0x") {
                Some(hex) => u32::from_str_radix(hex, 16).ok(),
                None => text.parse().ok(),
            }
        })
        .map(|id| id & !3)
        .collect();
    ids.push(0x7000_0000);
    ids
}

fn calls(rng: &mut Rng, trace: &mut Trace) {
    let ids = ids(trace);
    let threads: Vec<u16> = match rng.below(5) {
        0 => vec![1, 2, 3, 200, 0],
        1 => vec![1, 32_767, 32_768, 33_000, 45_000],
        _ => vec![1],
    };
    let mut stacks = vec![Vec::new(); threads.len()];
    let mut time = rng.below(1_000) as u32;
    let step = *rng.pick(&[1, 2, 50, 10_000, 1 << 30]);
    let unroll = rng.one_in(3);
    let most = *rng.pick(&[5, 100, 600]);
    for _ in 0..rng.below(most) {
        time = time.wrapping_add(rng.below(step) as u32);
        if rng.one_in(100) {
            time = time.wrapping_sub(rng.below(2_000) as u32);
        }
        let at = rng.below(threads.len() as u64) as usize;
        let (thread, stack) = (threads[at], &mut stacks[at]);
        if rng.below(20) < 9 {
            let wild = rng.one_in(300) || stack.is_empty();
            let method = match stack.pop() {
                Some(method) if !wild => method,
                _ if wild && rng.one_in(3) => *rng.pick(&ids),
                Some(method) => method,
                None => continue,
            };
            let action = if unroll && rng.one_in(5) {
                UNROLL
            } else {
                EXIT
            };
            trace.record(thread, method, action, time);
        } else {
            let method = *rng.pick(&ids);
            stack.push(method);
            trace.record(thread, method, ENTER, time);
        }
    }
}

/// Flips, drops, doubles or inserts a few bytes, most of them in the text.
fn damage(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..=rng.below(3) {
        let text = if rng.one_in(3) {
            bytes.len()
        } else {
            bytes.len().min(300)
        };
        let at = rng.below(text.max(1) as u64) as usize;
        match rng.below(5) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 => bytes.insert(at.min(bytes.len()), *rng.pick(b"\n\t*0x<& ")),
            3 if rng.one_in(3) => bytes.truncate(at),
            _ => {}
        }
    }
}

/// `records` calls and returns among `methods` methods, each calling any other.
pub fn wide(methods: u32, records: u32) -> Vec<u8> {
    let mut rng = Rng::new(u64::from(records));
    let mut trace = Trace::new(2);
    for i in 0..methods {
        trace.method(&format!("{:#x}\tC{}\tm{i}\t()V", 4 * (i + 1), i % 200));
    }
    let (mut stack, mut time) = (Vec::new(), 0);
    for _ in 0..records {
        time += rng.below(20) as u32;
        if !stack.is_empty() && (rng.one_in(2) || stack.len() > 60) {
            trace.record(1, stack.pop().unwrap_or(4), EXIT, time);
        } else {
            let method = 4 * (1 + rng.below(u64::from(methods)) as u32);
            stack.push(method);
            trace.record(1, method, ENTER, time);
        }
    }
    trace.bytes()
}
