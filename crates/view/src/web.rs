//! The files of the page, from `web/`. They are embedded in the program, or read from a folder
//! during development of the page.

use std::fs;
use std::path::PathBuf;

// `FILES`: the path below `web/` and the content of each file, sorted by path.
include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The source of the page's files.
#[derive(Clone, Debug, Default)]
pub(crate) enum Web {
    /// The program itself.
    #[default]
    Embedded,
    /// A folder, which is read again for each page.
    Folder(PathBuf),
}

impl Web {
    /// The folder in `TRACELOOM_WEB` if it is set. Only in debug builds.
    pub fn from_environment() -> Self {
        match std::env::var_os("TRACELOOM_WEB") {
            Some(folder) if cfg!(debug_assertions) => Self::Folder(folder.into()),
            _ => Self::Embedded,
        }
    }

    /// A file by its path below `web/`.
    pub fn file(&self, path: &str) -> Option<String> {
        match self {
            Self::Embedded => {
                let at = FILES.binary_search_by(|(name, _)| (*name).cmp(path)).ok()?;
                Some(FILES[at].1.to_owned())
            }
            Self::Folder(folder) => fs::read_to_string(folder.join(path)).ok(),
        }
    }

    /// The paths of the style sheets in folders, sorted.
    pub fn folder_styles(&self) -> impl Iterator<Item = &'static str> {
        let paths = FILES.iter().map(|(path, _)| *path);
        paths.filter(|path| path.ends_with(".css") && path.contains('/'))
    }
}
