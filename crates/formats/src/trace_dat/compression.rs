//! Compressed sections and pages of version 7.
//!
//! ```text
//! a section   packed bytes (u32) | plain bytes (u32) | data
//! pages       number of chunks (u32), then chunks of the same layout
//! ```

use traceloom_trace::Place;

use super::input::{Input, wrong};
use crate::error::{ReadError, printable};
use crate::format::ReadOptions;
use crate::format_id;
use crate::unwrap::{Allowance, Inflater, Outcome};
use crate::zstd;

/// The compression of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Codec {
    None,
    Zlib,
    Zstd,
}

impl Codec {
    pub fn named(name: &[u8], place: Place) -> Result<Self, ReadError> {
        match name {
            b"none" | b"" => Ok(Self::None),
            b"zlib" => Ok(Self::Zlib),
            b"zstd" => Ok(Self::Zstd),
            other => {
                let expected = "none, zlib or zstd";
                Err(wrong("the compression", printable(other), expected, place))
            }
        }
    }
}

/// Decompresses parts of a file, within the limits.
pub(super) struct Unpacker {
    codec: Codec,
    allowance: Allowance,
    file_bytes: u64,
    packed: u64,
    unpacked: u64,
}

/// The reason why a chunk could not be decompressed completely.
pub(super) enum Failure {
    /// The output before the damage, and the message of the decoder.
    Broken(Vec<u8>, String),
    /// A limit was exceeded, or the file ends.
    Refused(ReadError),
}

impl Unpacker {
    /// Creates an unpacker for a file of `file_bytes` bytes.
    pub fn new(codec: Codec, file_bytes: usize, options: &ReadOptions) -> Self {
        Self {
            codec,
            file_bytes: file_bytes as u64,
            allowance: Allowance::new(format_id::TRACE_DAT, options),
            packed: 0,
            unpacked: 0,
        }
    }

    /// Decompresses the next chunk of `input`.
    pub fn chunk(
        &mut self,
        input: &mut Input<'_>,
        inside: &'static str,
    ) -> Result<Vec<u8>, Failure> {
        let refused = Failure::Refused;
        let (packed, plain) = (input.u32(inside), input.u32(inside));
        let (packed, plain) = (packed.map_err(refused)?, plain.map_err(refused)?);
        let packed = input.take(packed.into(), inside).map_err(refused)?;
        self.packed += packed.len() as u64;
        if self.packed > self.file_bytes {
            let reason = "two entries describe the same bytes".to_owned();
            return Err(Failure::Broken(Vec::new(), reason));
        }
        let before = self.unpacked;
        let mut out = Vec::new();
        let end = self.unpack(packed, plain as usize, &mut out);
        self.unpacked = before + out.len() as u64;
        match end {
            Ok(()) => Ok(out),
            Err(Failure::Broken(_, reason)) => Err(Failure::Broken(out, reason)),
            Err(refused) => Err(refused),
        }
    }

    fn unpack(&mut self, packed: &[u8], plain: usize, out: &mut Vec<u8>) -> Result<(), Failure> {
        let broken = |reason: String| Failure::Broken(Vec::new(), reason);
        let unpacked = self.unpacked;
        let (allowance, packed_so_far) = (&self.allowance, self.packed);
        let mut emit = |piece: &[u8]| {
            let more = piece.len() as u64;
            let so_far = unpacked + out.len() as u64 + more;
            allowance.take(more, so_far, packed_so_far)?;
            out.extend_from_slice(piece);
            Ok(())
        };
        let ended = match self.codec {
            Codec::None => {
                return Err(broken(
                    "the file says that nothing is compressed".to_owned(),
                ));
            }
            Codec::Zlib => match Inflater::zlib()
                .push(packed, emit)
                .map_err(Failure::Refused)?
            {
                Outcome::End(_) => Ok(()),
                Outcome::More => Err("the stream breaks off".to_owned()),
                Outcome::Broken(reason) => Err(reason),
            },
            Codec::Zstd => {
                zstd::unpack_frame(packed, plain as u64, &mut emit).map_err(Failure::Refused)?
            }
        };
        ended.map_err(broken)?;
        if out.len() == plain {
            Ok(())
        } else {
            Err(broken(format!(
                "{} bytes came, {plain} are announced",
                out.len()
            )))
        }
    }
}
