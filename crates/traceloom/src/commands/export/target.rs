//! The kind of output, chosen by its name.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Result, bail};
use traceloom_query::table_names;

/// The kind of output.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A file of SQLite.
    Sqlite,
    /// One table as an Arrow file.
    Arrow(&'static str),
    /// A folder with an Arrow file for each of these tables. If the list is empty, it has all exported tables.
    Folder(Vec<&'static str>),
}

impl Target {
    /// The kind of output for a name and the chosen tables.
    ///
    /// # Errors
    /// If a table does not exist, or the output's name has an ending that means another format.
    pub fn of(path: &Path, tables: &[String]) -> Result<Self> {
        let chosen: Vec<&str> = tables
            .iter()
            .map(|name| known(name))
            .collect::<Result<_>>()?;
        let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        let is_folder = path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
        match (ending.to_ascii_lowercase().as_str(), chosen.as_slice()) {
            _ if is_folder => Ok(Self::Folder(chosen)),
            ("sqlite" | "sqlite3" | "db", []) => Ok(Self::Sqlite),
            ("sqlite" | "sqlite3" | "db", _) => {
                bail!("a file of SQLite has all tables; --table is for Arrow files")
            }
            ("arrow", [table]) => Ok(Self::Arrow(table)),
            ("arrow", _) => {
                bail!(
                    "an Arrow file has one table; name it with --table, or write all into a folder: -o DIR/"
                )
            }
            ("", _) if path.as_os_str() != "-" => Ok(Self::Folder(chosen)),
            _ => bail!(
                "the ending of {} names no format; write x.sqlite, x.arrow, or a folder: -o DIR/",
                path.display()
            ),
        }
    }
}

fn known(name: &str) -> Result<&'static str> {
    match table_names().into_iter().find(|known| *known == name) {
        Some(known) => Ok(known),
        None => bail!("there is no table {name}; docs/sql.md lists the tables"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(path: &str, tables: &[&str]) -> Option<Target> {
        let tables: Vec<String> = tables.iter().map(|&name| name.to_owned()).collect();
        Target::of(Path::new(path), &tables).ok()
    }

    #[test]
    fn the_name_of_the_output_decides() {
        assert_eq!(target("a.sqlite", &[]), Some(Target::Sqlite));
        assert_eq!(target("a.DB", &[]), Some(Target::Sqlite));
        assert_eq!(target("a.sqlite", &["slice"]), None);
        assert_eq!(target("a.arrow", &["slice"]), Some(Target::Arrow("slice")));
        let objects = target("a.arrow", &["heap_graph_object"]);
        assert_eq!(objects, Some(Target::Arrow("heap_graph_object")));
        assert_eq!(target("a.arrow", &[]), None);
        assert_eq!(target("a.arrow", &["slice", "thread"]), None);
        assert_eq!(target("a.arrow", &["no_table"]), None);
        assert_eq!(target("a.parquet", &[]), None);
        assert_eq!(target("-", &[]), None);
        let two = Some(Target::Folder(vec!["slice", "thread"]));
        assert_eq!(target("new", &["slice", "thread"]), two);
        assert_eq!(target("new.d/", &[]), Some(Target::Folder(Vec::new())));
    }
}
