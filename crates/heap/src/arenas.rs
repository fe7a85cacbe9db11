//! The allocators of small and middle blocks.

#[cfg(any(not(target_os = "linux"), not(target_env = "musl")))]
use std::alloc::System;

#[cfg(target_os = "linux")]
use crate::blocks::Blocks;
#[cfg(target_os = "linux")]
use crate::segments::Segments;

#[cfg(not(target_env = "musl"))]
pub static SMALL: System = System;
#[cfg(target_env = "musl")]
pub static SMALL: Blocks = Blocks::cut_from(Segments::short());

#[cfg(not(target_os = "linux"))]
pub static MIDDLE: System = System;
#[cfg(target_os = "linux")]
pub static MIDDLE: Blocks = Blocks::cut_from(Segments::growing());
