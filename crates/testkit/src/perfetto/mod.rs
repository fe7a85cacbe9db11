//! Synthetic Perfetto traces of any size, for benchmarks: the kernel's events of a phone, and events of tracks.

mod kernel;
mod tracks;

pub use kernel::perfetto_kernel;
pub use tracks::perfetto_tracks;

use crate::proto::Proto;

/// A packet of the sequence with this number.
fn packet(sequence: u32) -> Proto {
    Proto::new().uint(10, sequence.into())
}

/// Appends a packet to a trace.
fn push(out: &mut Vec<u8>, packet: Proto) {
    out.extend(Proto::new().message(1, packet).bytes());
}
