//! Each statement of the grammar, and the inputs that it rejects.

use super::{one, parse, refused};
use crate::dialect::{
    FunctionBody, MacroType, Object, Returns, StatementKind, StatementKind as Kind, Storage, Type,
};

fn texts(script: &str) -> Vec<String> {
    let statements = parse(script).into_iter();
    statements
        .map(|statement| statement.sql.text().to_owned())
        .collect()
}

#[test]
fn semicolons_separate_statements() {
    assert_eq!(texts(""), [""; 0]);
    assert_eq!(texts(" ; -- a; b\n ;"), [""; 0]);
    assert_eq!(
        texts("SELECT 1; /* x */ SELECT ';' -- end\n; "),
        ["SELECT 1", "SELECT ';'"]
    );
    assert_eq!(
        texts("EXPLAIN QUERY PLAN SELECT (1"),
        ["EXPLAIN QUERY PLAN SELECT (1"]
    );
}

#[test]
fn triggers_contain_semicolons() {
    for start in [
        "CREATE",
        "CREATE TEMP",
        "create temporary",
        "EXPLAIN CREATE",
        "EXPLAIN QUERY PLAN CREATE",
    ] {
        let body = "BEGIN SELECT CASE 1 WHEN 1 THEN 2 END; DELETE FROM t; END";
        let trigger = format!("{start} TRIGGER a AFTER INSERT ON t {body}");
        assert_eq!(
            texts(&format!("{trigger}; SELECT 1")),
            [trigger.as_str(), "SELECT 1"]
        );
    }
    assert_eq!(texts("CREATE TRIGGER a; b; c").len(), 1);
    assert_eq!(texts("CREATE TABLE trigger(a); END; SELECT 1").len(), 3);
}

#[test]
fn sqlite_statements_pass_through() {
    for sql in [
        "SELECT 1",
        "CREATE TABLE perfetto(a)",
        "CREATE VIEW a AS SELECT 1",
        "DROP TABLE perfetto",
        "foo!(a)",
    ] {
        assert_eq!(one(sql), Kind::Sqlite);
    }
}

#[test]
fn tables_and_views() {
    let script = "create or replace perfetto table \"my \"\"t\" using dataframe (a LONG, [b c] joinid(thread.id)) as\n\
                  WITH x AS (SELECT 1) SELECT * FROM x";
    let Kind::CreateTable(table) = one(script) else {
        panic!()
    };
    assert!(table.replace);
    assert_eq!(table.name.text, "my \"t");
    assert_eq!(table.columns.len(), 2);
    assert_eq!(
        (table.columns[0].kind, table.columns[0].refers_to.as_ref()),
        (Type::Long, None)
    );
    assert_eq!(table.columns[1].name.text, "b c");
    assert_eq!(table.columns[1].kind, Type::JoinId);
    assert_eq!(
        table.columns[1].refers_to,
        Some(("thread".into(), "id".into()))
    );
    assert_eq!(table.select.text(), "WITH x AS (SELECT 1) SELECT * FROM x");
    let Kind::CreateView(view) = one("CREATE PERFETTO VIEW v AS foo ! (slice)") else {
        panic!()
    };
    assert_eq!((view.replace, view.columns.len()), (false, 0));
    assert_eq!(view.select.text(), "foo ! (slice)");
}

#[test]
fn every_type_is_known_in_any_case() {
    for name in Type::NAMES {
        let Kind::CreateView(view) = one(&format!(
            "CREATE PERFETTO VIEW v(a {}) AS SELECT 1 AS a",
            name.to_lowercase()
        )) else {
            panic!()
        };
        assert_eq!(view.columns[0].kind.name(), name);
    }
    assert_eq!(
        Type::parse("proto").map(Type::storage),
        Some(Storage::Bytes)
    );
    assert_eq!(
        Type::parse("TimeStamp").map(Type::storage),
        Some(Storage::Long)
    );
    assert_eq!(
        Type::parse("float").map(Type::storage),
        Some(Storage::Double)
    );
}

fn function(script: &str) -> crate::dialect::CreateFunction {
    let Kind::CreateFunction(function) = one(script) else {
        panic!("{script}")
    };
    function
}

#[test]
fn functions() {
    let scalar = function("CREATE PERFETTO FUNCTION f(x INT, y STRING) RETURNS LONG AS select $x");
    let names: Vec<_> = scalar
        .arguments
        .iter()
        .map(|argument| argument.name.text.as_str())
        .collect();
    assert_eq!(names, ["x", "y"]);
    assert_eq!(scalar.returns, Returns::Scalar(Type::Long));
    let FunctionBody::Select(body) = scalar.body else {
        panic!()
    };
    assert_eq!(body.text(), "select $x");

    let table = function(
        "CREATE OR REPLACE PERFETTO FUNCTION f() RETURNS TABLE(a LONG, b BOOL) AS VALUES(1, 2)",
    );
    assert!(table.replace && table.arguments.is_empty());
    let Returns::Table(columns) = table.returns else {
        panic!()
    };
    assert_eq!(columns[1].kind, Type::Bool);

    let other =
        function("CREATE PERFETTO FUNCTION f(x INT, rest ANY...) RETURNS STRING DELEGATES TO __f");
    assert!(other.arguments[1].variadic);
    let FunctionBody::DelegatesTo(target) = other.body else {
        panic!()
    };
    assert_eq!(target.text, "__f");
}

#[test]
fn macros() {
    let script = "CREATE PERFETTO MACRO m(t tableorsubquery, c _ProjectionFragment) RETURNS Expr AS\n random $t ! ( sql ";
    let Kind::CreateMacro(definition) = one(script) else {
        panic!()
    };
    let kinds: Vec<_> = definition
        .arguments
        .iter()
        .map(|argument| argument.kind)
        .collect();
    assert_eq!(
        kinds,
        [MacroType::TableOrSubquery, MacroType::ProjectionFragment]
    );
    assert_eq!(definition.returns, MacroType::Expr);
    assert_eq!(definition.body.text(), "random $t ! ( sql");
}

#[test]
fn indexes() {
    let Kind::CreateIndex(index) = one("CREATE PERFETTO INDEX i ON t(a, b)") else {
        panic!()
    };
    assert_eq!(
        (index.name.text.as_str(), index.table.text.as_str()),
        ("i", "t")
    );
    assert_eq!(index.columns.len(), 2);
}

#[test]
fn drops() {
    let objects = [
        ("TABLE a", Object::Table),
        ("VIEW a", Object::View),
        ("FUNCTION a", Object::Function),
        ("MACRO a", Object::Macro),
        ("INDEX a ON t", Object::Index),
    ];
    for (text, object) in objects {
        let Kind::Drop(drop) = one(&format!("DROP PERFETTO {text}")) else {
            panic!()
        };
        assert_eq!((drop.object, drop.name.text.as_str()), (object, "a"));
        assert_eq!(drop.table.is_some(), object == Object::Index);
    }
}

#[test]
fn includes() {
    let include = |text: &str| match one(&format!("INCLUDE PERFETTO MODULE {text}")) {
        StatementKind::Include(include) => include,
        other => panic!("{other:?}"),
    };
    assert_eq!(include("a.bre_ad").module.text, "a.bre_ad");
    assert_eq!(
        include("intervals . intersect").module.text,
        "intervals.intersect"
    );
    assert_eq!(include("a.b").prefix(), None);
    assert_eq!(include("a.b.*").prefix(), Some("a.b."));
    assert_eq!(include("*").prefix(), Some(""));
}

#[test]
fn malformed_statements_are_refused() {
    let cases = [
        (
            "CREATE PERFETTO TRIGGER a",
            "17",
            "expected TABLE, VIEW, FUNCTION, MACRO or INDEX, found TRIGGER",
        ),
        (
            "CREATE PERFETTO TABLE AS SELECT 1",
            "23",
            "expected the name of a table, found AS",
        ),
        (
            "CREATE PERFETTO TABLE t SELECT 1",
            "25",
            "expected AS, found SELECT",
        ),
        (
            "CREATE PERFETTO TABLE t AS",
            "27",
            "expected SELECT, WITH or VALUES, found the end of the statement",
        ),
        (
            "CREATE PERFETTO TABLE t AS DELETE FROM t",
            "28",
            "expected SELECT, WITH or VALUES, found DELETE",
        ),
        (
            "CREATE PERFETTO TABLE t() AS SELECT 1",
            "25",
            "expected a name and a type, found )",
        ),
        (
            "CREATE PERFETTO TABLE t(a LONG b) AS SELECT 1",
            "32",
            "expected , or ), found b",
        ),
        (
            "CREATE PERFETTO TABLE t USING rows AS SELECT 1",
            "31",
            "unknown kind of table rows; the only one is DATAFRAME",
        ),
        (
            "CREATE PERFETTO FUNCTION f( returns INT as select 1",
            "41",
            "expected , or ), found as",
        ),
        (
            "CREATE PERFETTO FUNCTION f(x INT) as select 1",
            "35",
            "expected RETURNS, found as",
        ),
        (
            "CREATE PERFETTO FUNCTION f(x INT) returns INT",
            "46",
            "expected AS or DELEGATES TO, found the end of the statement",
        ),
        (
            "CREATE PERFETTO FUNCTION f() returns INT delegates to",
            "54",
            "expected the name of a function, found the end of the statement",
        ),
        (
            "CREATE PERFETTO FUNCTION f(x INT, x INT) returns INT as select 1",
            "35",
            "there are two arguments named x",
        ),
        (
            "CREATE PERFETTO FUNCTION f(x ANY...) returns INT as select 1",
            "28",
            "only a function with DELEGATES TO can have an argument with ...",
        ),
        (
            "CREATE PERFETTO FUNCTION f(x ANY..., y INT) returns INT delegates to g",
            "28",
            "only the last argument can have ...",
        ),
        (
            "CREATE PERFETTO MACRO m(a Expr) RETURNS Expr AS",
            "48",
            "expected the text of the macro, found the end of the statement",
        ),
        (
            "CREATE PERFETTO INDEX i ON t",
            "29",
            "expected (, found the end of the statement",
        ),
        (
            "CREATE PERFETTO INDEX 'i' ON 't'('a')",
            "34",
            "expected the name of a column, found 'a'",
        ),
        (
            "DROP PERFETTO INDEX i",
            "22",
            "expected ON, found the end of the statement",
        ),
        (
            "INCLUDE PERFETTO MODULE chees*e.bre_ad",
            "30",
            "expected the end of the statement, found *",
        ),
        (
            "INCLUDE PERFETTO MODULE a.b c",
            "29",
            "expected the end of the statement, found c",
        ),
        (
            "INCLUDE PERFETTO MODULE a.",
            "27",
            "expected the name of a module, found the end of the statement",
        ),
    ];
    for (script, column, problem) in cases {
        assert_eq!(
            refused(script),
            format!("line 1, column {column} of q.sql: {problem}")
        );
    }
}

#[test]
fn unknown_types_are_refused() {
    let message = refused("CREATE PERFETTO VIEW v(a VARCHAR) AS SELECT 1");
    assert!(
        message.contains("column 26 of q.sql: unknown type VARCHAR; known are BOOL, LONG,"),
        "{message}"
    );
    let message = refused("CREATE PERFETTO MACRO m(a Tables) RETURNS Expr AS 1");
    assert!(
        message.contains("unknown macro type Tables; known are ColumnName,"),
        "{message}"
    );
}

#[test]
fn messages_quote_the_script_readably() {
    let long = "x".repeat(50);
    let message = refused(&format!("DROP PERFETTO {long}"));
    assert!(
        message.ends_with(&format!(", found {}…", &long[..40])),
        "{message}"
    );
    let message = refused("DROP PERFETTO TABLE \"a\n\u{202e}'\\\" x\u{1b}");
    assert!(
        message.ends_with("unexpected character '\\u{1b}'"),
        "{message}"
    );
    let message = refused("DROP PERFETTO \"a\n\u{202e}'\\\"");
    assert!(message.ends_with(r#", found "a\n\u{202e}'\""#), "{message}");
}
