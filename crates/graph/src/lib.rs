#![doc = include_str!("../README.md")]
//!
//! ```text
//! graph ─► layers.rs ─► order.rs ─► place.rs ─► svg.rs
//!   │      rows         few         columns     picture
//!   │                   crossings
//!   └─────────────────────────────────────────► dot.rs
//! ```
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod dot;
mod label;
mod layers;
mod order;
mod place;
mod svg;
mod text;

pub use dot::to_dot;
pub use svg::to_svg;
