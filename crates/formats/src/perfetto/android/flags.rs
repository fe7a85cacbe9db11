//! Ids of the sets of change flags in SurfaceFlinger's transactions.

use rustc_hash::FxHashMap;

/// The ids, by whether the flags belong to a display, and by the flags.
#[derive(Default)]
pub(super) struct Flags(pub FxHashMap<(bool, u64), i64>);
