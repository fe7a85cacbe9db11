//! The corpus of real traces, which is kept next to the repository.

use std::path::{Path, PathBuf};

/// The categories of the corpus that traceloom supports completely.
pub const READ_CATEGORIES: &[&str] = &[
    "traceview-v1",
    "traceview-v2",
    "traceview-v3",
    "systrace-html",
    "ftrace-text",
    "atrace-compressed",
    "ps-dump",
    "chrome-json",
    "trace-cmd-dat",
    "perfetto-proto",
    "perf-data",
    "simpleperf",
    "firefox",
    "cpuprofile",
];

/// The folder of real traces.
#[derive(Clone, Debug)]
pub struct Corpus {
    root: PathBuf,
}

/// A real trace.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CorpusFile {
    /// `category/file`.
    pub name: String,
    /// Path of the file.
    pub path: PathBuf,
}

impl CorpusFile {
    /// Its bytes.
    ///
    /// # Panics
    /// If it cannot be read.
    pub fn read(&self) -> Vec<u8> {
        std::fs::read(&self.path).unwrap_or_else(|error| panic!("{}: {error}", self.path.display()))
    }
}

impl Corpus {
    /// The corpus at `$TRACELOOM_TESTDATA`, else at `../shared/testdata` next to the workspace. `None`, with a message on
    /// stderr, if it does not exist.
    pub fn find() -> Option<Self> {
        let beside = || workspace_root().join("../shared/testdata");
        let root = std::env::var_os("TRACELOOM_TESTDATA").map_or_else(beside, PathBuf::from);
        if root.is_dir() {
            return Some(Self { root });
        }
        eprintln!("skipped: no corpus at {}", root.display());
        None
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The files of `categories`, sorted by name.
    pub fn files(&self, categories: &[&str]) -> Vec<CorpusFile> {
        let mut files: Vec<_> = categories
            .iter()
            .flat_map(|category| self.category(category))
            .collect();
        files.sort();
        files
    }

    fn category(&self, category: &str) -> Vec<CorpusFile> {
        let Ok(entries) = std::fs::read_dir(self.root.join(category)) else {
            return Vec::new();
        };
        let paths = entries.flatten().map(|entry| entry.path());
        let file = |path: PathBuf| CorpusFile {
            name: format!("{category}/{}", path.file_name().unwrap().to_string_lossy()),
            path,
        };
        paths.filter(|path| path.is_file()).map(file).collect()
    }
}

/// The folder that holds the workspace's `Cargo.toml`.
pub fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}
