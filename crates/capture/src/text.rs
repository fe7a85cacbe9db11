//! From what atrace sends to ftrace text: without its first line, inflated, with plain line ends.

use std::io;

use flate2::{Decompress, FlushDecompress, Status};

/// What stands before the trace.
pub(crate) const BEGIN: &[u8] = b"TRACE:";

/// The first byte of a zlib stream with the usual window; text begins otherwise.
const ZLIB: u8 = 0x78;

/// Unpacks what atrace sends while it comes.
#[derive(Debug)]
pub(crate) struct TraceText {
    state: State,
    /// A carriage return at the end of what came last.
    has_return: bool,
}

#[derive(Debug)]
enum State {
    /// Before the first byte of the trace; so many of [`BEGIN`] were seen.
    Begin(usize),
    Plain,
    Packed(Box<Decompress>),
    /// After the end of a zlib stream.
    Over,
}

impl Default for TraceText {
    fn default() -> Self {
        Self {
            state: State::Begin(0),
            has_return: false,
        }
    }
}

impl TraceText {
    /// Takes what came, from [`BEGIN`] on, and gives `out` the text in it.
    ///
    /// # Errors
    /// Where it does not inflate (of kind `InvalidData`), and those of `out`.
    pub(crate) fn push(
        &mut self,
        mut bytes: &[u8],
        out: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        while let (State::Begin(seen), Some(&first)) = (&mut self.state, bytes.first()) {
            if *seen < BEGIN.len() {
                *seen += 1;
            } else if first == ZLIB {
                self.state = State::Packed(Box::new(Decompress::new(true)));
                break;
            } else if !matches!(first, b'\r' | b'\n') {
                self.state = State::Plain;
                break;
            }
            bytes = &bytes[1..];
        }
        match &mut self.state {
            State::Plain => self.plain(bytes, out),
            State::Packed(_) => self.packed(bytes, out),
            State::Begin(_) | State::Over => Ok(()),
        }
    }

    /// Whether everything came that a compressed trace has.
    pub(crate) fn is_whole(&self) -> bool {
        !matches!(self.state, State::Packed(_))
    }

    fn packed(
        &mut self,
        mut bytes: &[u8],
        out: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut text = vec![0; 1 << 16];
        while let State::Packed(zlib) = &mut self.state {
            let (taken, given) = (zlib.total_in(), zlib.total_out());
            let status = zlib
                .decompress(bytes, &mut text, FlushDecompress::None)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            let taken = (zlib.total_in() - taken) as usize;
            let given = (zlib.total_out() - given) as usize;
            bytes = &bytes[taken..];
            if status == Status::StreamEnd {
                // What follows is noise of adb.
                self.state = State::Over;
            }
            self.plain(&text[..given], out)?;
            if taken == 0 && given == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Passes text on without the carriage returns at its line ends.
    fn plain(
        &mut self,
        bytes: &[u8],
        out: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        if !self.has_return && !bytes.contains(&b'\r') {
            return out(bytes);
        }
        let mut text = Vec::with_capacity(bytes.len() + 1);
        for &byte in bytes {
            if self.has_return && byte != b'\n' {
                text.push(b'\r');
            }
            self.has_return = byte == b'\r';
            if !self.has_return {
                text.push(byte);
            }
        }
        out(&text)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::TraceText;

    fn read(sent: &[u8], size: usize) -> (String, bool) {
        let (mut reader, mut text) = (TraceText::default(), Vec::new());
        for piece in sent.chunks(size) {
            let mut out = |bytes: &[u8]| {
                text.extend_from_slice(bytes);
                Ok(())
            };
            reader.push(piece, &mut out).unwrap();
        }
        (String::from_utf8(text).unwrap(), reader.is_whole())
    }

    #[test]
    fn text_and_zlib_of_any_level_in_pieces_of_any_size() {
        let text = "# tracer: nop\n#\n  a-1 (  1) [000] .... 1.0: tracing_mark_write: B|1|x\n";
        assert_eq!(
            read(b"TRACE:\r\n# tracer\r\n\ra\r\n", 1),
            ("# tracer\n\ra\n".into(), true)
        );
        for level in [0, 1, 6, 9] {
            let mut zlib = ZlibEncoder::new(b"TRACE:\n".to_vec(), Compression::new(level));
            zlib.write_all(text.as_bytes()).unwrap();
            let sent = [zlib.finish().unwrap(), b"\nnoise".to_vec()].concat();
            for size in [1, 3, sent.len()] {
                assert_eq!(
                    read(&sent, size),
                    (text.into(), true),
                    "level {level}, pieces of {size}"
                );
            }
            let (begun, whole) = read(&sent[..sent.len() - 14], 5);
            assert!(text.starts_with(&begun) && !whole);
        }
    }

    #[test]
    fn what_does_not_inflate_is_an_error() {
        let mut reader = TraceText::default();
        let error = reader
            .push(b"TRACE:\nx\x9cjunk, all of it", &mut |_| Ok(()))
            .unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
    }
}
