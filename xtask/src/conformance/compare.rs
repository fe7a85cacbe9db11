//! Compares an answer with Perfetto's, by the rules of the suite: numbers with a fraction have four digits, and spaces
//! around a value are ignored.
//!
//! Perfetto does not double the quotes inside a text, so its output is then not valid CSV. In that case, the lines are
//! compared.

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// NULL, as Perfetto prints it.
const NULL: &str = "[NULL]";

/// Whether the answer, the object that `--format json` prints, has the expected columns and rows.
pub fn is_same(answer: &str, expected: &str) -> Result<bool> {
    Ok(rows_of_answer(answer)? == rows_of_csv(expected)? || printed(answer)? == lines(expected))
}

/// The lines of a text, without leading and trailing spaces, and without empty lines.
fn lines(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.trim().to_owned());
    lines.filter(|line| !line.is_empty()).collect()
}

/// The lines that Perfetto prints for an answer. A text may have several lines.
fn printed(answer: &str) -> Result<Vec<String>> {
    let answer: Value = serde_json::from_str(answer).context("the answer is not JSON")?;
    let rows = answer["rows"].as_array().into_iter().flatten();
    let rows = [&answer["columns"]].into_iter().chain(rows);
    let rows = rows.map(|row| {
        let values = row.as_array().map(Vec::as_slice).unwrap_or_default();
        let values: Vec<String> = values.iter().map(printed_value).collect();
        values.join(",")
    });
    let text: Vec<String> = rows.collect();
    Ok(lines(&text.join("\n")))
}

fn printed_value(value: &Value) -> String {
    match value {
        Value::Null => format!("\"{NULL}\""),
        Value::String(text) => format!("\"{text}\""),
        Value::Number(number) if number.is_f64() => {
            format!("{:.6}", number.as_f64().unwrap_or_default())
        }
        other => other.to_string(),
    }
}

/// The names of the columns and the rows. Rows without columns are left out.
fn rows_of_answer(answer: &str) -> Result<Vec<Vec<String>>> {
    let answer: Value = serde_json::from_str(answer).context("the answer is not JSON")?;
    let (Some(names), Some(rows)) = (answer["columns"].as_array(), answer["rows"].as_array())
    else {
        bail!("the answer has no columns or no rows");
    };
    let name = |name: &Value| name.as_str().unwrap_or_default().trim().to_owned();
    let mut all = vec![names.iter().map(name).collect()];
    all.extend(rows.iter().map(|row| {
        let values = row.as_array().map(Vec::as_slice).unwrap_or_default();
        values.iter().map(value).collect()
    }));
    all.retain(|row: &Vec<String>| !row.is_empty());
    Ok(all)
}

fn value(value: &Value) -> String {
    match value {
        Value::Null => NULL.to_owned(),
        Value::Bool(value) => u8::from(*value).to_string(),
        Value::String(text) => cell(text),
        other => cell(&other.to_string()),
    }
}

/// The rows of a text. Its lines may be indented.
fn rows_of_csv(text: &str) -> Result<Vec<Vec<String>>> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let text = lines.join("\n");
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.trim_matches('\n').as_bytes());
    let rows = reader
        .records()
        .map(|row| Ok(row?.iter().map(cell).collect()));
    rows.collect()
}

/// A value in the form in which it is compared.
fn cell(text: &str) -> String {
    let text = text.trim();
    let Ok(number) = text.parse::<f64>() else {
        return text.to_owned();
    };
    let digits = text.trim_start_matches('-');
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return format!("{number:.4}");
    }
    text.parse::<i128>()
        .map_or(text.to_owned(), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(rows: &str, expected: &str) -> bool {
        let answer = format!("{{\"columns\": [\"a\", \"b\"], \"rows\": [{rows}]}}");
        is_same(&answer, expected).unwrap()
    }

    #[test]
    fn numbers_have_four_digits_after_the_point() {
        assert!(same("[1, 0.12344]", "a,b\n1,0.123400\n"));
        assert!(!same("[1, 0.1235]", "a,b\n1,0.1234\n"));
        assert!(
            !same("[1, 2]", "a,b\n1.0,2\n"),
            "a fraction is not a whole number"
        );
        assert!(same(
            "[9223372036854775807, -1]",
            "a,b\n9223372036854775807,-1\n"
        ));
        assert!(!same(
            "[9223372036854775806, 1]",
            "a,b\n9223372036854775807,1\n"
        ));
        assert!(same("[\"007\", 1e3]", "a,b\n7,1000.0\n"));
    }

    #[test]
    fn null_differs_from_an_empty_text() {
        assert!(same("[null, \"\"]", "a,b\n[NULL],\n"));
        assert!(!same("[\"\", \"\"]", "a,b\n[NULL],\n"));
    }

    #[test]
    fn quoted_texts_may_have_commas_quotes_and_lines() {
        assert!(same(
            r#"["x,y", "say \"z\""]"#,
            "a,b\n\"x,y\",\"say \"\"z\"\"\"\n"
        ));
        assert!(same(r#"["x\ny", " z "]"#, "a,b\n\"x\ny\",z\n"));
    }

    #[test]
    fn lines_may_be_indented_and_rows_keep_their_order() {
        assert!(same("[1, 2], [3, 4]", "\n    a,b\n    1,2\n    3,4\n    "));
        assert!(!same("[3, 4], [1, 2]", "a,b\n1,2\n3,4\n"));
        assert!(!same("[1, 2]", "b,a\n1,2\n"));
        assert!(!same("[1, 2]", "a,b\n1,2\n3,4\n"));
    }

    #[test]
    fn an_answer_without_columns_is_empty() {
        assert!(is_same("{\"columns\": [], \"rows\": []}", "").unwrap());
        assert!(is_same("", "").is_err());
    }

    #[test]
    fn perfetto_does_not_double_quotes() {
        let row = r#"["{\"k\":[1,\"v\"]}", 0.5], [null, 2]"#;
        let expected = "  \"a\",\"b\"\n  \"{\"k\":[1,\"v\"]}\",0.500000\n  \"[NULL]\",2\n";
        assert!(same(row, expected));
        assert!(!same(row, &expected.replace("[1,", "[2,")));
    }
}
