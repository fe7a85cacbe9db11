//! Random traces: mostly programs that call and return, sometimes with many defects.

use testkit::Rng;

use crate::build::{ENTER, EXIT, Trace, UNROLL};

/// The trace made from a seed.
pub fn trace(seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let mut trace = Trace::new(*pick(&mut rng, &[1, 2, 2, 3, 3]));
    trace.offset = *pick(&mut rng, &[16, 20, 32, 32, 32]);
    if trace.version == 3 {
        trace.offset = trace.offset.max(18);
        trace.record_size = *pick(&mut rng, &[10, 14, 14, 14, 18]);
    }
    let ids = methods(&mut rng, &mut trace);
    calls(&mut rng, &mut trace, &ids);
    if one_in(&mut rng, 6) {
        trace.tail = (0..rng.below(14)).map(|_| rng.next_u64() as u8).collect();
    }
    let mut bytes = trace.bytes();
    if one_in(&mut rng, 5) {
        damage(&mut rng, &mut bytes);
    }
    bytes
}

/// True once in `n` times.
fn one_in(rng: &mut Rng, n: u64) -> bool {
    rng.below(n) == 0
}

fn pick<'a, T>(rng: &mut Rng, from: &'a [T]) -> &'a T {
    &from[rng.index(from.len())]
}

/// Adds method lines. Returns their ids as records have them, and one that is in no line.
fn methods(rng: &mut Rng, trace: &mut Trace) -> Vec<u32> {
    let mut ids = Vec::new();
    let most = *pick(rng, &[3, 10, 60]);
    let count = 1 + rng.below(most);
    let spread = *pick(rng, &[1, 1, 3, 1000]);
    let odd = one_in(rng, 3);
    for i in 0..count {
        let id = if odd && one_in(rng, 8) {
            rng.below(64)
        } else {
            4 * (1 + i * spread)
        };
        let class = pick(
            rng,
            &["A", "B", "a/b/C$1", "d.e.F", "<G>", "(toplevel)", "$"],
        );
        let name = pick(rng, &["<init>", "run", "run", "get", "a", "b & c", "zz"]);
        let signature = pick(rng, &["()V", "(I)V", "(Ljava/util/List<T>;)Z", ""]);
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
        ids.push(id as u32 & !3);
    }
    if odd && one_in(rng, 10) {
        trace.method("-7\tlow\tlow\t()V");
    }
    ids.push(0x7000_0000);
    ids
}

fn calls(rng: &mut Rng, trace: &mut Trace, ids: &[u32]) {
    let threads: Vec<u16> = match rng.below(5) {
        0 => vec![1, 2, 3, 200, 0],
        1 => vec![1, 32_767, 32_768, 33_000, 45_000],
        _ => vec![1],
    };
    let mut stacks = vec![Vec::new(); threads.len()];
    let mut time = rng.below(1_000) as u32;
    let step = *pick(rng, &[1, 2, 50, 10_000, 1 << 30]);
    let unroll = one_in(rng, 3);
    let most = *pick(rng, &[5, 100, 600]);
    for _ in 0..rng.below(most) {
        time = time.wrapping_add(rng.below(step) as u32);
        if one_in(rng, 100) {
            time = time.wrapping_sub(rng.below(2_000) as u32);
        }
        let at = rng.below(threads.len() as u64) as usize;
        let (thread, stack) = (threads[at], &mut stacks[at]);
        if rng.below(20) < 9 {
            let wild = one_in(rng, 300) || stack.is_empty();
            let method = match stack.pop() {
                Some(method) if !wild => method,
                _ if wild && one_in(rng, 3) => *pick(rng, ids),
                Some(method) => method,
                None => continue,
            };
            let action = if unroll && one_in(rng, 5) {
                UNROLL
            } else {
                EXIT
            };
            trace.record(thread, method, action, time);
        } else {
            let method = *pick(rng, ids);
            stack.push(method);
            trace.record(thread, method, ENTER, time);
        }
    }
}

/// Flips, removes, doubles or inserts a few bytes, mostly in the text.
fn damage(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..=rng.below(3) {
        let most = if one_in(rng, 3) { usize::MAX } else { 300 };
        let at = rng.index(bytes.len().clamp(1, most));
        match rng.below(5) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 => bytes.insert(at.min(bytes.len()), *pick(rng, b"\n\t*0x<& ")),
            3 if one_in(rng, 3) => bytes.truncate(at),
            _ => {}
        }
    }
}
