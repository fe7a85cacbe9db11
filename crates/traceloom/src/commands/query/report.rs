//! `traceloom report --query`: results of queries in a report.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use traceloom_query::{Limits, Session};
use traceloom_trace::Trace;
use traceloom_view::{ReportQuery, answer_in_report};

use super::modules::open_session;
use crate::print::message;

/// The most memory that the queries of a report may use, bytes.
const MEMORY: u64 = 4 << 30;

/// The options for results in a report.
#[derive(clap::Args, Debug)]
pub struct ReportQueryArgs {
    /// Include the result of the SQL in a file; repeatable. Long results are cut at 10,000 rows or 4 MB
    #[arg(long, value_name = "FILE", help_heading = "Results of queries")]
    query: Vec<PathBuf>,

    /// Title of a result, in the order of --query [default: the name of the file]
    #[arg(
        long,
        value_name = "TEXT",
        requires = "query",
        help_heading = "Results of queries"
    )]
    query_title: Vec<String>,

    /// Add modules from the .sql files of a folder: DIR/a/b.sql is the module a.b; repeatable
    #[arg(
        long,
        value_name = "DIR",
        requires = "query",
        help_heading = "Results of queries"
    )]
    sql_modules: Vec<PathBuf>,
}

impl ReportQueryArgs {
    /// Reads the SQL, before a trace is opened.
    ///
    /// # Errors
    /// If a file cannot be read, or there are more titles than queries.
    pub fn queries(&self) -> Result<Vec<ReportQuery>> {
        let (titles, queries) = (self.query_title.len(), self.query.len());
        ensure!(
            titles <= queries,
            "there are more titles (--query-title, {titles}) than queries (--query, {queries})"
        );
        let mut titles = self.query_title.iter();
        let files = self.query.iter();
        files
            .map(|path| query(path, titles.next().cloned()))
            .collect()
    }

    /// The results, in the form that the page shows.
    ///
    /// # Errors
    /// If the SQL is wrong.
    pub fn results(&self, trace: &Arc<Trace>, queries: &[ReportQuery]) -> Result<Vec<Value>> {
        if queries.is_empty() {
            return Ok(Vec::new());
        }
        let limits = Limits {
            timeout: None,
            memory: Some(MEMORY),
        };
        let mut session = open_session(Arc::clone(trace), limits, &self.sql_modules)?;
        let results = queries.iter();
        results
            .map(|query| answer(&mut session, trace.bounds.0, query))
            .collect()
    }
}

fn query(path: &Path, title: Option<String>) -> Result<ReportQuery> {
    let name = path.display().to_string();
    let sql =
        std::fs::read_to_string(path).with_context(|| format!("cannot read the SQL {name}"))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let title = title.unwrap_or_else(|| stem.into_owned());
    Ok(ReportQuery { title, name, sql })
}

fn answer(session: &mut Session, origin_ns: i64, query: &ReportQuery) -> Result<Value> {
    let (result, left_out) = answer_in_report(session, origin_ns, query)?;
    if left_out > 0 {
        message!(
            "{}: the report leaves out {left_out} rows, because a result has at most 10,000 rows and 4 MB",
            query.name
        );
    }
    Ok(result)
}
