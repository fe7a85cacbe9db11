//! Reading inputs: folders, archives and class files, and all classes in them.

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use zip::ZipArchive;
use zip::write::SimpleFileOptions;

use super::error::BuildError;

/// Maximum decompressed size of all inputs together, bytes.
const MAX_UNPACKED: u64 = 8 << 30;

/// Maximum nesting of archives: an aar contains jars.
const MAX_DEPTH: usize = 3;

/// A class file of an input.
#[derive(Debug)]
pub(super) struct ClassFileUnit {
    pub bytes: Vec<u8>,
    /// Path for messages: `app.aar!classes.jar!com/example/Feed.class`.
    pub place: String,
    /// Options of its archive entry, if it is in an archive: time and compression.
    pub options: Option<SimpleFileOptions>,
}

impl ClassFileUnit {
    /// Hashes the class and its archive options.
    pub fn hash_into(&self, hash: &mut Sha256) {
        hash.update(format!("{:?}", self.options));
        hash.update(&self.bytes);
    }
}

/// An input.
#[derive(Debug)]
pub(super) struct Source {
    pub path: PathBuf,
    pub content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    /// A single class file, by number.
    Class(usize),
    /// A folder: the paths in it, sorted.
    Folder(Vec<(PathBuf, Item)>),
    Archive(Archive),
}

/// A file in a folder or an archive.
#[derive(Debug)]
pub(super) enum Item {
    /// Copied unchanged.
    Other,
    /// Part of a signature, which is invalid once a class changes.
    Signature,
    /// A class, by number.
    Class(usize),
    /// A nested archive.
    Archive(Box<Archive>),
}

/// A jar, aar or zip.
#[derive(Debug)]
pub(super) struct Archive {
    pub bytes: Vec<u8>,
    pub place: String,
    /// One per entry.
    pub items: Vec<Item>,
}

impl Archive {
    pub fn open(&self) -> Result<ZipArchive<Cursor<&[u8]>>, BuildError> {
        ZipArchive::new(Cursor::new(&self.bytes[..])).map_err(BuildError::zip("read", &self.place))
    }
}

/// Reads all inputs.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    pub classes: Vec<ClassFileUnit>,
    unpacked: u64,
}

impl Inputs {
    /// Reads one input and appends its classes.
    pub fn read(&mut self, path: &Path) -> Result<Source, BuildError> {
        let facts = std::fs::metadata(path).map_err(BuildError::io("open", path))?;
        let place = path.display().to_string();
        let content = if facts.is_dir() {
            Content::Folder(self.folder(path)?)
        } else {
            match kind(path) {
                Kind::Class => Content::Class(self.class(read(path)?, place, None)),
                Kind::Archive => Content::Archive(self.archive(read(path)?, place, 0)?),
                Kind::Other => return Err(BuildError::Kind(path.to_owned())),
            }
        };
        Ok(Source {
            path: path.to_owned(),
            content,
        })
    }

    fn class(
        &mut self,
        bytes: Vec<u8>,
        place: String,
        options: Option<SimpleFileOptions>,
    ) -> usize {
        self.classes.push(ClassFileUnit {
            bytes,
            place,
            options,
        });
        self.classes.len() - 1
    }

    fn folder(&mut self, root: &Path) -> Result<Vec<(PathBuf, Item)>, BuildError> {
        let mut items = Vec::new();
        for inside in files(root)? {
            let path = root.join(&inside);
            let place = path.display().to_string();
            let item = match kind(&inside) {
                Kind::Class => Item::Class(self.class(read(&path)?, place, None)),
                Kind::Archive => Item::Archive(Box::new(self.archive(read(&path)?, place, 0)?)),
                Kind::Other => Item::Other,
            };
            items.push((inside, item));
        }
        Ok(items)
    }

    fn archive(
        &mut self,
        bytes: Vec<u8>,
        place: String,
        depth: usize,
    ) -> Result<Archive, BuildError> {
        let mut archive = Archive {
            bytes,
            place,
            items: Vec::new(),
        };
        let mut zip = archive.open()?;
        let mut items = Vec::with_capacity(zip.len());
        for number in 0..zip.len() {
            items.push(self.entry(&mut zip, number, &archive.place, depth)?);
        }
        drop(zip);
        archive.items = items;
        Ok(archive)
    }

    fn entry(
        &mut self,
        zip: &mut ZipArchive<Cursor<&[u8]>>,
        number: usize,
        archive: &str,
        depth: usize,
    ) -> Result<Item, BuildError> {
        let cannot = |error| BuildError::zip("read", archive)(error);
        let entry = zip.by_index_raw(number).map_err(cannot)?;
        let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
        let is_locked = entry.encrypted();
        let options = entry.options();
        drop(entry);
        if is_signature(&name) {
            return Ok(Item::Signature);
        }
        let kind = kind(Path::new(&name));
        let is_opened = match kind {
            Kind::Class => true,
            Kind::Archive => depth < MAX_DEPTH,
            Kind::Other => false,
        };
        if !is_opened || is_locked || name.ends_with('/') {
            return Ok(Item::Other);
        }
        let mut bytes = Vec::new();
        let entry = zip.by_index(number).map_err(cannot)?;
        let left = MAX_UNPACKED - self.unpacked;
        let read = entry.take(left + 1).read_to_end(&mut bytes);
        read.map_err(|error| cannot(error.into()))?;
        if bytes.len() as u64 > left {
            return Err(BuildError::TooBig {
                place: archive.to_owned(),
                limit: MAX_UNPACKED,
            });
        }
        self.unpacked += bytes.len() as u64;
        let place = format!("{archive}!{name}");
        match kind {
            Kind::Class => Ok(Item::Class(self.class(bytes, place, Some(options)))),
            // Not an archive despite its name: some other data.
            _ if ZipArchive::new(Cursor::new(&bytes[..])).is_err() => Ok(Item::Other),
            _ => Ok(Item::Archive(Box::new(self.archive(
                bytes,
                place,
                depth + 1,
            )?))),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Class,
    Archive,
    Other,
}

fn kind(path: &Path) -> Kind {
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    match ending.as_deref().and_then(|ending| ending.to_str()) {
        Some("class") => Kind::Class,
        Some("jar" | "aar" | "zip") => Kind::Archive,
        _ => Kind::Other,
    }
}

/// Whether a path has the extension of an archive.
pub(super) fn is_archive(path: &Path) -> bool {
    kind(path) == Kind::Archive
}

/// Whether an entry is part of a jar's signature (JAR file specification). Digests in the manifest have no effect
/// without one.
fn is_signature(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let Some(file) = name.strip_prefix("META-INF/") else {
        return false;
    };
    let endings = [".SF", ".RSA", ".DSA", ".EC"];
    !file.contains('/')
        && (file.starts_with("SIG-") || endings.iter().any(|ending| file.ends_with(ending)))
}

fn read(path: &Path) -> Result<Vec<u8>, BuildError> {
    std::fs::read(path).map_err(BuildError::io("read", path))
}

/// All files below a folder, sorted, so that ids do not depend on the order on disk.
fn files(root: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let (mut files, mut folders) = (Vec::new(), vec![(PathBuf::new(), 0)]);
    while let Some((folder, depth)) = folders.pop() {
        let path = root.join(&folder);
        let cannot = || BuildError::io("list", &path);
        for entry in std::fs::read_dir(&path).map_err(cannot())? {
            let entry = entry.map_err(cannot())?;
            let inside = folder.join(entry.file_name());
            let facts = std::fs::metadata(entry.path());
            match facts
                .map_err(BuildError::io("inspect", &entry.path()))?
                .is_dir()
            {
                // A link to a parent folder would never end; the system allows 40 links in a path.
                true if depth < 256 => folders.push((inside, depth + 1)),
                true => {
                    let error = std::io::Error::other("folders are nested too deep");
                    return Err(BuildError::io("list", &entry.path())(error));
                }
                false => files.push(inside),
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_signatures_are_recognized_by_their_path() {
        for name in [
            "META-INF/A.SF",
            "meta-inf/b.rsa",
            "META-INF/SIG-X",
            "META-INF/C.EC",
        ] {
            assert!(is_signature(name), "{name}");
        }
        for name in [
            "META-INF/MANIFEST.MF",
            "A.SF",
            "META-INF/x/A.SF",
            "META-INF/versions/9/A.class",
        ] {
            assert!(!is_signature(name), "{name}");
        }
    }
}
