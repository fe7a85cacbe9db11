//! Macro expansion.

use super::{expanded, not_expanded};

/// Definitions that several tests use.
const COMMON: &str = "
    CREATE PERFETTO MACRO one() RETURNS Expr AS 1;
    CREATE PERFETTO MACRO same(a Expr) RETURNS Expr AS $a;
    CREATE PERFETTO MACRO inc(x Expr) RETURNS Expr AS ($x + 1);
    CREATE PERFETTO MACRO pair(a Expr, b Expr) RETURNS Expr AS $a + $b + $a;
    CREATE PERFETTO MACRO outer(y Expr) RETURNS Expr AS $y + inc!(10);
    CREATE PERFETTO MACRO apply(m Expr, x Expr) RETURNS Expr AS $m!($x);
    CREATE PERFETTO MACRO first(a Expr, b Expr) RETURNS Expr AS $a;
";

fn gives(sql: &str, expected: &str) {
    assert_eq!(expanded(&format!("{COMMON}{sql}")), expected);
}

fn fails(sql: &str, problem: &str) {
    let message = not_expanded(&format!("{COMMON}{sql}"));
    assert!(message.ends_with(problem), "{message}");
}

#[test]
fn calls_are_replaced() {
    gives("SELECT 1 AS a -- no calls", "SELECT 1 AS a");
    gives("one!()", "1");
    gives("SELECT one!( ) + one /* a */ !()", "SELECT 1 + 1");
    gives("SELECT pair!(x, y)", "SELECT x + y + x");
    gives("EXPLAIN QUERY PLAN one!()", "EXPLAIN QUERY PLAN 1");
}

#[test]
fn tables_have_no_arguments() {
    gives(
        "SELECT a FROM t() JOIN u ( ) AS v",
        "SELECT a FROM t JOIN u  AS v",
    );
    gives(
        "SELECT f() FROM g(1) WHERE h()",
        "SELECT f() FROM g(1) WHERE h()",
    );
    gives("SELECT extract(a FROM b)", "SELECT extract(a FROM b)");
}

#[test]
fn arguments_are_texts() {
    gives("same!( f(a, ',', b) /* c */ )", "f(a, ',', b)");
    gives("same!(a -- , b\n + \"),\")", "a -- , b\n + \"),\"");
    gives("first!(a, )", "a");
    gives("first!(, a)", "");
    gives("first!(undefined, missing!())", "undefined");
}

#[test]
fn calls_in_bodies_and_arguments_are_replaced() {
    gives("outer!(5)", "5 + (10 + 1)");
    gives("same!(inc!(inc!(5)))", "((5 + 1) + 1)");
    gives("apply!(inc, same!(7))", "(7 + 1)");
}

#[test]
fn other_variables_stay() {
    gives("SELECT inc!($x), $x, $y", "SELECT ($x + 1), $x, $y");
    let script = "CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS $x + $xx + $X + :x; m!(1)";
    assert_eq!(expanded(script), "1 + $xx + $X + :x");
}

#[test]
fn strings_and_comments_are_left_alone() {
    gives(
        "SELECT 'one!()', \"one!()\" /* one!() */",
        "SELECT 'one!()', \"one!()\"",
    );
    let script = "CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS '$x' || \"$x\"; m!(1)";
    assert_eq!(expanded(script), "'$x' || \"$x\"");
}

#[test]
fn neighbours_do_not_become_one_token() {
    let neg = "CREATE PERFETTO MACRO neg(x Expr) RETURNS Expr AS -$x;";
    assert_eq!(
        expanded(&format!("{neg} SELECT neg!(-1), 2")),
        "SELECT - -1, 2"
    );
    assert_eq!(
        expanded(&format!("{neg} SELECT 3-neg!(1), 2")),
        "SELECT 3- -1, 2"
    );
    let quote = "CREATE PERFETTO MACRO q(x Expr) RETURNS Expr AS 'a'$x;";
    assert_eq!(
        expanded(&format!("{quote} SELECT q!('b')")),
        "SELECT 'a' 'b'"
    );
}

#[test]
fn built_in_macros_work_on_texts() {
    gives(
        "SELECT __intrinsic_stringify!(foo  bar)",
        "SELECT 'foo  bar'",
    );
    gives(
        "SELECT __intrinsic_stringify_ignore_table!(inc!(1))",
        "SELECT 'inc!(1)'",
    );
    gives(
        "SELECT __intrinsic_stringify!(it = 'b''c')",
        "SELECT 'it = ''b''''c'''",
    );
    gives(
        "SELECT __intrinsic_stringify!(ifnull(a, ''))",
        "SELECT 'ifnull(a, '''')'",
    );
    gives("SELECT __intrinsic_stringify!(it''s)", "SELECT 'it''s'");
    gives(
        "SELECT __intrinsic_token_apply!(inc, (a, f(b, c)))",
        "SELECT (a + 1), (f(b, c) + 1)",
    );
    gives(
        "__intrinsic_token_apply_and!(first, (a, b), (c, d))",
        "a AND b",
    );
    gives(
        "SELECT 1 __intrinsic_token_apply_prefix!(same, (a, b,))",
        "SELECT 1 , a, b",
    );
    gives(
        "x __intrinsic_token_apply_and_prefix!(inc, (a))",
        "x  AND (a + 1)",
    );
    gives(
        "SELECT 1 __intrinsic_token_apply_prefix!(inc, ())",
        "SELECT 1 ",
    );
    gives(
        "__intrinsic_token_apply!(pair, (a, b, c), (d, e))",
        "a + d + a, b + e + b",
    );
    let list =
        "CREATE PERFETTO MACRO l(c ColumnNameList) RETURNS Expr AS __intrinsic_token_apply!(s, $c);
                CREATE PERFETTO MACRO s(c ColumnName) RETURNS Expr AS __intrinsic_stringify!($c);";
    assert_eq!(
        expanded(&format!("{list} SELECT l!((a, b))")),
        "SELECT 'a', 'b'"
    );
}

#[test]
fn wrong_calls_are_refused() {
    fails("two!()", "there is no macro two!");
    fails("ONE!()", "there is no macro ONE!");
    fails("pair!(1)", "macro pair! takes 2 arguments, but 1 was given");
    fails("inc!()", "macro inc! takes 1 argument, but none was given");
    fails(
        "one!(1, 2)",
        "macro one! takes no arguments, but 2 were given",
    );
    fails(
        "__intrinsic_stringify!(a, b)",
        "takes 1 argument, but 2 were given",
    );
    fails(
        "__intrinsic_token_apply!(a)",
        "takes 2 or 3 arguments, but 1 was given",
    );
    for list in ["a", "(a", "(a,,b)", "(,)", "(a) b", "same!((a))"] {
        let call = format!("__intrinsic_token_apply!(inc, {list})");
        let closed = list != "(a";
        let problem = "expected a list of values in parentheses, such as (a, b)";
        fails(
            &call,
            if closed {
                problem
            } else {
                "is not closed: ) is missing"
            },
        );
    }
    fails(
        "SELECT inc!(1",
        "the call of macro inc! is not closed: ) is missing",
    );
    fails(
        "SELECT inc! (1)",
        "expected a macro call, such as name!(arguments)",
    );
    fails(
        "SELECT !1",
        "expected a macro call, such as name!(arguments)",
    );
    fails(
        "SELECT \"inc\"!(1)",
        "expected a macro call, such as name!(arguments)",
    );
}

#[test]
fn definitions_are_checked() {
    let again = "CREATE PERFETTO MACRO one() RETURNS Expr AS 2;";
    fails(
        again,
        "macro one! is already defined; CREATE OR REPLACE replaces it",
    );
    gives(
        "CREATE OR REPLACE PERFETTO MACRO one() RETURNS Expr AS 2; one!()",
        "2",
    );
    let builtin = "CREATE PERFETTO MACRO __intrinsic_stringify(x Expr) RETURNS Expr AS 2;";
    fails(
        builtin,
        "macro __intrinsic_stringify! is built in and cannot be defined",
    );
}

#[test]
fn endless_expansions_are_refused() {
    let define = |name: &str, body: &str| {
        format!("CREATE PERFETTO MACRO {name}(x Expr) RETURNS Expr AS {body};")
    };
    let message = not_expanded(&format!("{} a!(1)", define("a", "a!($x)")));
    assert!(message.ends_with("macro a! calls itself"), "{message}");
    let message = not_expanded(&format!(
        "{}{} a!(1)",
        define("a", "b!($x)"),
        define("b", "a!($x)")
    ));
    assert!(message.ends_with("macro a! calls itself"), "{message}");
    let message = not_expanded(&format!("{} a!(a)", define("a", "$x!($x)")));
    assert!(
        message.ends_with("macro calls are nested more than 64 deep"),
        "{message}"
    );
    let message = not_expanded(&format!("{} a!(a)", define("a", "$x!($x) $x!($x)")));
    assert!(
        message.contains("nested more than 64") || message.contains("bytes"),
        "{message}"
    );
    let doubling: String = (0..40)
        .map(|n| {
            define(
                &format!("m{n}"),
                &format!("m{}!($x, $x)", n + 1).replace(", $x)", " $x)"),
            )
        })
        .collect();
    let message = not_expanded(&format!("{doubling} m0!(1)"));
    assert!(
        message.ends_with("the macros of this statement expand to more than 4194304 bytes"),
        "{message}"
    );
}
