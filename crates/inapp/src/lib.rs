#![doc = include_str!("../README.md")]

mod c;
pub mod elf;
pub mod hook;
mod jni;
mod loaded;
pub mod marks;
pub mod platform;
pub mod recorder;

pub use hook::OnMark;
