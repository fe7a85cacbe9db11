//! The places at which errors are reported.

use super::{expand, not_expanded};
use crate::dialect::{Fragment, Location, Macros, Script, Source, StatementKind};

const SCRIPT: &str = "\
-- é
CREATE PERFETTO MACRO inner(x Expr) RETURNS Expr AS
  (wrong + $x);
CREATE PERFETTO MACRO outer(y Expr) RETURNS Expr AS
  é, inner!($y);

SELECT
  outer!( right ) FROM t";

fn place_of(word: &str) -> String {
    let expanded = expand(SCRIPT).unwrap();
    let offset = expanded.sql().find(word).unwrap();
    expanded.map().locate(offset).to_string()
}

#[test]
fn text_outside_of_macros() {
    assert_eq!(place_of("SELECT"), "line 7, column 1 of q.sql");
    assert_eq!(place_of("FROM"), "line 8, column 19 of q.sql");
}

#[test]
fn text_of_a_body_names_the_calls() {
    let inner = "line 3, column 4 of q.sql, in macro inner!, called at line 5, column 6, in macro outer!, called at line 8, column 3";
    assert_eq!(place_of("wrong"), inner);
    assert_eq!(
        place_of("é"),
        "line 5, column 3 of q.sql, in macro outer!, called at line 8, column 3"
    );
}

#[test]
fn text_of_an_argument_is_where_it_was_written() {
    assert_eq!(place_of("right"), "line 8, column 11 of q.sql");
}

#[test]
fn offsets_outside_of_the_text() {
    let expanded = expand(SCRIPT).unwrap();
    let end = expanded.map().locate(usize::MAX).to_string();
    assert_eq!(end, "line 8, column 25 of q.sql");
    assert_eq!(
        expanded.map().start().to_string(),
        "line 7, column 1 of q.sql"
    );
}

#[test]
fn text_around_the_sql() {
    let wrapped = expand("SELECT 1\n FROM t")
        .unwrap()
        .wrap("CREATE VIEW v AS ", " LIMIT 1");
    assert_eq!(wrapped.sql(), "CREATE VIEW v AS SELECT 1\n FROM t LIMIT 1");
    let place = |word: &str| {
        wrapped
            .map()
            .locate(wrapped.sql().find(word).unwrap())
            .to_string()
    };
    assert_eq!(place("VIEW"), "line 1, column 1 of q.sql");
    assert_eq!(place("FROM"), "line 2, column 2 of q.sql");
    assert_eq!(place("LIMIT"), "line 2, column 8 of q.sql");
}

#[test]
fn errors_in_expansions_have_places() {
    let script = "CREATE PERFETTO MACRO m() RETURNS Expr AS\n 1 + missing!();\nSELECT m!()";
    let place = "line 2, column 6 of q.sql, in macro m!, called at line 3, column 8";
    assert_eq!(
        not_expanded(script),
        format!("{place}: there is no macro missing!")
    );
    let script = "CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS $x;\nSELECT m!(missing!())";
    assert_eq!(
        not_expanded(script),
        "line 2, column 11 of q.sql: there is no macro missing!"
    );
}

#[test]
fn generated_text_is_where_the_call_is() {
    let expanded = expand("SELECT 1, __intrinsic_stringify!(a)").unwrap();
    let offset = expanded.sql().find('\'').unwrap();
    assert_eq!(expanded.map().locate(offset).column(), 11);
    assert_eq!(expanded.map().locate(offset + 1).column(), 34);
}

/// `q.sql` includes `a.b`, which includes `c`.
fn modules() -> (Fragment, Fragment) {
    let script = Source::new("q.sql", "\nINCLUDE PERFETTO MODULE a.b;");
    let at = |source: &_| Script::parse_source(source).unwrap().remove(0).sql;
    let first = Source::included("module a.b", " INCLUDE PERFETTO MODULE c;", at(&script));
    let macros = "CREATE PERFETTO MACRO m() RETURNS Expr AS wrong";
    (
        at(&script),
        Fragment::whole(&Source::included("module c", macros, at(&first))),
    )
}

#[test]
fn includes_are_named() {
    let (_, module) = modules();
    let location = Location::new(module);
    let text = "line 1, column 1 of module c, included at line 1, column 2 of module a.b, included at line 2, column 1 of q.sql";
    assert_eq!(location.to_string(), text);
}

#[test]
fn a_macro_of_a_module_is_reported_through_its_call() {
    let (script, module) = modules();
    let definition = Script::parse_source(&module.source).unwrap().remove(0).kind;
    let StatementKind::CreateMacro(definition) = definition else {
        panic!()
    };
    let mut macros = Macros::default();
    macros.define(&definition).unwrap();
    let call = Source::new(script.source.name(), "SELECT m!()");
    let expanded = macros.expand(&Fragment::whole(&call)).unwrap();
    let text = "line 1, column 43 of module c, in macro m!, called at line 1, column 8 of q.sql";
    assert_eq!(expanded.map().locate(7).to_string(), text);
}
