//! Requests to the server and its answers: a length of four hexadecimal digits, then the bytes.

use super::error::{AdbError, Result};
use super::stream::Stream;

/// The longest possible request, bytes: the length has four digits.
const MAX_REQUEST: usize = 0xffff;

impl Stream {
    /// Sends a request and waits for `OKAY`.
    pub(super) fn send_request(&mut self, request: &str) -> Result<()> {
        self.set_request(request);
        if request.len() > MAX_REQUEST {
            return Err(AdbError::Refused {
                request: shortened(request),
                reason: format!("{} bytes are too many for an adb request", request.len()),
            });
        }
        self.send(format!("{:04x}{request}", request.len()).as_bytes())?;
        self.okay()
    }

    /// Waits for `OKAY`, or for `FAIL` and its reason.
    pub(super) fn okay(&mut self) -> Result<()> {
        let mut status = [0; 4];
        self.receive_exact(&mut status)?;
        match &status {
            b"OKAY" => Ok(()),
            b"FAIL" => Err(AdbError::Refused {
                reason: self.text()?,
                request: shortened(self.request()),
            }),
            other => Err(self.protocol("OKAY or FAIL", other)),
        }
    }

    /// Reads a text that follows its length.
    pub(super) fn text(&mut self) -> Result<String> {
        let mut digits = [0; 4];
        self.receive_exact(&mut digits)?;
        let length = std::str::from_utf8(&digits)
            .ok()
            .and_then(|digits| usize::from_str_radix(digits, 16).ok())
            .ok_or_else(|| self.protocol("a length of four hexadecimal digits", &digits))?;
        let text = self.receive_vec(length)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// Shortens a request for error messages.
fn shortened(request: &str) -> String {
    const MAX_CHARS: usize = 60;
    match request.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &request[..end]),
        None => request.to_owned(),
    }
}
