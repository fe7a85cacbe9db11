#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cleanup;
mod content;
mod guard;
mod input;
mod map;
mod new_file;
mod perf_folder;
mod place;
mod screen;

pub use content::Content;
pub use input::{FeedError, OpenedPairs, feed, input_files};
pub use map::{Map, Truncated};
pub use new_file::{NewFile, RECORDING, RESULT, Scratch, give_name};
pub use place::{PlaceError, resolve};
pub use screen::{Screen, is_command};
