//! The live server: the page, and the engine's answers, for this machine's user alone.

mod api;
mod connections;
mod guard;
mod handle;
mod html;
mod live;
mod memory;
mod open;
#[cfg(feature = "query")]
mod query;
mod recording;
mod serve;
mod state;
#[cfg(test)]
mod tests;
mod token;
mod traces;

pub use handle::Handle;
pub use recording::{LiveOptions, LiveStats};
pub use serve::{Server, ServerError, ServerOptions};
pub use state::Finish;
