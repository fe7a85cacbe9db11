//! Rules for the sources that no lint of the compiler checks: widths and capacities do not come from input.
//!
//! A width above 65,535 in a format string panics, and a capacity above the memory aborts. A trace may contain any
//! number and a name of any length.

use std::fs;
use std::path::{Path, PathBuf};

/// A file of a crate, without its tests.
struct Source {
    path: PathBuf,
    code: String,
}

/// The sources of the crates that run on a user's machine.
fn sources() -> Vec<Source> {
    let crates = testkit::workspace_root().join("crates");
    let mut open: Vec<_> = entries(&crates)
        .filter(|path| !path.ends_with("testkit"))
        .map(|path| path.join("src"))
        .collect();
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() && !path.ends_with("tests") {
            open.extend(entries(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") && !holds_tests(&path) {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let code = code.to_owned();
            found.push(Source { path, code });
        }
    }
    assert!(found.len() > 500, "{}", found.len());
    found
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path())
}

fn holds_tests(path: &Path) -> bool {
    let name = path.file_stem().unwrap().to_string_lossy();
    name == "tests" || name.ends_with("_tests") || name.starts_with("test_")
}

/// The lines that `is_wrong` finds, with their places. It gets a line and the comment above it.
fn wrong_lines(is_wrong: impl Fn(&Source, &str, &str) -> bool) -> Vec<String> {
    let mut wrong = Vec::new();
    for source in sources() {
        let mut above = String::new();
        for (number, line) in source.code.lines().enumerate() {
            if line.trim_start().starts_with("//") {
                above.push_str(line);
                continue;
            }
            if is_wrong(&source, line, &above) {
                let place = format!("{}:{}", source.path.display(), number + 1);
                wrong.push(format!("{place}: {}", line.trim()));
            }
            above.clear();
        }
    }
    wrong
}

/// Whether a format string takes its width or precision from a variable. A constant is fine.
fn has_dynamic_width(line: &str) -> bool {
    let pieces = line.split('{').skip(1);
    pieces
        .filter_map(|piece| piece.split_once('}'))
        .any(|(place, _)| {
            let Some((name, spec)) = place.split_once(':') else {
                return false;
            };
            let is_name = |c: char| c.is_alphanumeric() || c == '_';
            let is_place = name.chars().all(is_name)
                && !spec.starts_with(':')
                && !spec.contains(['(', ')', ',', ';']);
            is_place && (spec.contains(".*") || spec.split('$').rev().skip(1).any(is_variable))
        })
}

/// Whether the text before a `$` ends with the name of a variable, or the number of an argument.
fn is_variable(before: &str) -> bool {
    let name = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_');
    let name = name.map(str::to_owned).next().unwrap_or_default();
    let name = name.trim_start_matches('0');
    !name
        .chars()
        .all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
        || name.chars().all(|c| c.is_ascii_digit())
}

#[test]
fn widths_in_format_strings_are_constants() {
    for wrong in [
        "\"{:width$}\"",
        "{x:>1$}",
        "{:.*}",
        "{v:.decimals$}",
        "{a:0long$x}",
    ] {
        assert!(has_dynamic_width(wrong), "{wrong}");
    }
    for right in [
        "{:GAP$}",
        "{x:>8}",
        "{v:.3}",
        "{ $(Self::$kind => $name,)* }",
        "{x:?}",
        "{:>WIDTH$.3}",
    ] {
        assert!(!has_dynamic_width(right), "{right}");
    }
    let wrong = wrong_lines(|_, line, _| has_dynamic_width(line));
    let advice = "use left, right or spaces of traceloom's print, or a constant";
    assert!(wrong.is_empty(), "{advice}:\n{}", wrong.join("\n"));
}

/// The crates that read input.
const READERS: [&str; 6] = [
    "dmtracedump",
    "formats",
    "report",
    "ring",
    "trace",
    "traceloom",
];

/// Expressions that bound a capacity: the length of something in memory, a constant, an explicit
/// limit, or a small number type.
const BOUNDS: [&str; 6] = ["len()", ".min(", ".clamp(", "size_of", "usize::from(", "<<"];

/// Whether a capacity is neither bounded in its own line nor by the reason in the comment above.
fn has_unbounded_capacity(line: &str, above: &str) -> bool {
    let calls = ["with_capacity(", ".reserve(", ".reserve_exact("];
    calls.iter().any(|call| {
        let Some((_, amount)) = line.split_once(call) else {
            return false;
        };
        let amount = amount.split([')', ',']).next().unwrap_or_default();
        let is_constant =
            |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_' || c == ':';
        let is_bounded =
            amount.chars().all(is_constant) || BOUNDS.iter().any(|bound| line.contains(bound));
        !is_bounded && !above.contains("Bounded")
    })
}

#[test]
fn capacities_are_bounded() {
    assert!(has_unbounded_capacity(
        "let a = Vec::with_capacity(count);",
        ""
    ));
    assert!(!has_unbounded_capacity(
        "let a = Vec::with_capacity(count);",
        "// Bounded: each takes a byte."
    ));
    assert!(!has_unbounded_capacity(
        "let a = Vec::with_capacity(CHUNK);",
        ""
    ));
    assert!(!has_unbounded_capacity(
        "let a = Vec::with_capacity(rows.min(bytes));",
        ""
    ));
    let crates = testkit::workspace_root().join("crates");
    let is_reader = |path: &Path| {
        let folder = path.strip_prefix(&crates).unwrap().iter().next();
        folder.is_some_and(|name| READERS.iter().any(|reader| name == *reader))
    };
    let wrong = wrong_lines(|source, line, above| {
        is_reader(&source.path) && has_unbounded_capacity(line, above)
    });
    let advice = "bound the capacity, or say in a comment above what bounds it (\"Bounded: …\")";
    assert!(wrong.is_empty(), "{advice}:\n{}", wrong.join("\n"));
}
