//! What can be worked out from a snapshot of SurfaceFlinger's layers: the order in which they are drawn, which of them
//! are visible and why others are not, and where they are.
//!
//! ```text
//! layers ─ order (bottom to top) ─> visibility ─> rectangles
//! ```

mod boxes;
mod display;
mod geometry;
mod layer;
mod order;
mod reasons;
mod snapshot;
#[cfg(test)]
mod tests;
mod visibility;

pub(super) use boxes::{Boxes, boxes};
pub(super) use display::Displays;
pub(super) use layer::Layer;
pub(super) use order::bottom_to_top;
pub(super) use visibility::{Visibility, visibilities};
