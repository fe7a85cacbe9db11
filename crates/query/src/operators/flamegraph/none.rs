//! What stands for no row and no node.

/// No row, no node.
pub(super) const NONE: u32 = u32::MAX;
