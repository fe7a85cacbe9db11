//! Computes the used part of a machine's memory.

/// The sums of `dumpsys meminfo`, KB. Memory used by caches counts as free.
#[derive(Default)]
pub(super) struct Used {
    total: Option<f64>,
    free: Option<f64>,
    buffers: f64,
    cached: f64,
    mapped: f64,
    swap_total: f64,
    swap_free: f64,
}

impl Used {
    /// Adds a line.
    pub fn add(&mut self, key: &[u8], kb: f64) {
        match key {
            b"MemTotal" => self.total = Some(kb),
            b"MemFree" => self.free = Some(kb),
            b"Buffers" => self.buffers = kb,
            b"Cached" => self.cached = kb,
            b"Mapped" => self.mapped = kb,
            b"SwapTotal" => self.swap_total = kb,
            b"SwapFree" => self.swap_free = kb,
            _ => {}
        }
    }

    /// Used and swapped memory, once both are known.
    pub fn sums(&self) -> Option<(f64, f64)> {
        let caches = self.buffers + self.cached - self.mapped;
        let used = self.total? - self.free? - caches;
        Some((used, self.swap_total - self.swap_free))
    }
}
