//! The numbers of sets of changes in SurfaceFlinger's transactions.

use rustc_hash::FxHashMap;

/// The numbers of sets of changes, for layers and for displays.
#[derive(Default)]
pub(super) struct Flags(pub FxHashMap<(bool, u64), i64>);
