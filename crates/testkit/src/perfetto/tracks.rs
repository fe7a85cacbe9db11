//! Events of tracks as Perfetto's library writes them: names are interned, times are distances, threads are defaults.

use super::{packet, push};
use crate::proto::Proto;
use crate::rng::Rng;

/// Sequences, each of a thread of the app.
const SEQUENCES: u32 = 8;
const NAMES: u64 = 400;

/// The id of the clock whose times are relative to the previous packet.
const DISTANCE_CLOCK: u64 = 64;

/// A Perfetto trace with this number of events of tracks: slices, some with arguments, and counter values.
pub fn perfetto_tracks(events: usize, seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let mut depths = [0u32; SEQUENCES as usize];
    let mut out = Vec::with_capacity(events * 32);
    for sequence in 1..=SEQUENCES {
        begin(&mut out, sequence);
    }
    for _ in 0..events {
        let sequence = 1 + rng.below(SEQUENCES.into()) as u32;
        let depth = &mut depths[sequence as usize - 1];
        let event = event(&mut rng, depth, sequence);
        let packet = packet(sequence).uint(8, rng.between(200, 9_000));
        push(&mut out, packet.uint(13, 2).message(11, event));
    }
    out
}

/// The first packets of a sequence: its clock, its names, its track and a counter.
fn begin(out: &mut Vec<u8>, sequence: u32) {
    let clock = |id, ts| Proto::new().uint(1, id).uint(2, ts);
    let clocks = Proto::new()
        .message(1, clock(6, 5_000_000_000))
        .message(1, clock(DISTANCE_CLOCK, 0).uint(3, 1));
    let defaults = Proto::new()
        .uint(58, DISTANCE_CLOCK)
        .message(11, Proto::new().uint(11, track(sequence)));
    let first = packet(sequence).uint(13, 1).message(6, clocks);
    push(out, first.message(59, defaults));
    let named = |id, name: &str| Proto::new().uint(1, id).text(2, name);
    let mut interned = Proto::new().message(1, named(1, "gfx"));
    for id in 1..=NAMES {
        interned = interned.message(2, named(id, &format!("Scheduler::Step{id}")));
    }
    for id in 1..=4 {
        interned = interned.message(3, named(id, &format!("argument {id}")));
    }
    push(out, packet(sequence).uint(13, 2).message(12, interned));
    let thread = Proto::new()
        .uint(1, 1412)
        .uint(2, 1412 + u64::from(sequence));
    let thread = Proto::new()
        .uint(1, track(sequence))
        .message(4, thread.text(5, "worker"));
    push(out, packet(sequence).uint(13, 2).message(60, thread));
    let counter = Proto::new().uint(1, counter(sequence)).text(2, "queue");
    push(
        out,
        packet(sequence)
            .uint(13, 2)
            .message(60, counter.message(8, Proto::new())),
    );
}

fn track(sequence: u32) -> u64 {
    1_000_000 + u64::from(sequence)
}

fn counter(sequence: u32) -> u64 {
    2_000_000 + u64::from(sequence)
}

fn event(rng: &mut Rng, depth: &mut u32, sequence: u32) -> Proto {
    const BEGIN: u64 = 1;
    const END: u64 = 2;
    const COUNTER: u64 = 4;
    if rng.chance(15) {
        let value = rng.below(1_000);
        let event = Proto::new().uint(9, COUNTER).uint(11, counter(sequence));
        return event.uint(30, value);
    }
    if *depth > 0 && (*depth > 10 || rng.chance(52)) {
        *depth -= 1;
        return Proto::new().uint(9, END);
    }
    *depth += 1;
    let name = 1 + rng.below(NAMES);
    let event = Proto::new().uint(9, BEGIN).uint(3, 1).uint(10, name);
    if !rng.chance(25) {
        return event;
    }
    let argument = Proto::new()
        .uint(1, 1 + rng.below(4))
        .uint(4, rng.below(1 << 20));
    event.message(4, argument)
}
