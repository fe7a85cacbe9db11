//! Packs the page that a report carries: its script and style as text, and its engine, which is
//! WebAssembly.
//!
//! Every report has the page in it, so its bytes count more than a build's seconds. What is
//! packed here is an eighth smaller than LZMA makes it. Each bit is predicted from many contexts
//! (what stood before it, read in several ways), the predictions are mixed by weights that are
//! learned on the way, and an arithmetic coder spends on the bit what it was worth. Unpacking
//! makes the same predictions, so both halves are the same code: natively where the program is
//! built, and as WebAssembly of a few kilobytes in the report.
//!
//! ```text
//! packed   0        4          8           12        16
//!          +--------+----------+-----------+---------+------------------
//!          | length | stripped | functions | head    | coded bits
//!          +--------+----------+-----------+---------+------------------
//! length     bytes that come out, u32 little-endian as all four
//! stripped   bytes that are coded: those of a module are fewer, see `strip`
//! functions  of the module; 0 for a text
//! head       bytes of the module before its code
//! ```
#![cfg_attr(not(any(test, feature = "pack")), no_std)]

mod code;
mod coder;
mod context;
mod logistic;
mod mixer;
mod model;
#[cfg(feature = "pack")]
mod pack;
mod repeat;
mod slots;
#[cfg(feature = "pack")]
mod strip;

pub use model::Model;
#[cfg(feature = "pack")]
pub use pack::{PackError, pack_module, pack_text, unpacked};

use code::Out;
use coder::Decoder;

/// Bytes before the coded bits.
pub const HEADER: usize = 16;

/// How long the content is once it is unpacked, in bytes; `None` if `packed` is no packed content.
pub fn unpacked_len(packed: &[u8]) -> Option<usize> {
    Some(number(packed, 0)? as usize)
}

/// Unpacks into `out`, which should be [`unpacked_len`] long. Damage gives other bytes, never
/// more of them; `None` if not even the header is there. `model` is new: all zeros.
pub fn unpack(packed: &[u8], model: &mut Model, out: &mut [u8]) -> Option<()> {
    let stripped = number(packed, 4)?;
    let coded = packed.get(HEADER..)?;
    model.begin(number(packed, 8)?, number(packed, 12)?);
    let mut decoder = Decoder::new(coded);
    let mut out = Out::new(out);
    // Beyond the end there are only zeros, which may go on for long.
    for _ in 0..stripped.min(model::MOST) {
        model.byte(&mut decoder, 0, &mut out);
    }
    Some(())
}

fn number(packed: &[u8], at: usize) -> Option<u32> {
    let bytes = packed.get(at..at + 4)?;
    Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}
