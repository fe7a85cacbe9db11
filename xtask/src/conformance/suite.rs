//! The cases: `INDEX.tsv`, the traces and the expected answers in one folder, the queries in another.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

/// A trace, a query, and Perfetto's answer.
#[derive(Debug, Clone)]
pub struct Case {
    /// `Class:test`.
    pub name: String,
    /// The folder of Perfetto's tests that it is from.
    pub suite: String,
    pub trace: PathBuf,
    pub query: PathBuf,
    /// The file with the expected answer: CSV. If it ends in `.error`, an error is expected instead.
    pub expected: PathBuf,
}

impl Case {
    /// Whether the trace or the query must be refused.
    pub fn is_refused(&self) -> bool {
        self.expected.extension().is_some_and(|end| end == "error")
    }
}

/// All cases.
pub struct Suite {
    pub cases: Vec<Case>,
}

impl Suite {
    /// Reads the index. Fails if a query is missing, because the counts would be wrong without it.
    pub fn open(folder: &Path, queries: &Path) -> Result<Self> {
        let path = folder.join("INDEX.tsv");
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let cases: Result<Vec<Case>> = rows(&text, |row| case(row, folder, queries)).collect();
        let cases = cases?;
        ensure!(!cases.is_empty(), "{} has no case", path.display());
        if let Some(case) = cases.iter().find(|case| !case.query.is_file()) {
            bail!(
                "{} has no query of {}; the suite's queries.py writes all of them",
                queries.display(),
                case.name
            );
        }
        Ok(Self { cases })
    }
}

/// Calls `read` for each row with a function that returns the value of a column by its name in the first line. Returns
/// the results.
fn rows<'t, R>(
    text: &'t str,
    read: impl Fn(&dyn Fn(&str) -> Option<&'t str>) -> R,
) -> impl Iterator<Item = R> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    lines.map(move |line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let place = |name: &str| names.iter().position(|known| *known == name);
        read(&|name| fields.get(place(name)?).copied())
    })
}

fn case<'t>(row: &dyn Fn(&str) -> Option<&'t str>, folder: &Path, queries: &Path) -> Result<Case> {
    let field = |name: &str| row(name).with_context(|| format!("the index has no {name}"));
    Ok(Case {
        name: field("name")?.to_owned(),
        suite: field("suite")?.to_owned(),
        trace: folder.join("traces").join(field("trace")?),
        query: queries.join(field("query")?),
        expected: folder.join("expected").join(field("expected")?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let text =
            "suite\tname\ttrace\tquery\texpected\ntables\tT:one\tab\tT_one.sql\tT_one.error\n";
        let mut cases = rows(text, |row| case(row, Path::new("s"), Path::new("q")));
        let case = cases.next().unwrap().unwrap();
        assert_eq!(
            (case.name.as_str(), case.suite.as_str()),
            ("T:one", "tables")
        );
        assert_eq!(case.trace, Path::new("s/traces/ab"));
        assert_eq!(case.query, Path::new("q/T_one.sql"));
        assert!(case.is_refused());
        assert!(cases.next().is_none());
    }
}
