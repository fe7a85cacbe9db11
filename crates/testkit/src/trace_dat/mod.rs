//! An assembler for trace-cmd's `trace.dat`, versions 6 and 7: formats of events, ring buffer pages
//! and the file around them, from the formats' descriptions.

mod events;
mod file;
mod pages;
mod scene;

pub use events::{DatEvent, DatValue};
pub use file::{DatBuffer, DatBytes, DatCompression};
pub use pages::RingPages;
pub use scene::{busy_dat, small_dat, small_dat_events, tiny_dat};

/// How a machine lays out numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Whether the most significant byte comes first.
    pub big_endian: bool,
    /// Bytes of the kernel's `long`: 4 or 8.
    pub long_bytes: usize,
}

impl Machine {
    /// What nearly every device is.
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
