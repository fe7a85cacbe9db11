//! Each rule of the tokenizer.

use proptest::prelude::*;

use super::refused;
use std::string::String as Text;

use crate::dialect::TokenKind::{self, *};
use crate::dialect::{Source, tokenize};

fn kinds(text: &str) -> Vec<(TokenKind, Text)> {
    let tokens = tokenize(&Source::new("q.sql", text));
    let tokens = tokens.unwrap_or_else(|error| panic!("{error}"));
    tokens
        .iter()
        .map(|token| (token.kind, token.text(text).to_owned()))
        .collect()
}

/// The text must be one token of this kind.
fn single(kind: TokenKind, texts: &[&str]) {
    for text in texts {
        assert_eq!(kinds(text), [(kind, text.to_string())]);
    }
}

/// The text must be these tokens, all of which are shown.
fn pieces(text: &str, expected: &[&str]) {
    let found: Vec<_> = kinds(text).into_iter().map(|(_, text)| text).collect();
    assert_eq!(found, expected);
}

#[test]
fn names() {
    single(Word, &["a", "_x1", "größe", "a$b", "SELECT", "x", "X1"]);
    single(
        QuotedName,
        &["\"a\"\"b\"", "[a b]", "[a[b]", "`a``b`", "\"\"", "\"a;--\""],
    );
}

#[test]
fn literals() {
    single(String, &["'a'", "''", "'it''s'", "'--'", "'/*'"]);
    single(Blob, &["x''", "X'00ff'"]);
    single(Integer, &["0", "12", "0x1F", "0Xab", "1_000", "0xff_ff"]);
    single(
        Float,
        &["1.", ".5", "1.5", "1e9", "1E+9", "1.e-3", "1_0.0_1e1_0"],
    );
}

#[test]
fn variables() {
    single(
        Variable,
        &[
            "?", "?12", ":a", "@a", "#1", "$a", "$a1", "$a::b", "$a(b)", "$::a",
        ],
    );
    pieces("?a", &["?", "a"]);
    pieces("$a.b", &["$a", ".", "b"]);
}

#[test]
fn spaces_and_comments() {
    single(Space, &[" ", "\t\r\n \u{b}", "\u{feff}"]);
    single(Comment, &["-- a 'b /*", "--", "/* a\n ' */", "/**/"]);
    pieces("--a\nb", &["--a", "\n", "b"]);
    pieces("/*/*/a", &["/*/*/", "a"]);
}

#[test]
fn operators() {
    single(
        Operator,
        &[
            "->", "->>", "==", "!=", "<>", "<=", ">=", "<<", ">>", "||", "|", "~",
        ],
    );
    pieces("a->-1", &["a", "->", "-", "1"]);
    pieces("a!(b!=c)", &["a", "!", "(", "b", "!=", "c", ")"]);
    pieces("t.*;", &["t", ".", "*", ";"]);
    pieces("a.5", &["a", ".5"]);
}

#[test]
fn what_is_not_a_token() {
    let start = "line 1, column 1 of q.sql: ";
    assert_eq!(
        refused("'ab"),
        format!("{start}this string is not closed: ' is missing")
    );
    assert_eq!(
        refused("\"ab"),
        format!("{start}this name is not closed: \" is missing")
    );
    assert_eq!(
        refused("[ab"),
        format!("{start}this name is not closed: ] is missing")
    );
    assert_eq!(
        refused("/* ab"),
        format!("{start}this comment is not closed: */ is missing")
    );
    assert_eq!(
        refused("$a(b c)"),
        format!("{start}this variable is not closed: ) is missing")
    );
    assert_eq!(refused("12ab"), format!("{start}12ab is not a number"));
    assert_eq!(refused("0x1fg"), format!("{start}0x1fg is not a number"));
    assert_eq!(refused("1_"), format!("{start}1_ is not a number"));
    assert_eq!(refused("1__0"), format!("{start}1__0 is not a number"));
    assert_eq!(refused("1_.5"), format!("{start}1_.5 is not a number"));
    assert_eq!(refused("1e"), format!("{start}1e is not a number"));
    assert_eq!(
        refused("x'abc'"),
        format!("{start}a blob literal has an even number of hexadecimal digits")
    );
    assert_eq!(refused("$"), format!("{start}a variable needs a name"));
    assert_eq!(
        refused("a\n^"),
        "line 2, column 1 of q.sql: unexpected character '^'"
    );
    assert_eq!(
        refused("é é\0"),
        "line 1, column 4 of q.sql: the text contains a NUL character"
    );
}

proptest! {
    #[test]
    fn tokens_cover_the_text(text in "[ -~\n\u{e9}]{0,60}") {
        if let Ok(tokens) = tokenize(&Source::new("q.sql", text.as_str())) {
            let joined: Text = tokens.iter().map(|token| token.text(&text)).collect();
            prop_assert_eq!(joined, text);
        }
    }
}
