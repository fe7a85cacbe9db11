#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod layer;
mod marker;
mod text;

pub use layer::MarkerLayer;
pub use marker::Marker;

/// A layer that writes to the kernel's `trace_marker`.
///
/// # Errors
/// If tracefs is not mounted, or the file may not be written.
pub fn layer() -> std::io::Result<MarkerLayer<Marker>> {
    Ok(MarkerLayer::new(Marker::open()?))
}
