//! The declarations of tables whose rows are records, from `records.sql`.

use std::sync::LazyLock;

/// The declarations. The first lines of the file explain their form.
const TEXT: &str = include_str!("records.sql");

/// A declared table.
#[derive(Debug)]
pub(super) struct Declared {
    /// Its names. PerfettoSQL has some tables under two names.
    pub names: Vec<&'static str>,
    /// The name of each column, and the rest of its declaration.
    pub columns: Vec<(&'static str, Option<&'static str>)>,
}

/// All declared tables.
pub(super) static DECLARED: LazyLock<Vec<Declared>> = LazyLock::new(|| {
    let declared = TEXT.split(");").filter_map(|it| it.split_once('('));
    declared
        .map(|(names, columns)| declare(names, columns))
        .collect()
});

fn declare(names: &'static str, columns: &'static str) -> Declared {
    let names = names.lines().filter(|line| !line.starts_with("--"));
    let names = names.flat_map(|line| line.split(',')).map(str::trim);
    let columns = columns.split(',').map(|words| {
        let mut words = words.split_whitespace();
        (words.next().unwrap_or_default(), words.next())
    });
    Declared {
        names: names.filter(|name| !name.is_empty()).collect(),
        columns: columns.collect(),
    }
}
