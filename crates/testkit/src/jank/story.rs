//! Times of the recording, and which frames are late for which reason.

/// Length of the recording, µs.
pub(super) const LENGTH_US: u64 = 2_000_000;

/// Interval between display refreshes, µs.
pub(super) const PERIOD_US: u64 = 16_667;

/// The late frames of the list, by number.
///
/// | frame | what delays it |
/// |---|---|
/// | [`INFLATE`] | rows of a new kind are inflated on the UI thread |
/// | [`LOCK`] | a lock held by DiskCache-1, which writes to disk |
/// | [`BINDER`] | a call to the system server, whose thread waits for a lock |
/// | [`GC`] | an allocation waits for the garbage collector |
/// | [`DISK`] | preferences are read from disk on the UI thread |
/// | about [`DEX2OAT_US`] | dex2oat occupies the CPUs: the UI thread is runnable but not running |
/// | [`SHADER`] | the RenderThread compiles a shader |
pub(super) const INFLATE: usize = 11;
pub(super) const LOCK: usize = 22;
pub(super) const BINDER: usize = 34;
pub(super) const GC: usize = 45;
pub(super) const DISK: usize = 56;
pub(super) const SHADER: usize = 80;
pub(super) const DEX2OAT_US: u64 = 1_330_000;
