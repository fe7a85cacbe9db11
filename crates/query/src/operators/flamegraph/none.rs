//! The number that means no row or no node.

/// No row, no node.
pub(super) const NONE: u32 = u32::MAX;
