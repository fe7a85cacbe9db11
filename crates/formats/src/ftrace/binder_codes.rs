//! The commands between a thread and the binder driver, from `include/uapi/linux/android/binder.h`.

/// A request of a thread to the driver (`BC_…`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Command {
    /// `BC_TRANSACTION`, `BC_TRANSACTION_SG`.
    Transaction,
    /// `BC_REPLY`, `BC_REPLY_SG`.
    Reply,
}

impl Command {
    pub fn of(code: i64) -> Option<Self> {
        Some(match code {
            0x4040_6300 | 0x4048_6311 => Self::Transaction,
            0x4040_6301 | 0x4048_6312 => Self::Reply,
            _ => return None,
        })
    }
}

/// A message of the driver to a thread (`BR_…`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Return {
    /// `BR_TRANSACTION`, `BR_TRANSACTION_SEC_CTX`.
    Transaction,
    /// `BR_REPLY`.
    Reply,
    /// `BR_TRANSACTION_COMPLETE`, `BR_ONEWAY_SPAM_SUSPECT`.
    Complete,
    /// `BR_DEAD_REPLY`, `BR_FAILED_REPLY`, `BR_FROZEN_REPLY`, `BR_TRANSACTION_PENDING_FROZEN`.
    Failed,
}

impl Return {
    pub fn of(code: i64) -> Option<Self> {
        Some(match code {
            0x8040_7202 | 0x8048_7202 => Self::Transaction,
            0x8040_7203 => Self::Reply,
            0x7206 | 0x7213 => Self::Complete,
            0x7205 | 0x7211 | 0x7212 | 0x7214 => Self::Failed,
            _ => return None,
        })
    }
}

/// The number at the start of the printed code, such as `0x7206 BR_TRANSACTION_COMPLETE`.
pub(crate) fn printed_code(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let number = text.split(' ').next()?.strip_prefix("0x")?;
    i64::from_str_radix(number, 16).ok()
}
