//! Zstandard (RFC 8878): `.zst` files, several frames and skippable frames included.

mod frame;
#[cfg(test)]
mod tests;

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use traceloom_trace::{Place, RepairKind};

use crate::error::ReadError;
use crate::format::{Confidence, Format, ReadOptions, Reader, Target};
use crate::format_id;
use crate::unwrap::Inner;
use frame::{BlockHeader, FrameHeader, Head};

/// Zstandard: opens the data inside.
pub(crate) struct Zstd;

impl Format for Zstd {
    fn id(&self) -> &'static str {
        format_id::ZSTD
    }

    fn title(&self) -> &'static str {
        "Zstandard"
    }

    fn is_container(&self) -> bool {
        true
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        match Head::parse(head) {
            Head::Frame(_) | Head::Skippable(_) => Confidence::Certain,
            Head::TooShort | Head::Other => Confidence::No,
        }
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(ZstdReader {
            decoder: FrameDecoder::new(),
            state: State::Between,
            waiting: Vec::new(),
            used: 0,
            plain: Vec::new(),
            inner: Inner::new(format_id::ZSTD, options),
            packed: 0,
            trailing: 0,
        }))
    }
}

/// Decompresses one frame of `plain` bytes and passes on its output. The inner error describes what
/// is wrong with the frame.
///
/// # Errors
/// The errors of `emit`.
pub(crate) fn unpack_frame(
    packed: &[u8],
    plain: u64,
    emit: &mut dyn FnMut(&[u8]) -> Result<(), ReadError>,
) -> Result<Result<(), String>, ReadError> {
    let Head::Frame(header) = Head::parse(packed) else {
        return Ok(Err("no zstd frame stands there".to_owned()));
    };
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(u64::MAX);
    // References never reach back further than the size of the frame, whatever window it declares.
    let own_header = header.with_window(header.window.min(plain));
    if let Err(error) = decoder.reset(&own_header[..]) {
        return Ok(Err(error.to_string()));
    }
    let (mut at, mut piece) = (header.bytes, Vec::new());
    loop {
        let rest = packed.get(at..).unwrap_or_default();
        let block = BlockHeader::parse(rest).filter(|block| block.bytes() <= rest.len());
        let Some(block) = block else {
            return Ok(Err("the frame breaks off".to_owned()));
        };
        let bytes = &rest[..block.bytes()];
        let decoded = decoder.decode_blocks(bytes, BlockDecodingStrategy::UptoBlocks(1));
        piece.clear();
        // Writing to memory cannot fail.
        let _ = decoder.collect_to_writer(&mut piece);
        emit(&piece)?;
        match decoded {
            Err(error) => return Ok(Err(error.to_string())),
            Ok(_) if block.last => return Ok(Ok(())),
            Ok(_) => at += bytes.len(),
        }
    }
}

/// Decompresses consecutive frames. The last one may be truncated. The inner error describes what is wrong with them.
pub(crate) fn unpack_stream(
    packed: &[u8],
    emit: &mut dyn FnMut(&[u8]) -> Result<(), ReadError>,
) -> Result<Result<(), String>, ReadError> {
    let mut rest = packed;
    while !rest.is_empty() {
        match Head::parse(rest) {
            Head::Frame(header) => match unpack_blocks(rest, &header, packed.len(), emit)? {
                Ok(length) => rest = &rest[length..],
                Err(reason) => return Ok(Err(reason)),
            },
            Head::Skippable(length) => {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                let length = length.saturating_add(frame::SKIPPABLE_HEADER);
                rest = rest.get(length..).unwrap_or_default();
            }
            Head::TooShort | Head::Other => {
                return Ok(Err("no zstd frame stands there".to_owned()));
            }
        }
    }
    Ok(Ok(()))
}

/// Decompresses the blocks of a frame, which may be truncated. Returns its length.
fn unpack_blocks(
    bytes: &[u8],
    header: &FrameHeader,
    packed: usize,
    emit: &mut dyn FnMut(&[u8]) -> Result<(), ReadError>,
) -> Result<Result<usize, String>, ReadError> {
    const LAST_BLOCK: &[u8] = &[1, 0, 0];
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(u64::MAX);
    let earned = (1 << 20) + WINDOW_FOR_BYTE * packed as u64;
    if let Err(error) = decoder.reset(&header.with_window(header.window.min(earned))[..]) {
        return Ok(Err(error.to_string()));
    }
    let (mut at, mut piece) = (header.bytes, Vec::new());
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let block = BlockHeader::parse(rest).filter(|block| block.bytes() <= rest.len());
        let (block, is_last) = match block {
            Some(block) => (&rest[..block.bytes()], block.last),
            None => (LAST_BLOCK, true),
        };
        let decoded = decoder.decode_blocks(block, BlockDecodingStrategy::UptoBlocks(1));
        piece.clear();
        // Writing to memory cannot fail.
        let _ = decoder.collect_to_writer(&mut piece);
        emit(&piece)?;
        if let Err(error) = decoded {
            return Ok(Err(error.to_string()));
        }
        at = (at + block.len()).min(bytes.len());
        if is_last {
            let checksum = if header.checksum { frame::CHECKSUM } else { 0 };
            return Ok(Ok((at + checksum).min(bytes.len())));
        }
    }
}

enum State {
    /// Before a frame.
    Between,
    /// In a frame, before a block.
    Frame {
        checksum: bool,
    },
    /// After the last block: the checksum.
    Checksum,
    /// In a frame that decoders skip.
    Skip(u64),
    /// The rest does not belong to the stream.
    After,
    Broken(String),
}

/// Feeds the decoder whole blocks of at most 128 KB, because it cannot stop inside one.
struct ZstdReader {
    decoder: FrameDecoder,
    state: State,
    waiting: Vec<u8>,
    /// The number of bytes of `waiting` that are processed.
    used: usize,
    plain: Vec<u8>,
    inner: Inner,
    packed: u64,
    trailing: u64,
}

/// Larger windows must be justified by the size of the input, bytes. Only `--long` and `--ultra`
/// use them.
const FREE_WINDOW: u64 = 32 << 20;

/// Additional bytes of window for each byte of input.
const WINDOW_FOR_BYTE: u64 = 64;

impl ZstdReader {
    /// Processes the next item. Returns `false` if it is incomplete.
    fn step(&mut self, last: bool, out: &mut Target<'_>) -> Result<bool, ReadError> {
        let rest = &self.waiting[self.used..];
        if rest.is_empty() {
            return Ok(false);
        }
        let taken = match &self.state {
            State::Between => match Head::parse(rest) {
                Head::Frame(header) => return Ok(self.begin(header, last)),
                Head::Skippable(length) => {
                    self.state = State::Skip(length);
                    frame::SKIPPABLE_HEADER
                }
                Head::TooShort if !last => return Ok(false),
                Head::TooShort | Head::Other => {
                    self.state = State::After;
                    0
                }
            },
            State::Frame { checksum } => match BlockHeader::parse(rest) {
                Some(block) if rest.len() >= block.bytes() => {
                    let checksum = *checksum;
                    return self.block(block, checksum, out);
                }
                _ => return Ok(false),
            },
            State::Checksum => match rest.first_chunk::<{ frame::CHECKSUM }>() {
                None => return Ok(false),
                Some(sum) => {
                    let sum = u32::from_le_bytes(*sum);
                    self.state = self.check(sum);
                    frame::CHECKSUM
                }
            },
            State::Skip(left) => {
                let taken = (*left).min(rest.len() as u64);
                self.state = match left - taken {
                    0 => State::Between,
                    left => State::Skip(left),
                };
                taken as usize
            }
            State::After | State::Broken(_) => {
                self.trailing += rest.len() as u64;
                rest.len()
            }
        };
        self.take(taken);
        Ok(true)
    }

    fn begin(&mut self, header: FrameHeader, last: bool) -> bool {
        let rest = &self.waiting[self.used..];
        let earned = FREE_WINDOW + WINDOW_FOR_BYTE * (self.packed + rest.len() as u64);
        if header.window > earned && !last {
            return false;
        }
        // `zstd --ultra` declares 128 MB even for a short text, and a hostile input may do the
        // same. A frame whose input has ended gets only as much as it can need.
        let plain_header = header.with_window(header.window.min(earned));
        self.decoder.set_max_window_size(u64::MAX);
        self.state = match self.decoder.reset(&plain_header[..]) {
            Ok(()) => State::Frame {
                checksum: header.checksum,
            },
            Err(error) => State::Broken(error.to_string()),
        };
        self.take(header.bytes);
        true
    }

    fn block(
        &mut self,
        block: BlockHeader,
        checksum: bool,
        out: &mut Target<'_>,
    ) -> Result<bool, ReadError> {
        let end = self.used + block.bytes();
        let decoded = self.decoder.decode_blocks(
            &self.waiting[self.used..end],
            BlockDecodingStrategy::UptoBlocks(1),
        );
        self.take(block.bytes());
        self.state = match decoded {
            Err(error) => State::Broken(error.to_string()),
            Ok(_) if !block.last => State::Frame { checksum },
            Ok(_) if checksum => State::Checksum,
            Ok(_) => State::Between,
        };
        self.pass_on(out)?;
        Ok(true)
    }

    fn pass_on(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        self.plain.clear();
        // Writing to memory cannot fail.
        let _ = self.decoder.collect_to_writer(&mut self.plain);
        self.inner.unpacked(&self.plain, self.packed, out)
    }

    /// Flushes the window of a truncated frame: an empty last block makes the decoder emit it.
    fn drain(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        const LAST_BLOCK: &[u8] = &[1, 0, 0];
        let ended = self
            .decoder
            .decode_blocks(LAST_BLOCK, BlockDecodingStrategy::UptoBlocks(1));
        match ended {
            Ok(_) => self.pass_on(out),
            Err(_) => Ok(()),
        }
    }

    fn check(&self, sum: u32) -> State {
        match self.decoder.get_calculated_checksum() {
            Some(own) if own != sum => State::Broken("the checksum does not fit".to_owned()),
            _ => State::Between,
        }
    }

    fn run(&mut self, last: bool, out: &mut Target<'_>) -> Result<(), ReadError> {
        while self.step(last, out)? {}
        self.waiting.drain(..self.used);
        self.used = 0;
        Ok(())
    }

    fn is_torn(&self) -> bool {
        matches!(
            self.state,
            State::Frame { .. } | State::Checksum | State::Skip(_)
        ) || !self.waiting.is_empty()
    }

    fn nothing_came(&self) -> Option<ReadError> {
        if self.inner.given() > 0 {
            return None;
        }
        match &self.state {
            State::Broken(reason) => Some(ReadError::Compression {
                format: format_id::ZSTD,
                offset: 0,
                reason: reason.clone(),
            }),
            _ if self.is_torn() => Some(ReadError::Truncated {
                format: format_id::ZSTD,
                inside: "the compressed data",
                offset: self.packed,
            }),
            _ => None,
        }
    }

    fn count_repairs(&self, out: &mut Target<'_>) {
        let place = Place::at_offset(self.inner.given());
        match &self.state {
            State::Broken(reason) => out.repair(RepairKind::BrokenBlock, 1, place, || {
                format!("the zstd stream is broken: {reason}")
            }),
            _ if self.is_torn() => out.repair(RepairKind::TornRecord, 1, place, || {
                "the zstd stream breaks off".to_owned()
            }),
            _ => {}
        }
        let trailing = Place::at_offset(self.packed - self.trailing);
        out.repair(RepairKind::TrailingBytes, self.trailing, trailing, || {
            "after the zstd stream".to_owned()
        });
    }

    fn take(&mut self, bytes: usize) {
        self.used += bytes;
        self.packed += bytes as u64;
    }
}

impl Reader for ZstdReader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        const PIECE: usize = 64 << 10;
        for piece in chunk.chunks(PIECE) {
            self.waiting.extend_from_slice(piece);
            self.run(false, out)?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        self.run(true, out)?;
        if matches!(self.state, State::Frame { .. } | State::Broken(_)) {
            self.drain(out)?;
        }
        if let Some(error) = self.nothing_came() {
            return Err(error);
        }
        self.inner.finish(out)?;
        self.count_repairs(out);
        Ok(())
    }
}
