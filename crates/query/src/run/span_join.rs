//! `CREATE VIRTUAL TABLE … USING SPAN_JOIN(…)`: a function without arguments, whose `SELECT` calls the operator that
//! intersects intervals. It is not a view, because SQLite inserts a view's SQL wherever the view is used: the SQL of
//! nested span joins would grow exponentially.
//!
//! A left or outer join adds an interval with NULLs wherever a table has none, which turns it into an inner join:
//!
//! ```text
//! left         |----1----|              |----1----|
//! right          |-2-|           ->   ..|-2-|......
//! ```

use rusqlite::Connection;

use super::catalog::Catalog;
use super::execute::at;
use super::report::{identifier, is_known, place, quoted, refused};
use crate::dialect::{CreateSpanJoin, Fragment, SpanJoin, SpanTable};
use crate::error::QueryError;
use crate::sqlite::table_call::{self, TableFunction};

/// The bounds of time. Their distance is the longest duration.
const FIRST: i64 = -(i64::MAX / 2);
const LAST: i64 = i64::MAX / 2 + 1;

/// A table that takes part in the join.
struct Side {
    /// The table, quoted.
    table: String,
    /// All its columns.
    columns: Vec<String>,
    partition: Option<String>,
}

impl Side {
    fn has(&self, name: &str) -> bool {
        self.columns
            .iter()
            .any(|column| column.eq_ignore_ascii_case(name))
    }

    /// The columns besides the times and the partition.
    fn others(&self) -> impl Iterator<Item = &String> {
        let partition = self.partition.as_deref().unwrap_or("ts");
        let special = ["ts", "dur", partition];
        let is_special = move |name: &str| special.iter().any(|it| it.eq_ignore_ascii_case(name));
        self.columns.iter().filter(move |name| !is_special(name))
    }

    /// The rows of the table, with the times and the key that are compared.
    fn real(&self) -> String {
        // As in Perfetto, NULL is 0: `lead(ts) - ts` is NULL in the last row.
        let number = |name: &str| format!("ifnull(CAST({name} AS INTEGER), 0)");
        let dur = if self.has("dur") {
            format!("max({}, 0)", number("dur"))
        } else {
            "0".to_owned()
        };
        let ts = number("ts");
        let key = self.partition.as_deref().map(identifier);
        let filter = key.as_ref().map(|key| format!(" WHERE {key} IS NOT NULL"));
        let (key, filter) = (key.unwrap_or("NULL".into()), filter.unwrap_or_default());
        let table = &self.table;
        format!(
            "SELECT __it.*, {ts} AS __span_ts, {dur} AS __span_dur, {key} AS __span_key, 0 AS __span_gap \
             FROM {table} AS __it{filter}"
        )
    }

    /// The intervals between those of the table, within each partition of either table.
    fn gaps(&self, own: &str, other: &str, other_is_partitioned: bool) -> String {
        let nulls = "NULL, ".repeat(self.columns.len());
        let missing = match (self.partition.is_some(), other_is_partitioned) {
            (true, false) => String::new(),
            (true, true) => {
                format!("SELECT __span_key FROM {other} EXCEPT SELECT __span_key FROM {own}")
            }
            (false, _) => format!("SELECT NULL AS __span_key EXCEPT SELECT __span_key FROM {own}"),
        };
        let missing = match missing.as_str() {
            "" => missing,
            _ => format!(" UNION ALL SELECT __span_key, {FIRST}, {LAST} FROM ({missing})"),
        };
        format!(
            "SELECT {nulls}__end, __next - __end, __span_key, 1 FROM ( \
               SELECT __span_key, \
                 max(__span_ts + __span_dur) OVER (__key ROWS UNBOUNDED PRECEDING) AS __end, \
                 lead(__span_ts, 1, {LAST}) OVER __key AS __next \
               FROM {own} WINDOW __key AS (PARTITION BY __span_key ORDER BY __span_ts) \
               UNION ALL SELECT __span_key, {FIRST}, min(__span_ts) FROM {own} GROUP BY __span_key{missing} \
             ) WHERE __next > __end"
        )
    }
}

/// Creates the function.
pub(super) fn create(
    connection: &Connection,
    catalog: &mut Catalog,
    statement: &Fragment,
    it: &CreateSpanJoin,
) -> Result<(), QueryError> {
    let [left, right] = &it.tables;
    let left = side(connection, statement, left)?;
    let right = side(connection, statement, right)?;
    check(&left, &right).map_err(|message| refused(statement, &it.name, message))?;
    let name = &it.name.text;
    if is_known(connection, name)? {
        let message = format!("there is already a table {name}");
        return Err(refused(statement, &it.name, message));
    }
    let defined = define(connection, name, it.kind, left, right);
    defined.map_err(|error| at(place(statement, &it.name), error))?;
    catalog.virtual_tables.insert(name.to_ascii_lowercase());
    Ok(())
}

/// Defines a function for each table, and that of the span join. Its `SELECT` names the tables several times: views
/// would be inserted each time.
fn define(
    connection: &Connection,
    name: &str,
    kind: SpanJoin,
    mut left: Side,
    mut right: Side,
) -> rusqlite::Result<()> {
    for (side, own) in [(&mut left, left_of(name)), (&mut right, right_of(name))] {
        let sql = format!("SELECT * FROM {}", side.table);
        side.table = identifier(&own);
        define_as(connection, own, side.columns.clone(), sql)?;
    }
    let (columns, sql) = select(kind, &left, &right);
    define_as(connection, name.to_owned(), columns, sql)
}

fn define_as(
    connection: &Connection,
    name: String,
    columns: Vec<String>,
    sql: String,
) -> rusqlite::Result<()> {
    let arguments = Vec::new();
    let function = TableFunction {
        name,
        arguments,
        columns,
        sql,
    };
    table_call::define(connection, function)
}

/// The name of the function for the left table of a span join.
pub(super) fn left_of(name: &str) -> String {
    format!("left of {}", name.to_ascii_lowercase())
}

/// The name of the function for the right table of a span join.
pub(super) fn right_of(name: &str) -> String {
    format!("right of {}", name.to_ascii_lowercase())
}

fn side(connection: &Connection, statement: &Fragment, it: &SpanTable) -> Result<Side, QueryError> {
    let table = quoted(&it.name);
    let prepared = connection.prepare(&format!("SELECT * FROM {table}"));
    let prepared = prepared.map_err(|error| at(place(statement, &it.name), error))?;
    let columns = prepared.column_names().map(str::to_owned).collect();
    let partition = it.partition.as_ref().map(|name| name.text.clone());
    let side = Side {
        table,
        columns,
        partition,
    };
    let name = &it.name.text;
    let message = match &side.partition {
        _ if !side.has("ts") => format!("the table {name} has no column ts"),
        Some(key)
            if ["ts", "dur"]
                .iter()
                .any(|time| time.eq_ignore_ascii_case(key)) =>
        {
            format!("{key} cannot be the partition")
        }
        Some(key) if !side.has(key) => format!("the table {name} has no column {key}"),
        _ => return Ok(side),
    };
    Err(refused(statement, &it.name, message))
}

/// Checks that two tables can be joined.
fn check(left: &Side, right: &Side) -> Result<(), String> {
    if let (Some(own), Some(its)) = (&left.partition, &right.partition)
        && !own.eq_ignore_ascii_case(its)
    {
        return Err(format!(
            "the tables have different partitions: {own} and {its}"
        ));
    }
    if !left.has("dur") && !right.has("dur") {
        return Err("neither table has a column dur".to_owned());
    }
    let key = left.partition.as_ref().or(right.partition.as_ref());
    let is_key = |name: &str| key.is_some_and(|key| key.eq_ignore_ascii_case(name));
    match left.others().find(|name| right.has(name) && !is_key(name)) {
        Some(name) => Err(format!("both tables have the column {name}")),
        None => Ok(()),
    }
}

/// The columns and the rows of a span join.
fn select(kind: SpanJoin, left: &Side, right: &Side) -> (Vec<String>, String) {
    let both = left.partition.is_some() && right.partition.is_some();
    let rows = |real: &str, gaps: Option<String>| {
        let gaps = gaps
            .map(|gaps| format!(" UNION ALL {gaps}"))
            .unwrap_or_default();
        format!("SELECT row_number() OVER () AS __span_id, * FROM (SELECT * FROM {real}{gaps})")
    };
    let (l, r) = ("__span_left_real", "__span_right_real");
    let left_gaps = (kind == SpanJoin::Outer).then(|| left.gaps(l, r, right.partition.is_some()));
    let right_gaps = (kind != SpanJoin::Inner).then(|| right.gaps(r, l, left.partition.is_some()));
    let key = if both { ", __span_key" } else { "" };
    let table = |name| {
        format!("(SELECT __intrinsic_rows(__span_id, __span_ts, __span_dur{key}) FROM {name})")
    };
    let (names, columns) = columns(left, right);
    let sql = format!(
        "WITH {l} AS MATERIALIZED ({}), {r} AS MATERIALIZED ({}), \
         __span_left AS MATERIALIZED ({}), __span_right AS MATERIALIZED ({}) \
         SELECT {} FROM __intrinsic_interval_intersect({}, {}) AS __both \
         JOIN __span_left AS __l ON __l.__span_id = __both.id_0 \
         JOIN __span_right AS __r ON __r.__span_id = __both.id_1 \
         WHERE NOT (__l.__span_gap AND __r.__span_gap) \
         ORDER BY ifnull(__l.__span_key, __r.__span_key), __both.ts",
        left.real(),
        right.real(),
        rows(l, left_gaps),
        rows(r, right_gaps),
        columns,
        table("__span_left"),
        table("__span_right"),
    );
    (names, sql)
}

/// The columns of a span join: their names and their sources. A duration of -1 stays -1.
fn columns(left: &Side, right: &Side) -> (Vec<String>, String) {
    let open = [("__l", left), ("__r", right)].into_iter();
    let open = open.filter(|(_, side)| side.has("dur"));
    let open: Vec<String> = open.map(|(name, _)| format!("{name}.dur < 0")).collect();
    let dur = format!("iif({}, -1, __both.dur)", open.join(" OR "));
    let mut all = vec![
        ("ts".to_owned(), "__both.ts".to_owned()),
        ("dur".to_owned(), dur),
    ];
    let key = left.partition.as_ref().or(right.partition.as_ref());
    let value = "ifnull(__l.__span_key, __r.__span_key)".to_owned();
    all.extend(key.map(|key| (key.clone(), value)));
    let is_key = |other: &str| key.is_some_and(|key| key.eq_ignore_ascii_case(other));
    for (table, side) in [("__l", left), ("__r", right)] {
        let others = side.others().filter(|other| !is_key(other));
        all.extend(others.map(|other| (other.clone(), format!("{table}.{}", identifier(other)))));
    }
    let (names, values): (Vec<String>, Vec<String>) = all.into_iter().unzip();
    (names, values.join(", "))
}
