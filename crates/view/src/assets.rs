//! The style sheets and the document of the page, which are part of the program; a folder that is
//! read instead has its modules too.

use std::path::{Path, PathBuf};

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Where the page's files come from.
#[derive(Clone, Debug, Default)]
pub(crate) enum Web {
    /// The program itself.
    #[default]
    Inside,
    /// A folder, read again for every page: for those who work on the page.
    Folder(PathBuf),
}

impl Web {
    /// The folder that `TRACELOOM_WEB` names, in debug builds only.
    pub fn from_environment() -> Self {
        match std::env::var_os("TRACELOOM_WEB") {
            Some(folder) if cfg!(debug_assertions) => Self::Folder(folder.into()),
            _ => Self::Inside,
        }
    }

    /// A file by its path below `web/`.
    pub fn file(&self, path: &str) -> Option<String> {
        match self {
            Self::Inside => {
                let found = ASSETS
                    .binary_search_by(|(name, _)| (*name).cmp(path))
                    .ok()?;
                Some(ASSETS[found].1.to_owned())
            }
            Self::Folder(folder) => std::fs::read_to_string(folder.join(Path::new(path))).ok(),
        }
    }

    /// The rooms' style sheets, in order of their paths.
    pub fn styles(&self) -> Vec<String> {
        let styles = ASSETS.iter().map(|(name, _)| *name);
        let rooms = styles.filter(|name| name.ends_with(".css") && name.contains('/'));
        rooms.map(str::to_owned).collect()
    }
}
