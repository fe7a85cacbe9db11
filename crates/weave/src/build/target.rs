//! Choosing the output path of each input.

use std::path::{Path, PathBuf};

use super::error::BuildError;
use super::source::{Content, Source, is_archive};

/// Where the inputs are written.
pub(super) enum Target {
    /// A path for each input.
    Each(Vec<PathBuf>),
    /// One archive for all.
    One(PathBuf),
}

impl Target {
    /// An output with the extension of an archive is an archive, unless a folder with that name exists. A single input
    /// folder is written to the output itself. Otherwise the output is a folder in which each input keeps its name.
    pub fn choose(sources: &[Source], output: &Path) -> Result<Self, BuildError> {
        if is_archive(output) && !output.is_dir() {
            return Ok(match sources {
                [
                    Source {
                        content: Content::Archive(_),
                        ..
                    },
                ] => Self::Each(vec![output.to_owned()]),
                _ => Self::One(output.to_owned()),
            });
        }
        if let [
            Source {
                content: Content::Folder(_),
                ..
            },
        ] = sources
        {
            return Ok(Self::Each(vec![output.to_owned()]));
        }
        let mut places: Vec<PathBuf> = Vec::new();
        for source in sources {
            let path =
                std::path::absolute(&source.path).map_err(BuildError::io("find", &source.path))?;
            let place = output.join(path.file_name().unwrap_or_default());
            if places.contains(&place) {
                return Err(BuildError::Collision(place));
            }
            places.push(place);
        }
        Ok(Self::Each(places))
    }

    /// Fails if an output is an input or inside one.
    pub fn check(&self, sources: &[Source]) -> Result<(), BuildError> {
        let places = match self {
            Self::Each(places) => &places[..],
            Self::One(place) => std::slice::from_ref(place),
        };
        for place in places {
            let real = real(place);
            let is_input = |source: &Source| real.starts_with(self::real(&source.path));
            if sources.iter().any(is_input) {
                return Err(BuildError::OntoInput(place.clone()));
            }
        }
        Ok(())
    }
}

/// The path with links resolved, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let mut behind = PathBuf::new();
    let mut front = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    loop {
        if let Ok(real) = front.canonicalize() {
            return if behind.as_os_str().is_empty() {
                real
            } else {
                real.join(behind)
            };
        }
        let Some(name) = front.file_name().map(ToOwned::to_owned) else {
            return path.to_owned();
        };
        behind = if behind.as_os_str().is_empty() {
            PathBuf::from(name)
        } else {
            Path::new(&name).join(behind)
        };
        front.pop();
    }
}
