//! The options of queries on the page of `traceloom view`, and their history.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use traceloom_view::{History, QueryOptions};

use super::args::parse_seconds;
use super::prompt::history;
use crate::input::parse_bytes;

/// The options of queries on the page.
#[derive(clap::Args, Debug)]
pub struct PageQueryArgs {
    /// Stop a query on the page after this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds, help_heading = "Queries on the page")]
    query_timeout: Duration,

    /// Stop a query on the page if it needs more memory than this, in addition to the trace (K, M or G)
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = parse_bytes, help_heading = "Queries on the page")]
    query_memory: u64,

    /// Keep no history of the queries on the page
    #[arg(long, help_heading = "Queries on the page")]
    no_history: bool,
}

impl PageQueryArgs {
    /// The options for queries on the page. The page shares its history with the prompt of
    /// `traceloom query`.
    pub fn options(&self) -> QueryOptions {
        let file = (!self.no_history).then(history::file).flatten();
        QueryOptions {
            timeout: self.query_timeout,
            memory: self.query_memory,
            history: file.map(|path| Arc::new(Remembered(path)) as Arc<dyn History>),
        }
    }
}

/// The history file.
struct Remembered(PathBuf);

impl History for Remembered {
    fn list(&self) -> Vec<String> {
        history::list(&self.0)
    }

    fn add(&self, sql: &str) {
        history::add(&self.0, sql);
    }
}
