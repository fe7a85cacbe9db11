//! The reader of formats whose parts refer to each other.

use crate::error::ReadError;
use crate::format::{Reader, Target};

/// Reads an input once it is complete. Input that is fed in chunks is kept until the end; input in memory is not
/// copied.
struct WholeReader<F> {
    bytes: Vec<u8>,
    read: F,
}

/// A reader that calls `read` with the complete input.
pub(crate) fn whole_reader(
    read: impl FnMut(&[u8], &mut Target<'_>) -> Result<(), ReadError> + 'static,
) -> Box<dyn Reader> {
    let bytes = Vec::new();
    Box::new(WholeReader { bytes, read })
}

impl<F: FnMut(&[u8], &mut Target<'_>) -> Result<(), ReadError>> Reader for WholeReader<F> {
    fn feed(&mut self, chunk: &[u8], _: &mut Target<'_>) -> Result<(), ReadError> {
        self.bytes.extend_from_slice(chunk);
        Ok(())
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let bytes = std::mem::take(&mut self.bytes);
        self.whole(&bytes, out)
    }

    fn whole(&mut self, bytes: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        (self.read)(bytes, out)
    }
}
