//! Tables and views of PerfettoSQL that are empty in every trace.

/// The declarations; the first lines of the file describe them.
const DECLARED: &str = include_str!("empty.sql");

/// A table without rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmptyTable {
    pub name: &'static str,
    /// The names and types of the columns.
    columns: &'static str,
}

/// All of them. A declaration may have several names.
pub(crate) fn empty_tables() -> impl Iterator<Item = EmptyTable> {
    let declared = DECLARED.split(");").filter_map(|it| it.split_once('('));
    declared.flat_map(|(names, columns)| {
        let names = names.lines().filter(|line| !line.starts_with("--"));
        let names = names.flat_map(|line| line.split(','));
        let names = names.map(str::trim).filter(|name| !name.is_empty());
        names.map(move |name| EmptyTable { name, columns })
    })
}

impl EmptyTable {
    /// The name and the type of each column.
    pub fn columns(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        self.columns.split(',').map(|column| {
            let mut words = column.split_whitespace();
            let name = words.next().unwrap_or_default();
            let kind = match words.next() {
                None => "BIGINT",
                Some("REAL") => "DOUBLE",
                Some(kind) => kind,
            };
            (name, kind)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{TABLES, VIEWS};

    #[test]
    fn names_are_unique_and_columns_have_types() {
        let mut names: Vec<&str> = empty_tables().map(|table| table.name).collect();
        names.extend(TABLES.iter().map(|table| table.name));
        names.extend(VIEWS.iter().map(|view| view.name));
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        for table in empty_tables() {
            let mut columns: Vec<_> = table.columns().collect();
            let count = columns.len();
            for (name, kind) in &columns {
                let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
                assert!(!name.is_empty() && name.chars().all(is_name), "{table:?}");
                assert!(["BIGINT", "DOUBLE", "TEXT"].contains(kind), "{table:?}");
            }
            columns.sort_unstable();
            columns.dedup();
            assert_eq!(columns.len(), count, "{table:?}");
        }
    }
}
