//! Recordings of the kernel's ring buffer pages as a `trace.dat`, which trace-cmd and KernelShark
//! open. Recording pages costs a third as much as recording text.

mod device;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;

pub use device::RawAtraceAgent;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use linux::RawLinuxAgent;

/// The first bytes of every `trace.dat`.
const MAGIC: &[u8] = b"\x17\x08\x44tracing";

/// The form of the `trace.dat`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RawOptions {
    /// Version, 6 or 7. The default is the oldest version with the chosen compression.
    pub version: Option<String>,
    /// Compression, which only version 7 has: none, zlib or zstd.
    pub compression: Option<String>,
}
