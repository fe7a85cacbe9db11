//! Shells of devices before Android 7. They report no exit status, so the command line prints it.

/// Precedes the exit status at the end of the output.
const MARK: &str = "traceloom-exit:";

/// The maximum size of the exit status, bytes: the mark, three digits, and a line end of a terminal.
const TAIL_BYTES: usize = MARK.len() + 5;

/// A command line that also prints the exit status. The line break ends a comment at the end of
/// `command`.
pub(super) fn line(command: &str) -> String {
    format!("({command}\n); echo {MARK}$?")
}

/// Separates the exit status from the output, and removes the carriage returns that the device's
/// terminal added before line feeds.
#[derive(Default, Debug)]
pub(super) struct Tail {
    held: Vec<u8>,
    status: Option<u8>,
}

impl Tail {
    /// Takes the next bytes. Leaves in `bytes` only what is certainly output.
    pub(super) fn push(&mut self, bytes: &mut Vec<u8>) {
        self.held.append(bytes);
        let mut end = self.held.len().saturating_sub(TAIL_BYTES);
        // Whether a carriage return is removed depends on the byte after it.
        while end > 0 && self.held[end - 1] == b'\r' {
            end -= 1;
        }
        bytes.extend(self.held.drain(..end));
        drop_returns(bytes);
    }

    /// Leaves the rest of the output in `bytes` when the stream ends. Returns false if there is no
    /// exit status because the connection broke.
    pub(super) fn finish(&mut self, bytes: &mut Vec<u8>) -> bool {
        bytes.clear();
        bytes.append(&mut self.held);
        drop_returns(bytes);
        let mark = MARK.as_bytes();
        let found = bytes.windows(mark.len()).rposition(|at| at == mark);
        self.status = found.and_then(|at| {
            let digits = std::str::from_utf8(&bytes[at + mark.len()..]).ok()?;
            digits.trim().parse().ok()
        });
        if self.status.is_some() {
            bytes.truncate(found.unwrap_or_default());
        }
        self.status.is_some()
    }

    /// The exit status, once the stream has ended.
    pub(super) fn status(&self) -> Option<u8> {
        self.status
    }
}

fn drop_returns(bytes: &mut Vec<u8>) {
    let mut end = 0;
    for at in 0..bytes.len() {
        if !bytes[at..].starts_with(b"\r\n") {
            bytes[end] = bytes[at];
            end += 1;
        }
    }
    bytes.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::Tail;

    /// The output and exit status when `sent` arrives in chunks of `size` bytes.
    fn read(sent: &[u8], size: usize) -> (Vec<u8>, Option<u8>) {
        let (mut tail, mut out) = (Tail::default(), Vec::new());
        let mut bytes = Vec::new();
        for chunk in sent.chunks(size) {
            bytes.clear();
            bytes.extend_from_slice(chunk);
            tail.push(&mut bytes);
            out.append(&mut bytes);
        }
        tail.finish(&mut bytes);
        out.append(&mut bytes);
        (out, tail.status())
    }

    #[test]
    fn the_status_is_found_however_the_output_is_cut() {
        let sent = b"one\r\ntwo\r\r\nthree traceloom-exit: four\rtraceloom-exit:142\r\n";
        for size in 1..sent.len() {
            let (out, status) = read(sent, size);
            assert_eq!(
                out.escape_ascii().to_string(),
                r"one\ntwo\r\nthree traceloom-exit: four\r"
            );
            assert_eq!(status, Some(142), "chunks of {size}");
        }
    }

    #[test]
    fn a_broken_connection_has_no_status() {
        assert_eq!(read(b"half a li", 3), (b"half a li".to_vec(), None));
    }
}
