//! Limits output that is disproportionately large.
//!
//! Some outputs repeat all outer calls for each call. A trace of 20,000 nested calls, less than a
//! megabyte, then becomes gigabytes. Such output is written only on request.

use std::io::{self, Write};

use anyhow::{Result, bail};

use super::size;

/// The maximum ratio of output to input without `--all`.
const TIMES: u64 = 64;

/// The output size that is always allowed, bytes.
const ALWAYS: u64 = 1 << 20;

/// The maximum output for an input of this many bytes; unlimited with `--all`.
pub fn most_bytes(input: u64, all: bool) -> u64 {
    if all {
        u64::MAX
    } else {
        input.saturating_mul(TIMES).max(ALWAYS)
    }
}

/// The error when the output is too long. `bytes` is the size of the complete output, if known.
pub fn too_long(bytes: Option<u64>, most: u64) -> anyhow::Error {
    let whole = match bytes {
        Some(bytes) => format!("the result would have {}", size(bytes)),
        None => format!("the result would have more than {}", size(most)),
    };
    anyhow::anyhow!(
        "{whole}, more than {TIMES} times the input; --depth N leaves out deeper calls, --all writes everything"
    )
}

/// The error when a file of tables is too long.
#[cfg(feature = "query")]
pub fn tables_too_long(most: u64) -> anyhow::Error {
    anyhow::anyhow!(
        "the result would have more than {}, more than {TIMES} times the input; --all writes everything",
        size(most)
    )
}

/// Calls `write`, and fails if it writes more than `most` bytes.
///
/// # Errors
/// If `write` fails, or writes more than `most` bytes.
pub fn within(
    most: u64,
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    within_or(most, out, write, || too_long(None, most))
}

/// As [`within`], with a different error if the output is too long.
///
/// # Errors
/// As [`within`].
pub fn within_or(
    most: u64,
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
    too_long: impl FnOnce() -> anyhow::Error,
) -> Result<()> {
    let mut limited = Limited {
        out,
        left: Some(most),
    };
    let written = write(&mut limited);
    if limited.left.is_none() {
        bail!(too_long());
    }
    written
}

struct Limited<'a> {
    out: &'a mut dyn Write,
    /// The number of bytes that may follow; `None` once the limit was exceeded.
    left: Option<u64>,
}

impl Write for Limited<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self
            .left
            .and_then(|left| left.checked_sub(bytes.len() as u64));
        self.left = left;
        if left.is_none() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.out.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_ends_at_its_limit() {
        let write = |most: u64| {
            let mut out = Vec::new();
            let written = within(most, &mut out, |out| Ok(out.write_all(b"12345")?));
            (written.map_err(|error| error.to_string()), out)
        };
        assert_eq!(write(5), (Ok(()), b"12345".to_vec()));
        let (said, out) = write(4);
        assert!(
            said.unwrap_err()
                .starts_with("the result would have more than 4 bytes")
        );
        assert!(out.is_empty());
        assert_eq!(most_bytes(1, false), 1 << 20);
        assert_eq!(most_bytes(1 << 20, false), 64 << 20);
        assert_eq!(most_bytes(1, true), u64::MAX);
    }
}
