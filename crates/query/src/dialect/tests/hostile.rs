//! Inputs that try to be slow or to break something.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use crate::dialect::{Macros, Script, StatementKind};

/// Parses a script, runs its definitions and expands everything else. Any result is fine.
fn run(text: &str) {
    let Ok(statements) = Script::parse("q.sql", text) else {
        return;
    };
    let mut macros = Macros::default();
    for statement in &statements {
        match &statement.kind {
            StatementKind::CreateMacro(definition) => drop(macros.define(definition)),
            _ => drop(macros.expand(&statement.sql)),
        }
    }
}

/// Fails if parsing is slow. Quadratic time would take minutes.
fn is_quick(text: &str) {
    let start = Instant::now();
    run(text);
    assert!(
        start.elapsed() < Duration::from_secs(60),
        "{:?}",
        text.get(..60)
    );
}

#[test]
fn long_inputs_take_linear_time() {
    for piece in [
        "(",
        "a!(",
        "a!(b,",
        "'a'",
        "[a]",
        "/* */",
        "a ",
        "- ",
        "CREATE TRIGGER a; ",
        ";",
        "!",
        "$a(",
        "\n",
        "é",
    ] {
        is_quick(&piece.repeat(1 << 16));
    }
    let trigger = format!("CREATE TRIGGER a {}", "; END x".repeat(1 << 15));
    is_quick(&trigger);
}

#[test]
fn many_calls_take_linear_time() {
    let define = "CREATE PERFETTO MACRO a(x Expr) RETURNS Expr AS $x $x;";
    is_quick(&format!("{define} SELECT {}", "a!(1) ".repeat(1 << 15)));
    is_quick(&format!(
        "{define} SELECT {}1{}",
        "a!(".repeat(1 << 16),
        ")".repeat(1 << 16)
    ));
    is_quick(&format!("{define} SELECT a!({})", "x,".repeat(1 << 16)));
    let name = "x".repeat(1 << 16);
    let long_name = format!("CREATE PERFETTO MACRO c({name} Expr) RETURNS Expr AS ${name};");
    is_quick(&format!("{long_name} SELECT {}", "c!(1) ".repeat(1 << 15)));
    let list = "x,".repeat(1 << 15);
    is_quick(&format!(
        "SELECT __intrinsic_token_apply!({name}, ({list}))"
    ));
    let many = format!(
        "CREATE PERFETTO MACRO d(x Expr) RETURNS Expr AS {};",
        "$x ".repeat(1 << 15)
    );
    is_quick(&format!("{many} SELECT d!(f({list}))"));
    let body = format!(
        "CREATE PERFETTO MACRO b() RETURNS Expr AS {};",
        "one ".repeat(1 << 14)
    );
    is_quick(&format!("{body} SELECT {}", "b!() ".repeat(1 << 14)));
}

proptest! {
    #[test]
    fn any_text_gives_statements_or_an_error(text in any::<String>()) {
        run(&text);
    }

    #[test]
    fn words_of_the_grammar_in_any_order(words in prop::collection::vec(prop::sample::select(WORDS), 0..40)) {
        run(&words.join(" "));
        run(&words.concat());
    }
}

const WORDS: &[&str] = &[
    "CREATE",
    "OR",
    "REPLACE",
    "PERFETTO",
    "TABLE",
    "VIEW",
    "FUNCTION",
    "MACRO",
    "INDEX",
    "DROP",
    "INCLUDE",
    "MODULE",
    "RETURNS",
    "DELEGATES",
    "TO",
    "AS",
    "SELECT",
    "TRIGGER",
    "END",
    "ON",
    "LONG",
    "Expr",
    "a",
    "b",
    "a!(",
    "$a",
    "(",
    ")",
    ",",
    ";",
    ".",
    "...",
    "*",
    "'x'",
    "[y]",
    "CREATE PERFETTO MACRO a(",
    "CREATE PERFETTO MACRO b(a Expr, b Expr) RETURNS Expr AS $a!($b)",
    "b!(b,",
    "__intrinsic_token_apply!(",
    "__intrinsic_stringify!(",
    "--\n",
    "/*",
    "*/",
    "\u{e9}",
];
