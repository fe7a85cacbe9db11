//! Prototypes in strings.

use crate::dialect::{Prototype, Type};

#[test]
fn prototypes() {
    let none = Prototype::parse("ANDROID_SDK_LEVEL()").unwrap();
    assert_eq!(
        (none.name.as_str(), none.arguments.len()),
        ("ANDROID_SDK_LEVEL", 0)
    );
    let two = Prototype::parse("find_slice( ts  INT,\n name string )").unwrap();
    assert_eq!(two.name, "find_slice");
    assert_eq!(
        two.arguments,
        [("ts".into(), Type::Int), ("name".into(), Type::String)]
    );
    let columns = Prototype::parse_columns("ts LONG, dur DURATION").unwrap();
    assert_eq!(
        columns,
        [("ts".into(), Type::Long), ("dur".into(), Type::Duration)]
    );
    assert_eq!(Prototype::parse_columns(" "), Ok(Vec::new()));
}

#[test]
fn malformed_prototypes_are_refused() {
    let cases = [
        ("f", "\"f\" is not a prototype: ( is missing"),
        ("f(a INT", "\"f(a INT\" is not a prototype: ) is missing"),
        (
            "(a INT)",
            "\"(a INT)\" is not a prototype: a name consists of letters, digits and _",
        ),
        (
            "f-g()",
            "\"f-g()\" is not a prototype: a name consists of letters, digits and _",
        ),
        (
            "f() x",
            "\"f() x\" is not a prototype: something follows the )",
        ),
        (
            "f(a)",
            "\"a\" is not a prototype: an argument consists of a name and a type",
        ),
        (
            "f(a INT b)",
            "\"a INT b\" is not a prototype: an argument consists of a name and a type",
        ),
        (
            "f(a INT,)",
            "\"\" is not a prototype: an argument consists of a name and a type",
        ),
        (
            "f($a INT)",
            "\"$a INT\" is not a prototype: a name consists of letters, digits and _",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(Prototype::parse(text).unwrap_err().to_string(), message);
    }
    let unknown = Prototype::parse("f(a TEXT)").unwrap_err().to_string();
    assert!(
        unknown.starts_with("unknown type TEXT; known are BOOL"),
        "{unknown}"
    );
}
