//! How much memory the traces of a server may take.

use thiserror::Error;

use super::state::State;

/// There is no room for more.
#[derive(Debug, Error)]
#[error(
    "the traces take {used_mb} MB, and --memory-limit is {limit_mb} MB; close some, or start traceloom view with more"
)]
pub(crate) struct TooMuch {
    used_mb: u64,
    limit_mb: u64,
}

/// Forgets what engines worked out for scopes, those asked for longest ago first, while less than a
/// tenth of the limit is free: a question that comes back costs time, a trace that does not open is worse.
pub(crate) fn trim(state: &State) {
    let near = state.memory_limit / 10 * 9;
    while used(state) > near && state.traces.forget_oldest_scope() {}
}

/// Whether a trace may go on growing. What was worked out and older dropped traces make room for a
/// new one.
pub(crate) fn room(state: &State) -> Result<(), TooMuch> {
    let limit = state.memory_limit;
    loop {
        let used = used(state);
        if used <= limit {
            return Ok(());
        }
        if !state.traces.forget_oldest_scope() && !state.traces.forget_oldest() {
            let (used_mb, limit_mb) = (used >> 20, limit >> 20);
            return Err(TooMuch { used_mb, limit_mb });
        }
    }
}

/// Bytes that this program holds, as the kernel counts them: a trace that is being read and what
/// the engines worked out included.
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

/// The kernel counts pages; where they are bigger than this, more is held than is said.
#[cfg(target_os = "linux")]
const PAGE_BYTES: u64 = 4096;

/// Bytes that the traces hold, where the system is not asked.
#[cfg(not(target_os = "linux"))]
fn used(state: &State) -> u64 {
    state.traces.heap_bytes()
}
