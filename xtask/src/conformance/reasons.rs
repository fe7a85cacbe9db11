//! Why cases do not pass: `reasons.tsv`, a line for a case or a group of cases.

use super::suite::Case;

/// The table. Its columns are the kind of difference (`purpose` or `yet`), the cases, and the reason. The cases are a
/// name or a suite; a `*` at the end stands for any text. The first line that matches a case is used. Lines that begin
/// with `#` are comments.
const TABLE: &str = include_str!("reasons.tsv");

/// The category of a case that does not pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// traceloom's answer differs on purpose.
    Purpose,
    /// It should pass one day.
    Yet,
}

/// A line of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Reason {
    pub kind: Kind,
    pub cases: &'static str,
    pub text: &'static str,
}

/// The table.
pub struct Reasons(Vec<Reason>);

impl Reasons {
    /// The table of the repository.
    pub fn new() -> Self {
        Self::parse(TABLE)
    }

    pub fn parse(table: &'static str) -> Self {
        Self(table.lines().filter_map(line).collect())
    }

    /// The reason why a case does not pass, if the table has it.
    pub fn of(&self, case: &Case) -> Option<&Reason> {
        let fits = |reason: &&Reason| {
            [&case.name, &case.suite]
                .iter()
                .any(|name| is_match(reason.cases, name))
        };
        self.0.iter().find(fits)
    }

    /// The lines that match none of these cases.
    pub fn unused<'a>(&'a self, cases: &[&Case]) -> Vec<&'a Reason> {
        let used: Vec<_> = cases.iter().filter_map(|case| self.of(case)).collect();
        self.0
            .iter()
            .filter(|reason| !used.contains(reason))
            .collect()
    }
}

fn line(line: &'static str) -> Option<Reason> {
    let mut fields = line.split('\t');
    let kind = match fields.next()? {
        "purpose" => Kind::Purpose,
        "yet" => Kind::Yet,
        _ => return None,
    };
    let (cases, text) = (fields.next()?, fields.next()?);
    Some(Reason { kind, cases, text })
}

fn is_match(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_complete() {
        let lines = TABLE
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty());
        let reasons = Reasons::new().0;
        assert_eq!(reasons.len(), lines.count());
        let on_purpose = reasons.iter().filter(|reason| reason.kind == Kind::Purpose);
        assert!(
            on_purpose.count() <= 10,
            "differences on purpose are exceptions"
        );
    }
}
