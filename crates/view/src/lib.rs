#![doc = include_str!("../README.md")]
// Input may be anything: code that handles it must not panic.
#![warn(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::todo,
    clippy::unimplemented
)]

mod engine;
mod join;
mod page;
#[cfg(feature = "query")]
mod query;
mod report;
mod server;
mod web;

pub use engine::has_engine;
pub use join::JoinError;
pub use page::PageError;
#[cfg(feature = "query")]
pub use query::{History, QueryOptions, ReportQuery, answer_in_report};
pub use report::{ReportError, ReportOptions, write_report};
pub use server::{Finish, Handle, LiveOptions, LiveStats, Server, ServerError, ServerOptions};
