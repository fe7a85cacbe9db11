use super::*;

fn fields(text: &str) -> Vec<(String, Value<'_>)> {
    let walk = Fields::new(text.as_bytes());
    walk.map(|(key, value)| (String::from_utf8_lossy(&key).into_owned(), value))
        .collect()
}

#[test]
fn fields_of_every_kind() {
    let text = r#"{"a":"x\n\u00e9\ud83d\ude00\"", "b": -1.5e3,"c":{"d":["}"]} ,"e":null}"#;
    let found = fields(text);
    let expected = [
        ("a".into(), Value::Text("x\né😀\"".as_bytes().into())),
        ("b".into(), Value::Word(b"-1.5e3")),
        ("c".into(), Value::Nested(br#"{"d":["}"]}"#)),
        ("e".into(), Value::Word(b"null")),
    ];
    assert_eq!(found, expected);
}

#[test]
fn an_escape_needs_four_digits() {
    let found = fields(r#"{"a":"\u+0e9","b":"\u0e","c":"\u00E9"}"#);
    let expected = [r"\u+0e9", r"\u0e", "\u{e9}"];
    let expected = expected.map(|text| Value::Text(text.as_bytes().into()));
    assert!(found.into_iter().map(|(_, value)| value).eq(expected));
}

#[test]
fn a_broken_object_ends_the_walk() {
    let texts = r#"{"a" 1}|{"a":|{a:1}|{"a":1]|{"a|{"a":}"#;
    for text in texts.split('|') {
        let mut walk = Fields::new(text.as_bytes());
        while walk.next().is_some() {}
        assert!(walk.next().is_none(), "{text}");
    }
}

#[test]
fn ends_are_found_in_pieces() {
    let text = br#"{"a\\\"":["x]",{"b":1}]},"#;
    for cut in 0..text.len() {
        let mut scan = Scan::default();
        let (front, back) = text.split_at(cut);
        let end = scan.value_end(front);
        let end = end.or_else(|| scan.value_end(back).map(|end| cut + end));
        assert_eq!(end, Some(text.len() - 1), "{cut}");
    }
}

#[test]
fn times_are_exact() {
    let ns = |text: &str| micros_to_ns(text.as_bytes());
    assert_eq!(ns("612731709288.017"), Some(612_731_709_288_017));
    assert_eq!(ns("-1.5"), Some(-1_500));
    assert_eq!(ns("1.23446"), Some(1_234));
    assert_eq!(ns("-5.299999999999997"), Some(-5_300));
    assert_eq!(ns("5.299999999999997e0"), Some(5_300));
    assert_eq!(ns("2.5e3"), Some(2_500_000));
    assert_eq!(ns("12345678901234567890"), None);
    assert_eq!(ns("x"), None);
    assert_eq!(ns(""), None);
}
