//! Converts the output of atrace to ftrace text: removes its first line, decompresses it, and removes
//! carriage returns.

use std::io;

use flate2::{Decompress, FlushDecompress, Status};

/// Precedes the trace.
pub(crate) const HEADER: &[u8] = b"TRACE:";

/// The first byte of a zlib stream with the default window. Text never begins with it.
const ZLIB: u8 = 0x78;

/// Converts the output of atrace while it arrives.
#[derive(Debug)]
pub(crate) struct AtraceText {
    state: State,
    /// Whether the last chunk ended with a carriage return, which is held back.
    has_return: bool,
}

#[derive(Debug)]
enum State {
    /// Before the first byte of the trace, after this many bytes of [`HEADER`].
    Header(usize),
    Plain,
    Compressed(Box<Decompress>),
    /// After the end of a zlib stream.
    End,
}

impl Default for AtraceText {
    fn default() -> Self {
        Self {
            state: State::Header(0),
            has_return: false,
        }
    }
}

impl AtraceText {
    /// Takes the next bytes, the first of which are [`HEADER`], and passes their text to `out`.
    ///
    /// # Errors
    /// `InvalidData` if decompression fails, and the errors of `out`.
    pub(crate) fn push(
        &mut self,
        mut bytes: &[u8],
        out: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        while let (State::Header(seen), Some(&first)) = (&mut self.state, bytes.first()) {
            if *seen < HEADER.len() {
                *seen += 1;
            } else if first == ZLIB {
                self.state = State::Compressed(Box::new(Decompress::new(true)));
                break;
            } else if !matches!(first, b'\r' | b'\n') {
                self.state = State::Plain;
                break;
            }
            bytes = &bytes[1..];
        }
        match &mut self.state {
            State::Plain => self.plain(bytes, out),
            State::Compressed(_) => self.compressed(bytes, out),
            State::Header(_) | State::End => Ok(()),
        }
    }

    /// Whether the trace is complete: a compressed trace has an end.
    pub(crate) fn is_complete(&self) -> bool {
        !matches!(self.state, State::Compressed(_))
    }

    fn compressed(
        &mut self,
        mut bytes: &[u8],
        out: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut text = vec![0; 1 << 16];
        while let State::Compressed(zlib) = &mut self.state {
            let (consumed, produced) = (zlib.total_in(), zlib.total_out());
            let status = zlib
                .decompress(bytes, &mut text, FlushDecompress::None)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            let consumed = (zlib.total_in() - consumed) as usize;
            let produced = (zlib.total_out() - produced) as usize;
            bytes = &bytes[consumed..];
            if status == Status::StreamEnd {
                // adb may append unrelated output.
                self.state = State::End;
            }
            self.plain(&text[..produced], out)?;
            if consumed == 0 && produced == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Passes text to `out` without the carriage returns before line feeds.
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

    use super::AtraceText;

    fn read(sent: &[u8], size: usize) -> (String, bool) {
        let (mut reader, mut text) = (AtraceText::default(), Vec::new());
        for chunk in sent.chunks(size) {
            let mut out = |bytes: &[u8]| {
                text.extend_from_slice(bytes);
                Ok(())
            };
            reader.push(chunk, &mut out).unwrap();
        }
        (String::from_utf8(text).unwrap(), reader.is_complete())
    }

    #[test]
    fn text_and_zlib_of_any_level_in_chunks_of_any_size() {
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
                    "level {level}, chunks of {size}"
                );
            }
            let (begun, is_complete) = read(&sent[..sent.len() - 14], 5);
            assert!(text.starts_with(&begun) && !is_complete);
        }
    }

    #[test]
    fn invalid_zlib_data_is_an_error() {
        let mut reader = AtraceText::default();
        let error = reader
            .push(b"TRACE:\nx\x9cjunk, all of it", &mut |_| Ok(()))
            .unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
    }
}
