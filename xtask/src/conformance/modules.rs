//! Which modules of Perfetto's standard library load, and the first error of those that do not.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::child::{Printed, run};
use super::parallel::parallel;

/// The section of the page.
const HEADING: &str = "## Modules of the standard library\n";

/// The modules, in the order of their names, with the error of those that do not load.
pub struct Library(Vec<(String, Option<String>)>);

impl Library {
    /// Includes each module of a folder by itself, in a trace without rows.
    pub fn load(binary: &Path, folder: &Path) -> Result<Self> {
        let mut names = Vec::new();
        collect(folder, "", &mut names).with_context(|| folder.display().to_string())?;
        // These modules are always loaded and are not included.
        names.retain(|name| !name.starts_with("prelude."));
        ensure!(!names.is_empty(), "{} has no module", folder.display());
        names.sort();
        let empty = tempfile::NamedTempFile::new()?;
        let error = |name: &String| include(binary, empty.path(), folder, name);
        let errors = parallel(&names, error)?;
        Ok(Self(names.into_iter().zip(errors).collect()))
    }

    /// The section of the page: the errors, most affected modules first.
    pub fn section(&self) -> String {
        let mut failing: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (name, error) in &self.0 {
            if let Some(error) = error {
                failing.entry(error).or_default().push(format!("`{name}`"));
            }
        }
        let loaded = self.0.iter().filter(|(_, error)| error.is_none()).count();
        let mut text = format!(
            "{HEADING}\n{loaded} of Perfetto's own {} modules load with `--sql-modules`. traceloom has modules of its own with\n\
             the same names ([sql.md](sql.md#modules)).\n",
            self.0.len()
        );
        let mut failing: Vec<_> = failing.into_iter().collect();
        failing.sort_by_key(|(_, names)| Reverse(names.len()));
        if !failing.is_empty() {
            text += "\n| first error | modules |\n|---|---|\n";
        }
        for (error, names) in failing {
            text += &format!("| {} | {} |\n", error.replace('|', "\\|"), names.join(", "));
        }
        text
    }
}

/// The section of a page that was written before.
pub fn section_of(page: &str) -> &str {
    page.find(HEADING).map_or("", |start| &page[start..])
}

/// Adds the names of the modules in a folder and its subfolders.
fn collect(folder: &Path, prefix: &str, names: &mut Vec<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{prefix}{name}."), names)?;
        } else if let Some(name) = name.strip_suffix(".sql") {
            names.push(format!("{prefix}{name}"));
        }
    }
    Ok(())
}

/// Includes a module. Returns the error if it does not load.
fn include(binary: &Path, trace: &Path, folder: &Path, name: &str) -> Result<Option<String>> {
    let mut command = Command::new(binary);
    command.arg("query").arg(trace).arg("--sql-modules");
    command.arg(folder);
    command.arg(format!("INCLUDE PERFETTO MODULE {name}; SELECT 1"));
    let printed = run(command)?;
    Ok((printed.code() != Some(0)).then(|| message(&printed)))
}

/// The error without its position, which is in a file that is not in this repository.
fn message(printed: &Printed) -> String {
    if printed.status.is_none() {
        return "takes too long".to_owned();
    }
    let mut lines = printed.errors.lines();
    let error = lines.find_map(|line| line.split_once(" of SQL: "));
    error
        .map_or("fails without a place", |(_, what)| what)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    #[test]
    fn an_error_has_no_place() {
        let printed = Printed {
            status: Some(ExitStatus::from_raw(2 << 8)),
            out: String::new(),
            errors: "traceloom: t: the file is empty\n\
                     traceloom: line 36, column 1 of /std/a/b.sql, included at line 17, column 1 of /std/c.sql, \
                     included at line 1, column 1 of SQL: no such table: x"
                .to_owned(),
        };
        assert_eq!(message(&printed), "no such table: x");
    }

    #[test]
    fn the_section_lists_the_modules_that_fail() {
        let library = Library(vec![
            ("a.b".to_owned(), None),
            ("c".to_owned(), Some("another".to_owned())),
            ("d".to_owned(), Some("no such table: x | y".to_owned())),
            ("e".to_owned(), Some("no such table: x | y".to_owned())),
        ]);
        let section = library.section();
        assert!(
            section.contains("1 of Perfetto's own 4 modules load"),
            "{section}"
        );
        let rows = "|---|---|\n| no such table: x \\| y | `d`, `e` |\n| another | `c` |\n";
        assert!(section.ends_with(rows), "{section}");
        let page = format!("# Page\n\n{section}");
        assert_eq!(section_of(&page), section);
    }
}
