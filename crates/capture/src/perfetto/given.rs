//! What perfetto records: options, or a configuration written by the user.

use super::config::PerfettoOptions;
use crate::error::{CaptureError, Result};

/// What perfetto records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PerfettoConfig {
    /// These options.
    Options(PerfettoOptions),
    /// A configuration written by the user, as text.
    Text(Vec<u8>),
    /// A configuration in the binary format.
    Binary(Vec<u8>),
}

impl PerfettoConfig {
    /// A configuration from a file. Its bytes show whether it is text or binary.
    ///
    /// # Errors
    /// [`CaptureError::Option`] if the file is empty.
    pub fn given(bytes: Vec<u8>) -> Result<Self> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            let message = "the configuration for perfetto is empty";
            return Err(CaptureError::Option(message.to_owned()));
        }
        let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
        let is_text = std::str::from_utf8(&bytes).is_ok() && !bytes.iter().any(is_control);
        Ok(if is_text {
            Self::Text(bytes)
        } else {
            Self::Binary(bytes)
        })
    }

    /// The configuration, in its format.
    pub(super) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Options(options) => options.to_bytes(),
            Self::Text(bytes) | Self::Binary(bytes) => bytes.clone(),
        }
    }

    /// Whether it is text.
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }

    /// Whether the kernel is recorded. Both formats contain the name of the data source as plain text.
    pub(super) fn has_kernel_events(&self) -> bool {
        const SOURCE: &[u8] = b"linux.ftrace";
        let bytes = self.bytes();
        bytes.windows(SOURCE.len()).any(|bytes| bytes == SOURCE)
    }
}

#[cfg(test)]
mod tests {
    use super::{PerfettoConfig, PerfettoOptions};

    #[test]
    fn both_formats_are_recognised_and_searched_for_kernel_events() {
        let options = PerfettoOptions::default();
        for (bytes, is_text) in [
            (options.to_text().into_bytes(), true),
            (options.to_bytes(), false),
        ] {
            let config = PerfettoConfig::given(bytes).unwrap();
            assert_eq!(
                (config.is_text(), config.has_kernel_events()),
                (is_text, true)
            );
        }
        let other = PerfettoConfig::given(b"duration_ms: 1".to_vec()).unwrap();
        assert!(!other.has_kernel_events());
        assert!(PerfettoConfig::given(b" \n".to_vec()).is_err());
    }
}
