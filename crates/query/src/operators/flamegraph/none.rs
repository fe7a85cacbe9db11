//! The number that means that there is no row or node.

/// No row, no node.
pub(super) const NONE: u32 = u32::MAX;
