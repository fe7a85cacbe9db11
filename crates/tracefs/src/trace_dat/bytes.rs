//! Numbers and texts as both versions of the file have them.

/// Numbers in the machine's own order.
#[derive(Default)]
pub(super) struct Bytes(pub Vec<u8>);

impl Bytes {
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

    /// A text behind its length as 64 bits.
    pub fn long_text(&mut self, text: &str) {
        self.u64(text.len() as u64);
        self.raw(text.as_bytes());
    }

    /// A text behind its length as 32 bits.
    pub fn short_text(&mut self, text: &str) {
        self.u32(text.len() as u32);
        self.raw(text.as_bytes());
    }

    /// A text with a NUL at its end.
    pub fn c_text(&mut self, text: &str) {
        self.raw(text.as_bytes());
        self.raw(b"\0");
    }

    /// Room up to the next multiple of `bytes`, for a file that has so much before.
    pub fn pad(&mut self, before: u64, bytes: u64) {
        let end = (before + self.0.len() as u64).next_multiple_of(bytes);
        self.0.resize((end - before) as usize, 0);
    }
}
