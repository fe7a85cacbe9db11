//! Columns with values from a file's path, by a pattern such as `{release}/{device}/*.trace`.

use std::path::Path;

use anyhow::{Result, bail};

/// A pattern for the last folders of a path and its file name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PathPattern {
    /// A list of pieces for each folder and for the file name, from left to right.
    parts: Vec<Vec<Piece>>,
}

/// A piece of a folder's or a file's name.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Piece {
    /// Exactly this text.
    Text(String),
    /// Any text.
    Any,
    /// Any text, which is the value of a column.
    Column(String),
}

impl PathPattern {
    /// Parses a pattern: `{name}` stands for a column's value, `*` for any text within a name.
    ///
    /// # Errors
    /// If a brace is not closed, a column has no name or occurs twice, or two values touch.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parts: Result<Vec<_>, _> = text.trim_matches('/').split('/').map(pieces).collect();
        let pattern = Self { parts: parts? };
        let mut names: Vec<&str> = pattern.columns().collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("{{{}}} occurs twice in {text}", twice[0]));
        }
        Ok(pattern)
    }

    /// The names of the columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().flatten().filter_map(|piece| match piece {
            Piece::Column(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// The values of the columns for a path, in the order of [`columns`](Self::columns).
    ///
    /// # Errors
    /// If the path does not have the pattern's form.
    pub fn values(&self, path: &Path) -> Result<Vec<String>> {
        let shown = path.display().to_string();
        let names: Vec<&str> = shown.split('/').filter(|name| !name.is_empty()).collect();
        let mut values = Vec::new();
        let start = names.len().checked_sub(self.parts.len());
        let is_match = start.is_some_and(|start| {
            let mut pairs = self.parts.iter().zip(&names[start..]);
            pairs.all(|(pieces, name)| matches(pieces, name, &mut values))
        });
        if !is_match {
            bail!("the path does not have the form that --pattern gives");
        }
        Ok(values)
    }
}

/// Splits a name of the pattern into its pieces.
fn pieces(name: &str) -> Result<Vec<Piece>, String> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let (piece, after) = match first {
            '*' => (Piece::Any, &rest[1..]),
            '{' => column(rest)?,
            _ => {
                let end = rest.find(['*', '{']).unwrap_or(rest.len());
                (Piece::Text(rest[..end].to_owned()), &rest[end..])
            }
        };
        let is_open = |piece: &Piece| !matches!(piece, Piece::Text(_));
        if is_open(&piece) && pieces.last().is_some_and(is_open) {
            return Err(format!("{name} needs a text between two values"));
        }
        pieces.push(piece);
        rest = after;
    }
    Ok(pieces)
}

/// Reads `{name}` and returns what follows it.
fn column(text: &str) -> Result<(Piece, &str), String> {
    match text[1..].split_once('}') {
        Some((name, after)) if !name.is_empty() => Ok((Piece::Column(name.to_owned()), after)),
        Some(_) => Err("{} has no name; write for example {device}".to_owned()),
        None => Err(format!("{text} has no }}")),
    }
}

/// Whether a name has this form. Each value is as short as possible. Adds the values of the columns.
fn matches(pieces: &[Piece], name: &str, values: &mut Vec<String>) -> bool {
    let Some((piece, later)) = pieces.split_first() else {
        return name.is_empty();
    };
    if let Piece::Text(text) = piece {
        let rest = name.strip_prefix(text.as_str());
        return rest.is_some_and(|rest| matches(later, rest, values));
    }
    // A value ends where the text after it begins. If that text is the last piece, the name must end with it.
    let end = match later {
        [] => Some(name.len()),
        [Piece::Text(text)] => name.strip_suffix(text.as_str()).map(str::len),
        [Piece::Text(text), ..] => name.find(text.as_str()),
        _ => None,
    };
    let Some(end) = end else {
        return false;
    };
    if matches!(piece, Piece::Column(_)) {
        values.push(name[..end].to_owned());
    }
    matches(later, &name[end..], values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pattern: &str, path: &str) -> Option<Vec<String>> {
        let pattern = PathPattern::parse(pattern).unwrap();
        pattern.values(Path::new(path)).ok()
    }

    #[test]
    fn values_are_parts_of_the_path() {
        let found = values("{release}/{device}/*.trace", "/runs/1.4/pixel8/a.trace");
        assert_eq!(found, Some(vec!["1.4".to_owned(), "pixel8".to_owned()]));
        let found = values("{app}-{run}.trace", "x/com.a.b-7-2.trace");
        assert_eq!(found, Some(vec!["com.a.b".to_owned(), "7-2".to_owned()]));
        assert_eq!(values("run*", "run12"), Some(vec![]));
        assert_eq!(
            values("{a}.{b}.gz", "x.y.gz.gz"),
            Some(vec!["x".into(), "y.gz".into()])
        );
        assert_eq!(values("{a}/x", "x"), None);
        assert_eq!(values("{a}.trace", "x.html"), None);
    }

    #[test]
    fn wrong_patterns_are_refused() {
        for wrong in ["{a", "{}", "{a}{b}", "*{a}", "{a}/{a}"] {
            assert!(PathPattern::parse(wrong).is_err(), "{wrong}");
        }
    }
}
