//! `CREATE VIRTUAL TABLE … USING SPAN_JOIN(…)`: a view over the operator that intersects intervals.
//!
//! A left or outer join adds an interval with NULLs wherever a table has none, so that it becomes an inner join:
//!
//! ```text
//! left         |----1----|              |----1----|
//! right          |-2-|           ->   ..|-2-|......
//! ```

use rusqlite::Connection;

use super::catalog::{Catalog, Virtual};
use super::execute::at;
use super::report::{identifier, place, quoted, refused, run_for};
use crate::dialect::{CreateSpanJoin, Fragment, SpanJoin, SpanTable};
use crate::error::QueryError;

/// The bounds of time: their distance is the longest duration.
const FIRST: i64 = -(i64::MAX / 2);
const LAST: i64 = i64::MAX / 2 + 1;

/// A table, as it takes part.
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
        let dur = if self.has("dur") { "max(dur, 0)" } else { "0" };
        let key = self.partition.as_deref().map(identifier);
        let filter = key.as_ref().map(|key| format!(" WHERE {key} IS NOT NULL"));
        let (key, filter) = (key.unwrap_or("NULL".into()), filter.unwrap_or_default());
        let table = &self.table;
        format!(
            "SELECT __it.*, ts AS __span_ts, {dur} AS __span_dur, {key} AS __span_key, 0 AS __span_gap \
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

/// Creates the view.
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
    let sql = format!(
        "CREATE VIEW {} AS {}",
        quoted(&it.name),
        select(it.kind, &left, &right)
    );
    run_for(connection, statement, &it.name, &sql)?;
    catalog
        .virtual_tables
        .insert(it.name.text.to_ascii_lowercase(), Virtual::SpanJoin);
    Ok(())
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

/// Checks that two tables fit each other.
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

/// The rows of a span join.
fn select(kind: SpanJoin, left: &Side, right: &Side) -> String {
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
    format!(
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
        columns(left, right),
        table("__span_left"),
        table("__span_right"),
    )
}

/// The columns of a span join. A duration of -1 stays -1.
fn columns(left: &Side, right: &Side) -> String {
    let open = [("__l", left), ("__r", right)].into_iter();
    let open = open.filter(|(_, side)| side.has("dur"));
    let open: Vec<String> = open.map(|(name, _)| format!("{name}.dur < 0")).collect();
    let dur = format!("iif({}, -1, __both.dur) AS dur", open.join(" OR "));
    let key = left.partition.as_ref().or(right.partition.as_ref());
    let key = key.map(|key| {
        format!(
            "ifnull(__l.__span_key, __r.__span_key) AS {}",
            identifier(key)
        )
    });
    let of = |name: &'static str, side: &Side| -> Vec<String> {
        let key = left.partition.as_ref().or(right.partition.as_ref());
        let is_key = |other: &str| key.is_some_and(|key| key.eq_ignore_ascii_case(other));
        let others = side.others().filter(|other| !is_key(other));
        others
            .map(|other| format!("{name}.{0} AS {0}", identifier(other)))
            .collect()
    };
    let times = ["__both.ts AS ts".to_owned(), dur].into_iter();
    let all = times
        .chain(key)
        .chain(of("__l", left))
        .chain(of("__r", right));
    all.collect::<Vec<_>>().join(", ")
}
