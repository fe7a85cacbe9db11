#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod c;
pub mod elf;
pub mod hook;
mod jni;
mod loaded;
pub mod marks;
pub mod platform;
pub mod recorder;

pub use hook::OnMark;
