//! Finds the field of a question that has an error. serde reports only the position in the text.

use std::fmt::Write;

/// An object or a list around the place of an error.
enum Level<'a> {
    /// An object, and the key of its current value.
    Object(&'a str),
    /// A list, and the number of its current value.
    List(usize),
}

/// The text up to a line and a column, both counted from 1; the column in bytes.
pub(crate) fn before(json: &str, line: usize, column: usize) -> &str {
    let mut lines = json.split_inclusive('\n');
    let start: usize = lines
        .by_ref()
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let end = json.floor_char_boundary(start.saturating_add(column));
    &json[..end]
}

/// The path of the value at the end of a text that is the beginning of a JSON object, like `rows[1]`. Empty for the
/// object itself.
pub(crate) fn field_at(json: &str) -> String {
    let mut levels = Vec::new();
    let mut rest = json;
    // The last string, which is a key if a colon follows.
    let mut string = "";
    while let Some(at) = rest.find(|c| "\"{[:,]}".contains(c)) {
        let found = rest.as_bytes()[at];
        rest = &rest[at + 1..];
        match (found, levels.last_mut()) {
            (b'"', _) => (string, rest) = split_string(rest),
            (b':', Some(Level::Object(key))) => *key = string,
            (b',', Some(Level::List(number))) => *number += 1,
            // An error at the start of an object or a list concerns all of it.
            (b'{', _) if !rest.is_empty() => levels.push(Level::Object("")),
            (b'[', _) if !rest.is_empty() => levels.push(Level::List(0)),
            (b'}' | b']', _) => _ = levels.pop(),
            _ => (),
        }
    }
    path(&levels)
}

/// A string whose quotation mark was read, with its escapes, and the text after it.
fn split_string(text: &str) -> (&str, &str) {
    let mut escaped = false;
    let end = text.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map_or((text, ""), |end| (&text[..end], &text[end + 1..]))
}

fn path(levels: &[Level<'_>]) -> String {
    let mut path = String::new();
    for level in levels {
        match level {
            Level::Object(key) => {
                path.push_str(if path.is_empty() { "" } else { "." });
                path.push_str(key);
            }
            Level::List(number) => _ = write!(path, "[{number}]"),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_keys_and_numbers() {
        for (json, path) in [
            (r#"{"a":1"#, "a"),
            (r#"{"a":"{\"b\":","c":[1,[2],{"d":["#, "c[2].d"),
            (r#"{"a":{"b":1,"c":[]},"d":0"#, "d"),
            (r#"{"a":{"b":{"#, "a.b"),
            (r#"{"a":1}"#, ""),
            (r#"{"a":[1,2"#, "a[1]"),
            (r#"{"a"#, ""),
            ("]]}}", ""),
            ("", ""),
        ] {
            assert_eq!(field_at(json), path, "{json}");
        }
    }

    #[test]
    fn places_are_lines_and_columns() {
        assert_eq!(before("{\n \"ä\": 1}", 2, 4), "{\n \"ä");
        assert_eq!(before("{\n \"ä\": 1}", 2, 3), "{\n \"");
        assert_eq!(before("{}", 0, 0), "");
        assert_eq!(before("{}", 7, usize::MAX), "{}");
    }
}
