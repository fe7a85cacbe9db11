//! Perfetto traces with many parts.

use super::kind::Kind;
use crate::proto::Proto;

pub(super) const KINDS: &[Kind] = &[
    ("displays and layers of a Perfetto trace", layers),
    ("nodes of an atom of a Perfetto trace", nodes),
    ("binder commands of a Perfetto trace", commands),
    ("submits of GPU work in a Perfetto trace", submits),
];

/// A trace of one packet, with a payload.
fn trace(number: u32, payload: Proto) -> Vec<u8> {
    let packet = Proto::new().int(8, 1_000).message(number, payload);
    Proto::new().message(1, packet).bytes().to_vec()
}

/// Messages with the same number, one after the other.
fn repeated(count: usize, number: u32, make: impl Fn(usize) -> Proto) -> Proto {
    (0..count).fold(Proto::new(), |all, nth| all.message(number, make(nth)))
}

/// A snapshot of SurfaceFlinger, with displays of different sizes.
fn layers(count: usize) -> Vec<u8> {
    let display = |nth| Proto::new().message(4, Proto::new().int(1, nth as i64 + 1).int(2, 7));
    let bounds = || Proto::new().fixed32(3, 1_f32.to_bits());
    let layer = |nth| Proto::new().int(1, nth as i64 + 1).message(46, bounds());
    let layers = Proto::new().message(3, repeated(count / 2, 1, layer));
    let displays = (0..count / 2).map(display);
    trace(
        93,
        displays.fold(layers, |all, display| all.message(7, display)),
    )
}

/// An atom of statsd about a job, with the users on whose behalf it ran.
fn nodes(count: usize) -> Vec<u8> {
    let job = repeated(count, 1, |nth| Proto::new().int(1, nth as i64));
    let atoms = Proto::new().message(1, Proto::new().message(8, job));
    trace(84, atoms)
}

/// Calls that are never sent, of one thread.
fn commands(count: usize) -> Vec<u8> {
    const TRANSACTION: i64 = 0x4040_6300;
    const COMMAND: u32 = 485;
    let event = |nth| {
        let event = Proto::new().int(1, nth as i64).int(2, 7);
        event.message(COMMAND, Proto::new().int(1, TRANSACTION))
    };
    trace(1, repeated(count, 2, event).int(1, 0))
}

/// Events of a thread that all submit the same work.
fn submits(count: usize) -> Vec<u8> {
    let correlation = || Proto::new().packed(1, &[1]).packed(2, &[1]);
    let event = |nth| {
        let event = Proto::new().int(9, 3).int(11, 5).text(23, "submit");
        let packet = Proto::new().int(8, nth as i64).int(10, 1).int(41, 1);
        packet.message(11, event.message(3000, correlation()))
    };
    repeated(count, 1, event).bytes().to_vec()
}
