//! A trace that answers queries.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use traceloom_trace::Trace;

use crate::columns::TableData;
use crate::error::QueryError;
use crate::functions;
use crate::operators::Pool;
use crate::run::{Catalog, Output, Params, ResultSet, run};
use crate::schema::{ALIASES, Data, RECORD_TABLES, TABLES, VIEWS};
use crate::sqlite::guard::{forbid, limit_memory, prepare, watch};
use crate::sqlite::intrinsic;
use crate::sqlite::legacy;
use crate::sqlite::module::register;
use crate::sqlite::operator;
use crate::sqlite::pointer;
use crate::sqlite::prelude;
use crate::sqlite::source::Source;
use crate::stdlib::PRELUDE;
use crate::stop::{Clock, Stop};

/// The limits of a query.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// The maximum total time of the queries of a call.
    pub timeout: Option<Duration>,
    /// The number of bytes that SQLite may allocate in this process, for all sessions together. The limit of the most
    /// recently opened session applies.
    pub memory: Option<u64>,
}

/// A trace that answers queries.
///
/// ```
/// use traceloom_query::{Limits, Output, Session, ValueRef};
///
/// #[derive(Default)]
/// struct Numbers(Vec<i64>);
///
/// impl Output for Numbers {
///     fn columns(&mut self, _: &[String]) -> std::io::Result<()> {
///         Ok(())
///     }
///     fn row(&mut self, values: &[ValueRef<'_>]) -> std::io::Result<()> {
///         self.0.extend(values.iter().filter_map(|value| value.as_i64().ok()));
///         Ok(())
///     }
/// }
///
/// let trace = traceloom_trace::TraceBuilder::new().finish();
/// let mut session = Session::open(trace, Limits::default())?;
/// let mut numbers = Numbers::default();
/// session.run("example", "SELECT count(*) FROM slice", &[], &mut numbers)?;
/// assert_eq!(numbers.0, [0]);
/// # Ok::<(), traceloom_query::QueryError>(())
/// ```
#[derive(Debug)]
pub struct Session {
    connection: Connection,
    limits: Limits,
    clock: Clock,
    catalog: Catalog,
    data: Arc<Data>,
}

impl Session {
    /// Registers the tables of a trace with SQLite. They are copied only if the trace is from JSON and shared, because
    /// its arguments then get other names.
    ///
    /// # Errors
    /// If SQLite does not work, for example without memory.
    pub fn open(trace: impl Into<Arc<Trace>>, limits: Limits) -> Result<Self, QueryError> {
        if let Some(bytes) = limits.memory {
            limit_memory(bytes);
        }
        Self::opened(trace.into(), limits).map_err(|error| limit_of(error, limits, false))
    }

    fn opened(trace: Arc<Trace>, limits: Limits) -> Result<Self, QueryError> {
        let mut connection = Connection::open_in_memory()?;
        prepare(&connection)?;
        let data = Arc::new(Data::new(trace));
        let row_counts = register_tables(&connection, &data)?;
        let clock = Clock::default();
        let pool = Pool::new(limits.memory, clock.clone());
        functions::register(&connection, &data, &pool)?;
        operator::register(&connection, &data, &pool)?;
        intrinsic::register(&connection, &pool)?;
        pointer::register(&connection, &pool)?;
        prelude::register(&connection)?;
        let mut catalog = Catalog::new(pool, row_counts);
        operator::define(&connection, catalog.library.objects(), &catalog.pool)?;
        legacy::register(&connection, &catalog.functions)?;
        for view in VIEWS {
            connection.execute_batch(&format!("CREATE VIEW {} AS {}", view.name, view.select))?;
        }
        let nothing = &mut ResultSet::default();
        run(
            &connection,
            &mut catalog,
            ("prelude", PRELUDE),
            &[],
            nothing,
        )?;
        forbid(&mut connection)?;
        watch(&mut connection, clock.clone())?;
        Ok(Self {
            connection,
            limits,
            clock,
            catalog,
            data,
        })
    }

    /// A handle that stops queries.
    pub fn stop(&self) -> Stop {
        self.clock.stop.clone()
    }

    /// The trace. Arguments from JSON have the keys that queries see.
    pub fn trace(&self) -> &Trace {
        &self.data.trace
    }

    /// A table of the schema, column by column; `None` if there is no table of this name. Views are not tables.
    pub fn table(&self, name: &str) -> Option<TableData> {
        TableData::find(&self.data, name)
    }

    /// The names of the modules that a script can include, in order.
    pub fn modules(&self) -> impl Iterator<Item = &str> {
        self.catalog.library.names()
    }

    /// Adds a module, or replaces one: `INCLUDE PERFETTO MODULE name` runs `text`. `file` is named in errors.
    pub fn add_module(&mut self, name: &str, file: &str, text: &str) {
        self.catalog.library.add(name, file, text);
    }

    /// Runs the statements of `sql`, with the macros and tables of earlier calls. Errors call the script `name`. `out`
    /// gets the result of the last statement that returns rows. Returns whether there was one.
    ///
    ///
    /// # Errors
    /// If a statement is wrong, fails, or breaks a limit, or if `out` fails.
    pub fn run(
        &mut self,
        name: &str,
        sql: &str,
        params: &Params,
        out: &mut dyn Output,
    ) -> Result<bool, QueryError> {
        let timeout = self.limits.timeout;
        // A deadline that the clock cannot represent is never reached.
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        self.clock.set(deadline);
        let done = run(
            &self.connection,
            &mut self.catalog,
            (name, sql),
            params,
            out,
        );
        done.map_err(|error| limit_of(error, self.limits, self.clock.stop.is_stopped()))
    }
}

/// Converts an error to the limit that caused it, if one did.
fn limit_of(error: QueryError, limits: Limits, is_stopped: bool) -> QueryError {
    match (error, limits.timeout, limits.memory) {
        (QueryError::Interrupted, ..) if is_stopped => QueryError::Stopped,
        (QueryError::Interrupted, Some(limit), _) => QueryError::Timeout { limit },
        (QueryError::OutOfMemory, _, Some(limit)) => QueryError::Memory { limit },
        (error, ..) => error,
    }
}

/// Registers the tables. Returns the number of rows of each, under all of its names.
fn register_tables(
    connection: &Connection,
    data: &Arc<Data>,
) -> rusqlite::Result<BTreeMap<String, usize>> {
    let mut row_counts = BTreeMap::new();
    let mut add = |name: &str, source: &Arc<Source>| {
        row_counts.insert(name.to_ascii_lowercase(), source.rows);
        register(connection, name, source.clone())
    };
    for table in TABLES {
        let source = Arc::new(Source::new(data.clone(), table));
        add(table.name, &source)?;
        let aliases = ALIASES.iter().filter(|(_, of)| of.name == table.name);
        aliases
            .into_iter()
            .try_for_each(|(alias, _)| add(alias, &source))?;
    }
    for (place, declared) in RECORD_TABLES.iter().enumerate() {
        let rows = data.records.count(place);
        let source = Arc::new(Source::with_rows(data.clone(), &declared.table, rows));
        let mut names = declared.names.iter();
        names.try_for_each(|name| add(name, &source))?;
    }
    Ok(row_counts)
}
