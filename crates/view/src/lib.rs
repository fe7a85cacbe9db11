#![doc = include_str!("../README.md")]

mod engine;
mod join;
mod page;
mod report;
mod server;
mod web;

pub use engine::has_engine;
pub use join::JoinError;
pub use page::PageError;
pub use report::{ReportError, ReportOptions, write_report};
pub use server::{Finish, Handle, LiveOptions, LiveStats, Server, ServerError, ServerOptions};
