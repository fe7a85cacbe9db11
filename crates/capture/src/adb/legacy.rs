//! Shells of devices before Android 7, which tell no exit status: the command line prints it.

/// Stands before the status at the end of the output.
const MARK: &str = "traceloom-exit:";

/// What is held back: the mark, three digits, and the line end of a terminal.
const HELD: usize = MARK.len() + 5;

/// The command, then its status. A line of its own ends a comment that the command may end with.
pub(super) fn line(command: &str) -> String {
    format!("({command}\n); echo {MARK}$?")
}

/// Takes the status off the end of the output, and the carriage returns out of it that the
/// device's terminal put before line feeds.
#[derive(Default, Debug)]
pub(super) struct Tail {
    held: Vec<u8>,
    status: Option<u8>,
}

impl Tail {
    /// Puts what came behind what was held back, and leaves in `bytes` what is surely output.
    pub(super) fn push(&mut self, bytes: &mut Vec<u8>) {
        self.held.append(bytes);
        let mut kept = self.held.len().saturating_sub(HELD);
        // The line feed that may follow decides about a carriage return.
        while kept > 0 && self.held[kept - 1] == b'\r' {
            kept -= 1;
        }
        bytes.extend(self.held.drain(..kept));
        drop_returns(bytes);
    }

    /// At the end: leaves in `bytes` the rest of the output. False where no status is there, as
    /// the connection broke.
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

    /// The status, once the end was seen.
    pub(super) fn status(&self) -> Option<u8> {
        self.status
    }
}

fn drop_returns(bytes: &mut Vec<u8>) {
    let mut at = 0;
    let mut is_kept = |bytes: &[u8]| {
        at += 1;
        !(bytes[at - 1] == b'\r' && bytes.get(at) == Some(&b'\n'))
    };
    let copy = bytes.clone();
    bytes.retain(|_| is_kept(&copy));
}

#[cfg(test)]
mod tests {
    use super::Tail;

    /// The output and status of what came in pieces of `size` bytes.
    fn read(sent: &[u8], size: usize) -> (Vec<u8>, Option<u8>) {
        let (mut tail, mut out) = (Tail::default(), Vec::new());
        let mut bytes = Vec::new();
        for piece in sent.chunks(size) {
            bytes.clear();
            bytes.extend_from_slice(piece);
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
            assert_eq!(status, Some(142), "pieces of {size}");
        }
    }

    #[test]
    fn a_broken_connection_has_none() {
        assert_eq!(read(b"half a li", 3), (b"half a li".to_vec(), None));
    }
}
