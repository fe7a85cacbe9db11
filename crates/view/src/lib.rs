//! The page: a report in one file, and the live server.
//!
//! ```no_run
//! use traceloom_trace::TraceBuilder;
//! use traceloom_view::{Server, ServerOptions};
//!
//! let server = Server::bind(ServerOptions::default()).unwrap();
//! println!("open {}", server.url());
//! server.handle().ready(TraceBuilder::new().finish());
//! server.run().unwrap();
//! ```

mod assets;
mod base64;
mod bundle;
mod closures;
mod module;
mod page;
mod report;
mod server;
#[cfg(test)]
mod short;
mod tokens;

pub use bundle::BundleError;
pub use page::{Page, PageError, PageParts, hash};
pub use report::{PlainShell, ReportError, ReportOptions, ReportShell, write_report};
pub use server::{Finish, Handle, LiveOptions, LiveStats, Server, ServerError, ServerOptions};
