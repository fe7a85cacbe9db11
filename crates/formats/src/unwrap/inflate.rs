//! Push-style inflating: compressed bytes in, output in buffers.

use flate2::{Decompress, FlushDecompress, Status};

use crate::error::ReadError;

/// Size of an output buffer, bytes: fits in the L2 cache.
const PIECE: usize = 128 << 10;

/// How a push ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All input was consumed; the stream continues.
    More,
    /// The stream ended after this many bytes of the input.
    End(usize),
    /// The stream is broken, with the message of the decoder; earlier output is valid.
    Broken(String),
}

/// A deflate stream being decompressed.
pub(crate) struct Inflater {
    stream: Decompress,
    piece: Box<[u8]>,
}

impl Inflater {
    /// Creates an inflater for a stream with zlib's header (RFC 1950).
    pub fn zlib() -> Self {
        Self::new(Decompress::new(true))
    }

    /// Creates an inflater for a stream with gzip's header (RFC 1952).
    pub fn gzip() -> Self {
        const WINDOW_BITS: u8 = 15;
        Self::new(Decompress::new_gzip(WINDOW_BITS))
    }

    fn new(stream: Decompress) -> Self {
        Self {
            stream,
            piece: vec![0; PIECE].into_boxed_slice(),
        }
    }

    /// Prepares for the next member of a gzip file.
    pub fn next_member(&mut self) {
        const WINDOW_BITS: u8 = 15;
        self.stream = Decompress::new_gzip(WINDOW_BITS);
    }

    /// The number of bytes of the stream that the decoder has used, also if it is broken.
    pub fn used(&self) -> u64 {
        self.stream.total_in()
    }

    /// Decompresses `input`, and passes each buffer of output to `emit`.
    pub fn push(
        &mut self,
        input: &[u8],
        mut emit: impl FnMut(&[u8]) -> Result<(), ReadError>,
    ) -> Result<Outcome, ReadError> {
        let mut used = 0;
        loop {
            let before = (self.stream.total_in(), self.stream.total_out());
            let status =
                self.stream
                    .decompress(&input[used..], &mut self.piece, FlushDecompress::None);
            used += (self.stream.total_in() - before.0) as usize;
            let given = (self.stream.total_out() - before.1) as usize;
            if given > 0 {
                emit(&self.piece[..given])?;
            }
            match status {
                Err(error) => return Ok(Outcome::Broken(error.to_string())),
                Ok(Status::StreamEnd) => return Ok(Outcome::End(used)),
                // If the buffer is full, the decoder may have more output.
                Ok(_) if given == self.piece.len() => {}
                Ok(_) if used == input.len() => return Ok(Outcome::More),
                Ok(_) if given == 0 && self.stream.total_in() == before.0 => {
                    return Ok(Outcome::Broken("the decoder does not go on".to_owned()));
                }
                Ok(_) => {}
            }
        }
    }
}
