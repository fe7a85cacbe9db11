//! Comparison with SQLite's own rules for where a statement ends and what a token is.

use std::ffi::CString;

use proptest::prelude::*;
use rusqlite::{Connection, ffi};

use crate::dialect::{Script, Source, TokenKind, tokenize};

/// Whether SQLite considers a text to end with a complete statement and its semicolon.
fn is_complete(text: &str) -> bool {
    let text = CString::new(text).unwrap();
    // SAFETY: the pointer is valid and ends with a NUL; SQLite only reads the text during the call.
    unsafe { ffi::sqlite3_complete(text.as_ptr()) != 0 }
}

const PIECES: &[&str] = &[
    "CREATE ",
    "TEMP ",
    "TEMPORARY ",
    "TRIGGER ",
    "END",
    "; ",
    ";",
    "x ",
    "'a;' ",
    "\"b;\" ",
    "[c;] ",
    "-- ; \n",
    "/* ; */ ",
    "CASE ",
    "EXPLAIN ",
    "QUERY PLAN ",
    "1 ",
    "( ",
    ")",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// A text that ends with a semicolon ends a statement here if and only if it does in SQLite.
    #[test]
    fn statements_end_where_they_do_in_sqlite(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..16)) {
        let text = pieces.concat() + ";";
        let with_more = format!("{text} x");
        let whole = Script::parse("q.sql", &text).unwrap().len();
        let more = Script::parse("q.sql", &with_more).unwrap().len();
        prop_assert_eq!(more == whole + 1, is_complete(&text), "{}", text);
    }

    /// SQLite accepts a text as tokens if and only if this crate does. A single `!` is left out, because it is a token
    /// only here.
    #[test]
    fn the_same_characters_are_tokens(text in "[a-fx0-9_.'\"`\\[\\]$@:#?^{}\\\\ ()<>=|&~+*/%-]{1,12}") {
        let text = format!("SELECT {text}");
        let own = tokenize(&Source::new("q.sql", text.as_str()));
        let message = Connection::open_in_memory().unwrap().prepare(&text).err().map(|error| error.to_string());
        let message = message.unwrap_or_default();
        // An unclosed comment is an error only here. SQLite stops at the first syntax error, so it may not reach the
        // text that is not a token.
        match own {
            Ok(_) => prop_assert!(!message.contains("unrecognized token"), "{}: {}", text, message),
            Err(error) => prop_assert!(!message.is_empty() || text.contains("/*"), "{}: {}", text, error),
        }
    }
}

#[test]
fn literals_have_the_kinds_of_sqlite() {
    let connection = Connection::open_in_memory().unwrap();
    for literal in [
        "12", "0x1f", "1_000", "0xf_f", ".5", "1.", "1e9", "1_0.5", "'a'", "x'00'", "1e-3", "0e0",
    ] {
        let kind: String = connection
            .query_row(&format!("SELECT typeof({literal})"), [], |row| row.get(0))
            .unwrap();
        let expected = match tokenize(&Source::new("q.sql", literal)).unwrap()[..] {
            [token] => token.kind,
            ref tokens => panic!("{literal}: {tokens:?}"),
        };
        let expected = match expected {
            TokenKind::Integer => "integer",
            TokenKind::Float => "real",
            TokenKind::String => "text",
            TokenKind::Blob => "blob",
            other => panic!("{literal}: {other:?}"),
        };
        assert_eq!(kind, expected, "{literal}");
    }
}
