//! The reference of all tables, for `docs/sql.md`.

use std::fmt::Write;

use super::TABLES;
use super::column::{Column, Table};
use super::records::RECORD_TABLES;
use super::views::{VIEWS, View};

/// The tables and views with their columns, as Markdown.
pub fn reference() -> String {
    let mut out = String::new();
    for table in TABLES {
        // Writing to a String cannot fail.
        let _ = describe(&mut out, table);
    }
    for view in VIEWS {
        let _ = describe_view(&mut out, view);
    }
    out + &list_of_record_tables()
}

/// The names of the tables that are empty in most traces, besides internal ones.
fn list_of_record_tables() -> String {
    let names = RECORD_TABLES.iter().flat_map(|table| table.names.iter());
    let names: Vec<&str> = names
        .copied()
        .filter(|name| !name.starts_with('_'))
        .collect();
    format!(
        "### Tables of few traces\n\nThese have the columns of PerfettoSQL. Traces of Perfetto have rows in \
         them ([formats/perfetto.md](formats/perfetto.md) says which packets are read), few others do: `{}`. \
         An export leaves out those without rows.\n",
        names.join("`, `")
    )
}

fn describe(out: &mut String, table: &Table) -> std::fmt::Result {
    writeln!(out, "### `{}`\n\n{}\n", table.name, table.doc)?;
    writeln!(out, "| column | type | |\n|---|---|---|")?;
    for column in table.columns {
        let Column { name, doc, .. } = column;
        let hidden = if column.is_hidden {
            " Not in `SELECT *`."
        } else {
            ""
        };
        writeln!(out, "| `{name}` | {} | {doc}{hidden} |", column.kind.name())?;
    }
    writeln!(out)
}

fn describe_view(out: &mut String, view: &View) -> std::fmt::Result {
    let columns = view.columns.replace(", ", "`, `");
    writeln!(out, "### `{}`\n\n{}\n", view.name, view.doc)?;
    writeln!(out, "Columns: `{columns}`.\n")
}
