//! Tables for people, on the screen and in docs/performance.md.

use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result};

const BEGIN: &str = "<!-- made by `cargo xtask bench --write` -->\n";
const END: &str = "<!-- end of what the bench made -->\n";

/// What was measured so far, as Markdown.
pub struct Report {
    text: String,
}

impl Report {
    /// An empty report.
    pub fn new() -> Self {
        Self {
            text: String::new(),
        }
    }

    /// The machine that the figures hold for.
    pub fn machine(&mut self) {
        let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            let line = cpus.lines().find(|line| line.starts_with(name));
            line.and_then(|line| line.split(": ").nth(1)).unwrap_or("?")
        };
        let model = field("model name").to_owned();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.line(&format!("Machine: {model}, {cores} logical CPUs."));
    }

    /// A heading and the head of a table.
    pub fn table(&mut self, title: &str, columns: &[&str]) {
        self.line(&format!("\n### {title}\n"));
        self.row(columns);
        self.line(&format!("|{}", "---|".repeat(columns.len())));
    }

    /// A row of a table.
    pub fn row(&mut self, cells: &[impl AsRef<str>]) {
        let cells: Vec<_> = cells.iter().map(AsRef::as_ref).collect();
        self.line(&format!("| {} |", cells.join(" | ")));
    }

    /// A line that is no table.
    pub fn line(&mut self, line: &str) {
        println!("{line}");
        writeln!(self.text, "{line}").expect("a string takes everything");
    }

    /// Puts the tables between the marks in docs/performance.md.
    pub fn write(&self) -> Result<()> {
        let path = testkit::workspace_root().join("docs/performance.md");
        let old = fs::read_to_string(&path)?;
        let (before, rest) = old.split_once(BEGIN).context("the first mark is missing")?;
        let (_, after) = rest.split_once(END).context("the last mark is missing")?;
        fs::write(
            path,
            format!("{before}{BEGIN}\n{}\n{END}{after}", self.text),
        )?;
        Ok(())
    }
}
