//! docs/conformance.md.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::judge::Verdict;
use super::reasons::{Kind, Reason, Reasons};
use super::suite::Case;

const INTRODUCTION: &str = "\
# Conformance with Perfetto

Perfetto tests its trace processor with questions in SQL. `cargo xtask conformance` asks traceloom the same questions and
compares the answers. That task writes this page. The cases are Perfetto's
(google/perfetto, `test/trace_processor/diff_tests`) and are not part of this repository.

Cases whose trace does not open stand in the last column. [formats/perfetto.md](formats/perfetto.md) says what is read of
Perfetto's traces.
";

/// The number of cases per verdict.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
struct Counts {
    passed: usize,
    purpose: usize,
    yet: usize,
    not_read: usize,
}

impl Counts {
    fn all(self) -> usize {
        self.passed + self.purpose + self.yet + self.not_read
    }
}

/// The results of all cases.
pub struct Page<'a> {
    by_suite: BTreeMap<&'a str, Counts>,
    total: Counts,
    /// The cases that differ, with the reason.
    differ: Vec<(&'a Case, Option<&'a Reason>)>,
    unused: Vec<&'a Reason>,
}

impl<'a> Page<'a> {
    pub fn new(cases: &'a [Case], verdicts: &[Verdict], reasons: &'a Reasons) -> Self {
        let mut page = Self {
            by_suite: BTreeMap::new(),
            total: Counts::default(),
            differ: Vec::new(),
            unused: Vec::new(),
        };
        for (case, verdict) in cases.iter().zip(verdicts) {
            page.count(case, *verdict, reasons);
        }
        let differ: Vec<&Case> = page.differ.iter().map(|(case, _)| *case).collect();
        page.unused = reasons.unused(&differ);
        page
    }

    fn count(&mut self, case: &'a Case, verdict: Verdict, reasons: &'a Reasons) {
        let counts = self.by_suite.entry(&case.suite).or_default();
        let reason = reasons.of(case);
        let is_purpose = reason.is_some_and(|reason| reason.kind == Kind::Purpose);
        if verdict == Verdict::Differs {
            self.differ.push((case, reason));
        }
        for counts in [counts, &mut self.total] {
            *match verdict {
                Verdict::Passed => &mut counts.passed,
                Verdict::Differs if is_purpose => &mut counts.purpose,
                Verdict::Differs => &mut counts.yet,
                Verdict::NotRead => &mut counts.not_read,
            } += 1;
        }
    }

    /// The totals, and what is wrong with the table of reasons.
    pub fn summary(&self) -> String {
        let Counts {
            passed,
            purpose,
            yet,
            not_read,
        } = self.total;
        let mut text = format!(
            "{passed} passed, {purpose} differ on purpose, {yet} not yet, {not_read} with a trace that is not read"
        );
        let unknown = self.differ.iter().filter(|(_, reason)| reason.is_none());
        for (case, _) in unknown {
            text += &format!("\nno reason: {} ({})", case.name, case.suite);
        }
        for reason in &self.unused {
            text += &format!("\nreason of no case: {}", reason.cases);
        }
        text
    }

    /// The page, without the section about modules.
    pub fn text(&self) -> String {
        let mut text = INTRODUCTION.to_owned();
        // Writing to a String cannot fail.
        let _ = self.counts(&mut text);
        self.reasons(&mut text, "Different on purpose", |reason| {
            reason.is_some_and(|reason| reason.kind == Kind::Purpose)
        });
        self.reasons(&mut text, "Not yet", |reason| {
            reason.is_none_or(|reason| reason.kind == Kind::Yet)
        });
        text
    }

    fn counts(&self, text: &mut String) -> std::fmt::Result {
        text.push_str(
            "\n| suite | cases | passed | different on purpose | not yet | trace format not read yet |\n|---|--:|--:|--:|--:|--:|\n",
        );
        let total = ("**all**", self.total);
        let suites = self
            .by_suite
            .iter()
            .map(|(suite, counts)| (*suite, *counts));
        for (suite, counts) in suites.chain([total]) {
            let Counts {
                passed,
                purpose,
                yet,
                not_read,
            } = counts;
            writeln!(
                text,
                "| {suite} | {} | {} | {} | {} | {} |",
                counts.all(),
                shown(passed),
                shown(purpose),
                shown(yet),
                shown(not_read)
            )?;
        }
        text.push('\n');
        Ok(())
    }

    /// A table of the cases whose reason is `wanted`, a row for each reason.
    fn reasons(&self, text: &mut String, title: &str, wanted: impl Fn(Option<&Reason>) -> bool) {
        let mut rows: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (case, reason) in &self.differ {
            if wanted(*reason) {
                let reason = reason.map_or("not examined yet", |reason| reason.text);
                rows.entry(reason)
                    .or_default()
                    .push(format!("`{}`", case.name));
            }
        }
        if rows.is_empty() {
            return;
        }
        *text += &format!("## {title}\n\n| reason | cases |\n|---|---|\n");
        for (reason, cases) in rows {
            *text += &format!("| {reason} | {} |\n", cases.join(", "));
        }
        text.push('\n');
    }
}

/// A count; a dash for none.
fn shown(count: usize) -> String {
    match count {
        0 => "–".to_owned(),
        count => count.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(suite: &str, name: &str) -> Case {
        Case {
            name: name.to_owned(),
            suite: suite.to_owned(),
            trace: "t".into(),
            query: "q".into(),
            expected: "e".into(),
        }
    }

    #[test]
    fn the_page_counts_by_suite_and_groups_by_reason() {
        let cases = [
            case("json", "J:one"),
            case("json", "J:two"),
            case("json", "K:three"),
            case("tables", "T:four"),
            case("tables", "T:five"),
        ];
        let verdicts = [
            Verdict::Passed,
            Verdict::Differs,
            Verdict::Differs,
            Verdict::NotRead,
            Verdict::Differs,
        ];
        let reasons = Reasons::parse(
            "# comment\npurpose\tJ:*\tkept\nyet\ttables\tno table x\nyet\tgone\tolder\n",
        );
        let page = Page::new(&cases, &verdicts, &reasons);
        let text = page.text();
        let after = text.split("|--:|\n").nth(1).unwrap();
        let expected = "\
| json | 3 | 1 | 1 | 1 | – |
| tables | 2 | – | – | 1 | 1 |
| **all** | 5 | 1 | 1 | 2 | 1 |

## Different on purpose

| reason | cases |
|---|---|
| kept | `J:two` |

## Not yet

| reason | cases |
|---|---|
| no table x | `T:five` |
| not examined yet | `K:three` |

";
        assert_eq!(after, expected);
        let summary = page.summary();
        assert!(summary.contains("no reason: K:three (json)"), "{summary}");
        assert!(summary.contains("reason of no case: gone"), "{summary}");
    }
}
