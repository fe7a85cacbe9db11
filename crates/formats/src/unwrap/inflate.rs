//! Deflate, pushed: compressed bytes in, what they give out, a buffer at a time.

use flate2::{Decompress, FlushDecompress, Status};

use crate::error::ReadError;

/// What pieces of output are handed on in: fits a core's own cache.
const PIECE: usize = 128 << 10;

/// How a push ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All input is used up; the stream goes on.
    More,
    /// The stream ended after so many bytes of this input.
    End(usize),
    /// The stream is broken, as the decoder says; what it gave before is kept.
    Broken(String),
}

/// A deflate stream that is being unpacked.
pub(crate) struct Inflater {
    stream: Decompress,
    piece: Box<[u8]>,
}

impl Inflater {
    /// A stream with zlib's header (RFC 1950).
    pub fn zlib() -> Self {
        Self::new(Decompress::new(true))
    }

    /// A stream with gzip's header (RFC 1952).
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

    /// Makes ready for the next stream of a gzip file.
    pub fn next_member(&mut self) {
        const WINDOW_BITS: u8 = 15;
        self.stream = Decompress::new_gzip(WINDOW_BITS);
    }

    /// Unpacks `input`. `emit` gets each piece of output.
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
                // A full piece may mean that more waits inside the decoder.
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
