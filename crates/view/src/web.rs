//! The files of the page, from `web/`. They are embedded in the program, or read from a folder
//! during development of the page.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::sync::OnceLock;

use flate2::read::GzDecoder;

// `FILES`: the path of each file below `web/`, sorted, and its range in the text of all files.
include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The text of all files. It is 400 KB, compressed to keep the program small.
fn page() -> &'static str {
    static PAGE: OnceLock<String> = OnceLock::new();
    PAGE.get_or_init(|| {
        let gzip: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page.gz"));
        let mut text = String::new();
        match GzDecoder::new(gzip).read_to_string(&mut text) {
            Ok(_) => text,
            Err(_) => String::new(),
        }
    })
}

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
                page().get(FILES[at].1.clone()).map(str::to_owned)
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
