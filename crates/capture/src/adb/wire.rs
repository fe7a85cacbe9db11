//! Requests of the server and their answers: four hexadecimal digits, then that many bytes.

use super::error::{AdbError, Result};
use super::stream::Stream;

/// The longest request: its length has four digits.
const LONGEST: usize = 0xffff;

impl Stream {
    /// Sends a request and waits for `OKAY`.
    pub(super) fn ask(&mut self, request: &str) -> Result<()> {
        self.now_for(request);
        if request.len() > LONGEST {
            return Err(AdbError::Refused {
                request: shortened(request),
                reason: format!("{} bytes are too long for adb", request.len()),
            });
        }
        self.send(format!("{:04x}{request}", request.len()).as_bytes())?;
        self.okay()
    }

    /// Waits for `OKAY`, or for `FAIL` and the reason.
    pub(super) fn okay(&mut self) -> Result<()> {
        let mut status = [0; 4];
        self.receive_all(&mut status)?;
        match &status {
            b"OKAY" => Ok(()),
            b"FAIL" => Err(AdbError::Refused {
                reason: self.text()?,
                request: shortened(self.request()),
            }),
            other => Err(self.protocol("OKAY or FAIL", other)),
        }
    }

    /// A text with its length in front.
    pub(super) fn text(&mut self) -> Result<String> {
        let mut digits = [0; 4];
        self.receive_all(&mut digits)?;
        let length = std::str::from_utf8(&digits)
            .ok()
            .and_then(|digits| usize::from_str_radix(digits, 16).ok())
            .ok_or_else(|| self.protocol("a length of four hexadecimal digits", &digits))?;
        let mut text = vec![0; length];
        self.receive_all(&mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// The beginning of a request, for messages.
fn shortened(request: &str) -> String {
    const MOST: usize = 60;
    match request.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &request[..end]),
        None => request.to_owned(),
    }
}
