//! SQL for the page: sessions of the live server, and results in the form that the page shows.

mod cells;
mod failure;
mod history;
mod rows;
mod sessions;

use std::time::Duration;

use serde_json::{Value, json};
use traceloom_query::{Limits, QueryError, Session};

pub use history::History;

pub(crate) use failure::failure;
pub(crate) use rows::{Rows, SERVER_ROOM};
pub(crate) use sessions::{Opened, Sessions};

use rows::REPORT_ROOM;

/// Options of the page's queries.
#[derive(Clone)]
pub struct QueryOptions {
    /// How long a query may take.
    pub timeout: Duration,
    /// The memory limit for queries, in bytes, in addition to the trace.
    pub memory: u64,
    /// The store of typed queries.
    pub history: Option<std::sync::Arc<dyn History>>,
}

impl Default for QueryOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            memory: 1 << 30,
            history: None,
        }
    }
}

impl QueryOptions {
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            timeout: Some(self.timeout),
            memory: Some(self.memory),
        }
    }
}

/// The name of the page's SQL in errors.
pub(crate) const NAME: &str = "the query";

/// A query for a report.
#[derive(Clone, Debug)]
pub struct ReportQuery {
    /// The title of the result on the page.
    pub title: String,
    /// The name of the SQL in errors.
    pub name: String,
    /// The SQL.
    pub sql: String,
}

/// Runs a query for a report. Returns the result in the form that the page shows, and the number of
/// omitted rows.
///
/// # Errors
/// If the SQL is wrong, or breaks a limit of the session.
pub fn answer_in_report(
    session: &mut Session,
    origin_ns: i64,
    query: &ReportQuery,
) -> Result<(Value, u64), QueryError> {
    let mut rows = Rows::with_room(REPORT_ROOM);
    session.run(&query.name, &query.sql, &[], &mut rows)?;
    let left_out = rows.left_out();
    let mut answer = rows.finish();
    answer["title"] = json!(query.title);
    answer["sql"] = json!(query.sql);
    answer["origin_ns"] = json!(origin_ns.to_string());
    Ok((answer, left_out))
}
