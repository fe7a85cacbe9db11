//! Derives more facts from a snapshot of SurfaceFlinger's layers: the drawing order, which layers are visible, why the
//! others are not, and where each layer is.
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
