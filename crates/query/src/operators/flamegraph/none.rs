//! The number that means: no such row or node.

/// No row, no node.
pub(super) const NONE: u32 = u32::MAX;
