//! Errors of a build.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a build failed. Some outputs may have been written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A file or folder cannot be read or written.
    #[error("cannot {what} {path}: {source}", path = path.display())]
    Io {
        /// The attempted operation.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// An archive cannot be read or written.
    #[error("cannot {what} the archive {place}: {source}")]
    Zip {
        /// The attempted operation.
        what: &'static str,
        /// The archive, including the archive that contains it.
        place: String,
        /// The cause.
        source: zip::result::ZipError,
    },
    /// An input is neither a folder, an archive nor a class file.
    #[error("{path} is not a folder, jar, aar, zip or class file", path = .0.display())]
    Kind(PathBuf),
    /// Two inputs have the same output path.
    #[error("two inputs would be written to {path}; use separate output folders", path = .0.display())]
    Collision(PathBuf),
    /// The output is an input, or inside one.
    #[error("the output {path} is an input or inside one; choose another path", path = .0.display())]
    OntoInput(PathBuf),
    /// An archive decompresses to more than the limit.
    #[error("{place} decompresses to more than {limit} bytes")]
    TooBig {
        /// The archive.
        place: String,
        /// The limit for all inputs together.
        limit: u64,
    },
    /// Methods were chosen by name, and none of them exists.
    #[error(
        "no method matches what is to be included; check the names, and use dots or slashes between packages"
    )]
    NothingIncluded,
    /// There are more methods than ids.
    #[error("there are more methods than ids")]
    NoIds,
    /// Threads cannot be started.
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
