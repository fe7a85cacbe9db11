//! Queries over the tables of a trace give the same answers as over plain SQLite tables with the same rows.

mod made;

use made::{NAMES, Numbers, Rows, ask, session};
use rusqlite::Connection;
use traceloom_query::{Session, Value};

/// The tables of the test, with their columns.
struct Tables {
    names: Vec<&'static str>,
    columns: Vec<Vec<(String, String)>>,
}

const TABLES: &[&str] = &[
    "slice",
    "thread_state",
    "sched_slice",
    "counter",
    "thread",
    "process",
    "track",
    "ftrace_event",
    "__intrinsic_args",
    "cpu",
];

/// Copies the tables of a session into plain tables.
fn copied(session: &mut Session) -> (Connection, Tables) {
    let plain = Connection::open_in_memory().unwrap();
    let mut columns = Vec::new();
    for table in TABLES {
        let found = ask(
            session,
            &format!("SELECT name, type FROM pragma_table_xinfo('{table}')"),
        );
        let found: Vec<(String, String)> = found
            .unwrap()
            .rows
            .iter()
            .map(|row| (text(&row[0]), text(&row[1])))
            .collect();
        let declared: Vec<String> = found
            .iter()
            .map(|(name, kind)| format!("\"{name}\" {kind}"))
            .collect();
        plain
            .execute_batch(&format!("CREATE TABLE {table}({})", declared.join(", ")))
            .unwrap();
        let names: Vec<String> = found
            .iter()
            .map(|(name, _)| format!("\"{name}\""))
            .collect();
        let names = names.join(", ");
        let rows = ask(session, &format!("SELECT rowid, {names} FROM {table}"))
            .unwrap()
            .rows;
        let places = vec!["?"; found.len() + 1].join(", ");
        let mut insert = plain
            .prepare(&format!(
                "INSERT INTO {table}(rowid, {names}) VALUES ({places})"
            ))
            .unwrap();
        for row in rows {
            insert.execute(rusqlite::params_from_iter(row)).unwrap();
        }
        columns.push(found);
    }
    (
        plain,
        Tables {
            names: TABLES.to_vec(),
            columns,
        },
    )
}

fn text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        other => panic!("{other:?} is not text"),
    }
}

fn of_plain(plain: &Connection, sql: &str) -> Result<Rows, rusqlite::Error> {
    let mut statement = plain.prepare(sql)?;
    let count = statement.column_count();
    let rows = statement.query_map([], |row| (0..count).map(|column| row.get(column)).collect());
    Ok(Rows {
        names: Vec::new(),
        rows: rows?.collect::<Result<_, _>>()?,
    })
}

/// Generates queries.
struct Queries {
    numbers: Numbers,
    tables: Tables,
}

impl Queries {
    /// A query, and whether it fixes the order of its rows.
    fn next(&mut self) -> (String, bool) {
        match self.numbers.below(9) {
            0 => self.listed(),
            1 => self.sorted(),
            2 => self.sorted_by_one(),
            3 => self.grouped(),
            4 => self.distinct(),
            5 => self.joined(),
            6 => self.windowed(),
            7 => self.nested(),
            _ => self.looked_up(),
        }
    }

    fn table(&mut self) -> (usize, &'static str) {
        let at = self.numbers.below(self.tables.names.len());
        (at, self.tables.names[at])
    }

    fn column(&mut self, table: usize) -> String {
        let count = self.tables.columns[table].len();
        let at = self.numbers.below(count + 1);
        let column = self.tables.columns[table].get(at);
        column.map_or("rowid".to_owned(), |(name, _)| name.clone())
    }

    /// A value of any kind for comparisons.
    fn literal(&mut self) -> String {
        let number = self.numbers.below(120) as i64 - 10;
        match self.numbers.below(14) {
            0..=4 => number.to_string(),
            5 => format!("{number}.5"),
            6 => format!("{number}.0"),
            7 => format!("'{number}'"),
            8 => format!("' {number}.0 '"),
            9 => "NULL".to_owned(),
            10 => "x'35'".to_owned(),
            11 => self
                .numbers
                .one(&[
                    "9223372036854775807",
                    "-9223372036854775808",
                    "1e300",
                    "-1e300",
                    "''",
                ])
                .to_owned(),
            _ => self.name(),
        }
    }

    fn name(&mut self) -> String {
        let name = NAMES[self.numbers.below(NAMES.len())].replace('\0', "");
        format!("'{}'", name.replace('\'', "''"))
    }

    fn term(&mut self, table: usize, prefix: &str) -> String {
        let column = format!("{prefix}\"{}\"", self.column(table)).replace("\"rowid\"", "rowid");
        let op = self
            .numbers
            .one(&["=", "=", "<", "<=", ">", ">=", "!=", "IS", "IS NOT"]);
        match self.numbers.below(12) {
            0..=4 => format!("{column} {op} {}", self.literal()),
            5 => format!(
                "{column} IN ({}, {}, {})",
                self.literal(),
                self.literal(),
                self.name()
            ),
            6 => format!("{column} BETWEEN {} AND {}", self.literal(), self.literal()),
            7 => format!("{column} IS {} NULL", self.numbers.one(&["", "NOT"])),
            8 => format!(
                "{column} LIKE {}",
                self.numbers.one(&["'dra%'", "'%a%'", "'5%'", "'_'"])
            ),
            9 => format!(
                "{column} GLOB {}",
                self.numbers.one(&["'[dD]*'", "'*a*'", "'5*'"])
            ),
            10 => format!("{column} COLLATE NOCASE {op} {}", self.name()),
            _ => format!("{} {op} {column}", self.literal()),
        }
    }

    fn condition(&mut self, table: usize, prefix: &str) -> String {
        let mut all = self.term(table, prefix);
        for _ in 0..self.numbers.below(3) {
            let word = self.numbers.one(&["AND", "AND", "OR", "AND NOT"]);
            all = format!("{all} {word} {}", self.term(table, prefix));
        }
        all
    }

    fn listed(&mut self) -> (String, bool) {
        let (at, table) = self.table();
        let (a, b) = (self.column(at), self.column(at));
        (
            format!(
                "SELECT rowid, {a}, {b}, typeof({b}) FROM {table} WHERE {}",
                self.condition(at, "")
            ),
            false,
        )
    }

    fn sorted(&mut self) -> (String, bool) {
        let (at, table) = self.table();
        let (a, b) = (self.column(at), self.column(at));
        let (up, down) = (
            self.numbers.one(&["", "DESC"]),
            self.numbers.one(&["", "DESC"]),
        );
        let limit = format!(
            "LIMIT {} OFFSET {}",
            self.numbers.below(40),
            self.numbers.below(5)
        );
        let sql = format!(
            "SELECT rowid, {a} FROM {table} WHERE {} ORDER BY {b} {up}, rowid {down} {limit}",
            self.condition(at, "")
        );
        (sql, true)
    }

    /// Selects only the sorted column, because rows with equal values have no order.
    fn sorted_by_one(&mut self) -> (String, bool) {
        let (at, table) = self.table();
        let a = self.column(at);
        let up = self
            .numbers
            .one(&["", "DESC", "ASC NULLS LAST", "COLLATE NOCASE, 1"]);
        let filter = match self.numbers.below(2) {
            0 => String::new(),
            _ => format!("WHERE {}", self.condition(at, "")),
        };
        (
            format!("SELECT {a} FROM {table} {filter} ORDER BY {a} {up} LIMIT 50"),
            true,
        )
    }

    fn grouped(&mut self) -> (String, bool) {
        let (at, table) = self.table();
        let (a, b, c) = (self.column(at), self.column(at), self.column(at));
        let having = self.numbers.one(&["", "HAVING count(*) > 2"]);
        let filter = match self.numbers.below(2) {
            0 => String::new(),
            _ => format!("WHERE {}", self.condition(at, "")),
        };
        let sql = format!(
            "SELECT {a}, count(*), count({b}), min({b}), max({c}), count(DISTINCT {c}) FROM {table} {filter} \
             GROUP BY {a} {having}"
        );
        (sql, false)
    }

    fn distinct(&mut self) -> (String, bool) {
        let (at, table) = self.table();
        let (a, b) = (self.column(at), self.column(at));
        match self.numbers.below(3) {
            0 => (
                format!("SELECT DISTINCT {a} FROM {table} ORDER BY {a} DESC"),
                true,
            ),
            1 => (format!("SELECT DISTINCT {a}, {b} FROM {table}"), false),
            _ => (
                format!(
                    "SELECT DISTINCT {a} FROM {table} WHERE {}",
                    self.condition(at, "")
                ),
                false,
            ),
        }
    }

    fn joined(&mut self) -> (String, bool) {
        let ((at, left), (to, right)) = (self.table(), self.table());
        let (a, b) = (self.column(at), self.column(to));
        let join = self.numbers.one(&["JOIN", "LEFT JOIN"]);
        let sql = format!(
            "SELECT count(*), sum(l.rowid), sum(r.rowid), min(r.{b}), max(l.{a}) FROM {left} l {join} {right} r \
             ON l.{a} = r.{b} WHERE {}",
            self.condition(at, "l.")
        );
        (sql, false)
    }

    fn windowed(&mut self) -> (String, bool) {
        let (at, table) = self.table();
        let (a, b) = (self.column(at), self.column(at));
        let sql = format!(
            "SELECT rowid, row_number() OVER (PARTITION BY {a} ORDER BY {b}, rowid), \
             lag(rowid) OVER (ORDER BY {b}, rowid), count(*) OVER (PARTITION BY {a}) FROM {table} WHERE {}",
            self.condition(at, "")
        );
        (sql, false)
    }

    fn nested(&mut self) -> (String, bool) {
        let ((at, outer), (to, inner)) = (self.table(), self.table());
        let (a, b) = (self.column(at), self.column(to));
        let sql = match self.numbers.below(3) {
            0 => format!(
                "SELECT rowid FROM {outer} WHERE {a} IN (SELECT {b} FROM {inner} WHERE {})",
                self.condition(to, "")
            ),
            1 => format!(
                "SELECT rowid FROM {outer} o WHERE EXISTS (SELECT 1 FROM {inner} i WHERE i.{b} = o.{a} AND {})",
                self.condition(to, "i.")
            ),
            _ => format!(
                "SELECT rowid, (SELECT max(i.rowid) FROM {inner} i WHERE i.{b} = o.{a}) FROM {outer} o WHERE {}",
                self.condition(at, "o.")
            ),
        };
        (sql, false)
    }

    /// Queries that use indexes and sorted columns.
    fn looked_up(&mut self) -> (String, bool) {
        let (table, key) = *self.numbers.one(&[
            &("slice", "track_id"),
            &("slice", "name"),
            &("thread_state", "utid"),
            &("slice", "parent_id"),
            &("counter", "track_id"),
            &("ftrace_event", "name"),
            &("thread_state", "state"),
        ]);
        let (low, high) = (self.numbers.below(200), self.numbers.below(400));
        let value = self.literal();
        let (up, down) = (
            self.numbers.one(&["", "DESC"]),
            self.numbers.one(&["", "DESC"]),
        );
        let sql = format!(
            "SELECT id, ts, {key} FROM {table} WHERE {key} = {value} AND ts >= {low} AND ts < {high}.5 \
             ORDER BY ts {up}, id {down}"
        );
        (sql, true)
    }
}

/// Rows in a form that can be compared. They are sorted if the query does not fix their order.
fn comparable(rows: Rows, is_ordered: bool) -> Vec<String> {
    let mut rows: Vec<String> = rows.rows.iter().map(|row| format!("{row:?}")).collect();
    if !is_ordered {
        rows.sort_unstable();
    }
    rows
}

/// A thousand queries that return rows, and the queries between them that do not.
#[test]
fn a_thousand_queries_answer_as_over_plain_tables() {
    let mut session = session();
    let (plain, tables) = copied(&mut session);
    let mut queries = Queries {
        numbers: Numbers(0x1234_5678_9ABC_DEF1),
        tables,
    };
    let mut answered = 0;
    while answered < 1000 {
        let (sql, is_ordered) = queries.next();
        let expected = of_plain(&plain, &sql);
        let found = ask(&mut session, &sql);
        match (expected, found) {
            (Ok(expected), Ok(found)) => {
                answered += usize::from(!expected.rows.is_empty());
                assert_eq!(
                    comparable(found, is_ordered),
                    comparable(expected, is_ordered),
                    "{sql}"
                );
            }
            (Err(expected), Ok(_)) => panic!("{sql}: only SQLite refuses it: {expected}"),
            (Ok(_), Err(found)) => panic!("{sql}: only traceloom refuses it: {found}"),
            (Err(_), Err(_)) => {}
        }
    }
}
