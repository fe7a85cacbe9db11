//! What can stop a build.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why nothing, or not all, was written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A file or folder that cannot be read or written.
    #[error("cannot {what} {path}: {source}", path = path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// An archive that cannot be read or written.
    #[error("cannot {what} the archive {place}: {source}")]
    Zip {
        /// What was tried.
        what: &'static str,
        /// The archive, with the archive that it is in.
        place: String,
        /// Why not.
        source: zip::result::ZipError,
    },
    /// An input that is neither folder, archive nor class file.
    #[error("{path} is no folder, jar, aar, zip or class file", path = .0.display())]
    Kind(PathBuf),
    /// Two inputs that would be written to the same place.
    #[error("two inputs would be written to {path}; weave them into two folders", path = .0.display())]
    Collision(PathBuf),
    /// The output is an input, or lies in one.
    #[error("the output {path} is or lies in an input; name another place", path = .0.display())]
    OntoInput(PathBuf),
    /// An archive that unpacks to more than anybody's program.
    #[error("{place} unpacks to more than {limit} bytes")]
    TooBig {
        /// The archive.
        place: String,
        /// The limit for all inputs together.
        limit: u64,
    },
    /// More methods than ids.
    #[error("there are more methods than ids")]
    NoIds,
    /// Threads that could not be started.
    #[error("cannot start threads: {0}")]
    Threads(String),
}

impl BuildError {
    pub(super) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { what, path, source }
    }

    pub(super) fn zip(
        what: &'static str,
        place: &str,
    ) -> impl FnOnce(zip::result::ZipError) -> Self {
        let place = place.to_owned();
        move |source| Self::Zip {
            what,
            place,
            source,
        }
    }
}
