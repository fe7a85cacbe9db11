//! An assembler for trace-cmd's `trace.dat`, versions 6 and 7: event formats, ring buffer pages and the file structure, from
//! the descriptions of the formats.

mod events;
mod file;
mod pages;
mod scene;

pub use events::{DatEvent, DatValue};
pub use file::{DatBuffer, DatBytes, DatCompression};
pub use pages::RingPages;
pub use scene::{busy_dat, small_dat, small_dat_events, tiny_dat};

/// The layout of numbers on a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Whether the most significant byte comes first.
    pub big_endian: bool,
    /// Size of the kernel's `long`, bytes: 4 or 8.
    pub long_bytes: usize,
}

impl Machine {
    /// The layout of nearly all devices.
    pub const USUAL: Self = Self {
        big_endian: false,
        long_bytes: 8,
    };

    /// A number of `size` bytes.
    pub fn number(self, value: u64, size: usize) -> Vec<u8> {
        let mut bytes = value.to_le_bytes()[..size].to_vec();
        if self.big_endian {
            bytes.reverse();
        }
        bytes
    }
}
