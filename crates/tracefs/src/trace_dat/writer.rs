//! Writes the numbers and texts of both versions.

/// The bytes of a file. Numbers have the machine's byte order.
#[derive(Default)]
pub(super) struct Writer(pub Vec<u8>);

impl Writer {
    pub fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub fn u16(&mut self, value: u16) {
        self.raw(&value.to_ne_bytes());
    }

    pub fn u32(&mut self, value: u32) {
        self.raw(&value.to_ne_bytes());
    }

    pub fn u64(&mut self, value: u64) {
        self.raw(&value.to_ne_bytes());
    }

    /// Writes a 64-bit length and a text.
    pub fn long_text(&mut self, text: &str) {
        self.u64(text.len() as u64);
        self.raw(text.as_bytes());
    }

    /// Writes a 32-bit length and a text.
    pub fn short_text(&mut self, text: &str) {
        self.u32(text.len() as u32);
        self.raw(text.as_bytes());
    }

    /// Writes a NUL-terminated text.
    pub fn c_text(&mut self, text: &str) {
        self.raw(text.as_bytes());
        self.raw(b"\0");
    }

    /// Pads with zeros to a multiple of `bytes`.
    pub fn pad(&mut self, bytes: usize) {
        self.0.resize(self.0.len().next_multiple_of(bytes), 0);
    }
}
