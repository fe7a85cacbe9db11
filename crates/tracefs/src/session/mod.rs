//! A recording: changes settings, records, and restores the settings.

mod config;
mod recording;
mod set_up;

pub use config::{Config, Warning};
pub use recording::Session;
