//! The memory limit for the traces of a server.

use thiserror::Error;

use super::state::State;

/// The memory limit is reached.
#[derive(Debug, Error)]
#[error(
    "the traces take {used_mb} MB, and --memory-limit is {limit_mb} MB; close some, or start traceloom view with more"
)]
pub(crate) struct TooMuch {
    used_mb: u64,
    limit_mb: u64,
}

/// Drops cached results of scopes, oldest first, while less than a tenth of the limit is free.
/// Computing a result again costs only time, but a trace without memory cannot be opened.
pub(crate) fn trim(state: &State) {
    let near = state.memory_limit / 10 * 9;
    while used(state) > near && state.traces.forget_oldest_scope() {}
}

/// Checks whether a trace may grow further. Cached results are freed for it first. Older dropped
/// traces stay open, because the new file may not fit, or may not be a trace. Their memory counts
/// as free, because [`make_room`] closes them once the new trace is read. Until then, both are in
/// memory.
pub(crate) fn check_room(state: &State) -> Result<(), TooMuch> {
    let limit = state.memory_limit;
    loop {
        let used = used(state);
        if used.saturating_sub(state.traces.dropped_bytes()) <= limit {
            return Ok(());
        }
        if !state.traces.forget_oldest_scope() {
            let (used_mb, limit_mb) = (used >> 20, limit >> 20);
            return Err(TooMuch { used_mb, limit_mb });
        }
    }
}

/// Makes room for a trace that was read and fits: frees cached results, then older dropped traces.
pub(crate) fn make_room(state: &State) {
    let is_full = || used(state) > state.memory_limit;
    while is_full() && (state.traces.forget_oldest_scope() || state.traces.forget_oldest()) {
        #[cfg(feature = "query")]
        state.sessions.forget_closed();
    }
}

/// Resident bytes of this process, including traces that are being read and cached results.
#[cfg(target_os = "linux")]
fn used(state: &State) -> u64 {
    // The second number of statm: resident pages (proc(5)).
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<u64>().ok());
    pages.map_or_else(|| state.traces.heap_bytes(), |pages| pages * PAGE_BYTES)
}

/// The unit of the kernel's count. On systems with bigger pages the result is too low.
#[cfg(target_os = "linux")]
const PAGE_BYTES: u64 = 4096;

/// The size of all traces in bytes, on systems that do not report the memory of a process.
#[cfg(not(target_os = "linux"))]
fn used(state: &State) -> u64 {
    state.traces.heap_bytes()
}
