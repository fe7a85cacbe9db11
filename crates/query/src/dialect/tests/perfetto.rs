//! Perfetto's own scripts. They are not part of this repository.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::dialect::{
    Expanded, Fragment, FunctionBody, Macros, Script, Source, Statement, StatementKind,
};

/// Folder with Perfetto's standard library: `src/trace_processor/perfetto_sql/stdlib` of a checkout.
const STDLIB: &str = "TRACELOOM_PERFETTO_STDLIB";
/// Folder with the queries of Perfetto's diff tests, one per file.
const QUERIES: &str = "PERFETTO_SUITE_QUERIES";

/// All `.sql` files below the folder that a variable names, in order; none if it is not set.
fn files(variable: &str) -> Vec<PathBuf> {
    let Some(root) = std::env::var_os(variable) else {
        eprintln!("skipped: set {variable}");
        return Vec::new();
    };
    let mut found = Vec::new();
    collect(Path::new(&root), &mut found);
    found.sort();
    assert!(!found.is_empty(), "{variable} has no .sql files");
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "sql") {
            found.push(path);
        }
    }
}

fn statements(files: &[PathBuf]) -> Vec<Statement> {
    let parsed = files.iter().map(|file| {
        let text = std::fs::read_to_string(file).unwrap();
        let source = Source::new(file.display().to_string(), text);
        Script::parse_source(&source).unwrap_or_else(|error| panic!("{error}"))
    });
    parsed.collect::<Vec<_>>().concat()
}

/// The SQL that a statement would run.
fn body(statement: &Statement) -> Option<&Fragment> {
    match &statement.kind {
        StatementKind::Sqlite => Some(&statement.sql),
        StatementKind::CreateTable(relation) | StatementKind::CreateView(relation) => {
            Some(&relation.select)
        }
        StatementKind::CreateFunction(function) => match &function.body {
            FunctionBody::Select(select) => Some(select),
            FunctionBody::DelegatesTo(_) => None,
        },
        _ => None,
    }
}

/// Every byte must come from the same byte of a source, except generated ones.
fn check_map(expanded: &Expanded) {
    let sql = expanded.sql();
    let differs = sql.char_indices().filter(|(offset, character)| {
        let at = expanded.map().locate(*offset).at;
        !at.source.text()[at.span.start..].starts_with(*character)
    });
    let generated: String = differs.map(|(_, character)| character).collect();
    let allowed = "' ,!()AND";
    assert!(
        generated
            .chars()
            .all(|character| allowed.contains(character)),
        "{generated}"
    );
}

/// SQLite must be able to parse the SQL. Tables and functions may be missing.
fn check_syntax(connection: &Connection, expanded: &Expanded) {
    let Err(error) = connection.prepare(expanded.sql()) else {
        return;
    };
    let message = error.to_string();
    let wrong = ["syntax error", "unrecognized token", "incomplete input"];
    let wrong = wrong.iter().any(|wrong| message.contains(wrong));
    assert!(
        !wrong,
        "{}: {message}: {}",
        expanded.map().start(),
        expanded.sql()
    );
}

/// All macros of these files.
fn macros_of(statements: &[Statement]) -> Macros {
    let mut macros = Macros::default();
    for statement in statements {
        if let StatementKind::CreateMacro(definition) = &statement.kind {
            macros
                .define(definition)
                .unwrap_or_else(|error| panic!("{error}"));
        }
    }
    macros
}

/// Expands and checks every statement. Returns how many there were.
fn check(statements: &[Statement], macros: &Macros) -> usize {
    let connection = Connection::open_in_memory().unwrap();
    let bodies = statements.iter().filter_map(body);
    let expanded = bodies.map(|body| {
        macros
            .expand(body)
            .unwrap_or_else(|error| panic!("{error}"))
    });
    expanded
        .inspect(check_map)
        .inspect(|expanded| check_syntax(&connection, expanded))
        .count()
}

#[test]
#[ignore = "needs Perfetto's standard library"]
fn the_standard_library_is_parsed() {
    let library = files(STDLIB);
    let statements = statements(&library);
    let count = check(&statements, &macros_of(&statements));
    eprintln!("{} files, {count} bodies", library.len());
}

#[test]
#[ignore = "needs the queries of Perfetto's diff tests"]
fn the_queries_of_the_diff_tests_are_parsed() {
    let library = statements(&files(STDLIB));
    let queries = files(QUERIES);
    let counts = queries.iter().map(|query| {
        let own = statements(std::slice::from_ref(query));
        check(&own, &macros_of(&[library.clone(), own.clone()].concat()))
    });
    eprintln!(
        "{} files, {} statements",
        queries.len(),
        counts.sum::<usize>()
    );
}
