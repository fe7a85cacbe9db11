//! Recordings of the kernel's own pages, as a `trace.dat`: a third of the cost of text, and what
//! trace-cmd and KernelShark open.

mod device;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;

pub use device::RawAtraceAgent;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use linux::RawLinuxAgent;

/// What every `trace.dat` begins with.
const MAGIC: &[u8] = b"\x17\x08\x44tracing";

/// Which `trace.dat` is recorded.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RawOptions {
    /// Its version, 6 or 7; else the oldest that has all that is asked for.
    pub version: Option<String>,
    /// How version 7 is packed: none, zlib or zstd.
    pub compression: Option<String>,
}
