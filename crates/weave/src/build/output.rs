//! Writing the output: one output per input, or all of them in one archive.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Cursor, Seek, Write};
use std::path::Path;

use traceloom_host::{NewFile, RESULT};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::cache;
use super::error::BuildError;
use super::source::{Archive, Content, Item, Source};
use super::target::Target;

/// A class after weaving.
#[derive(Debug)]
pub(super) enum WovenClass {
    /// Unchanged.
    Same,
    /// Woven by this build.
    Bytes(Vec<u8>),
    /// In the cache: the index of its entry.
    Cached(usize),
}

/// Writes the outputs.
pub(super) struct Output<'o> {
    pub results: &'o [WovenClass],
    pub cache: Option<ZipArchive<File>>,
    /// Archives whose signatures were dropped.
    pub unsigned: Vec<String>,
    /// Entries that were skipped because their name existed already.
    pub duplicates: Vec<String>,
}

type Done = Result<(), BuildError>;
/// An output before it has its name.
type Out<'f> = BufWriter<&'f mut File>;

impl Output<'_> {
    pub fn write(&mut self, sources: &[Source], target: &Target) -> Done {
        match target {
            Target::Each(places) => {
                for (source, place) in sources.iter().zip(places) {
                    self.write_source(source, place)?;
                }
                Ok(())
            }
            Target::One(place) => self.merged(sources, place),
        }
    }

    fn write_source(&mut self, source: &Source, place: &Path) -> Done {
        match &source.content {
            Content::Class(class) => self.class_file(*class, &source.path, place),
            Content::Archive(archive) => self.archive_file(archive, place),
            Content::Folder(items) => {
                make_folder(place)?;
                for (inside, item) in items {
                    let (from, to) = (source.path.join(inside), place.join(inside));
                    match item {
                        Item::Class(class) => self.class_file(*class, &from, &to)?,
                        Item::Archive(archive) => self.archive_file(archive, &to)?,
                        Item::Other | Item::Signature => copy(&from, &to)?,
                    }
                }
                Ok(())
            }
        }
    }

    fn class_file(&mut self, class: usize, from: &Path, to: &Path) -> Done {
        let Some(bytes) = self.class_bytes(class)? else {
            return copy(from, to);
        };
        make_parent(to)?;
        // Do not touch a file that is up to date, so that build tools do not rebuild what depends on it.
        if std::fs::read(to).is_ok_and(|old| old == bytes) {
            return Ok(());
        }
        std::fs::write(to, bytes).map_err(BuildError::io("write", to))
    }

    /// The bytes of a woven class; `None` if it is unchanged.
    fn class_bytes(&mut self, class: usize) -> Result<Option<Vec<u8>>, BuildError> {
        match (&self.results[class], &mut self.cache) {
            (WovenClass::Bytes(bytes), _) => Ok(Some(bytes.clone())),
            (WovenClass::Cached(number), Some(zip)) => {
                let bytes = cache::entry(zip, *number);
                bytes
                    .map(Some)
                    .map_err(BuildError::zip("read", "of the cache"))
            }
            _ => Ok(None),
        }
    }

    fn archive_file(&mut self, archive: &Archive, place: &Path) -> Done {
        if !self.is_changed(archive) {
            let whole = |out: &mut Out<'_>| out.write_all(&archive.bytes);
            return write_new(place, |out| {
                whole(out).map_err(BuildError::io("write", place))
            });
        }
        write_archive(place, |zip| {
            self.copy_archive(archive, zip, None)?;
            Ok(archive.open()?.comment().into())
        })
    }

    /// Whether any class in an archive was woven.
    fn is_changed(&self, archive: &Archive) -> bool {
        archive.items.iter().any(|item| match item {
            Item::Class(class) => !matches!(self.results[*class], WovenClass::Same),
            Item::Archive(inner) => self.is_changed(inner),
            Item::Other | Item::Signature => false,
        })
    }

    /// Copies the entries of an archive to another. `seen` holds the existing names if several archives are merged.
    fn copy_archive<W: Write + Seek>(
        &mut self,
        archive: &Archive,
        zip: &mut ZipWriter<W>,
        mut seen: Option<&mut HashSet<String>>,
    ) -> Done {
        let cannot = |error| BuildError::zip("write", &archive.place)(error);
        let mut from = archive.open()?;
        for (number, item) in archive.items.iter().enumerate() {
            let entry = from.by_index_raw(number).map_err(cannot)?;
            let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
            let options = entry.options();
            let is_new = seen.as_mut().is_none_or(|seen| seen.insert(name.clone()));
            match item {
                _ if !is_new && !matches!(item, Item::Signature) => {
                    if !name.ends_with('/') {
                        self.duplicates.push(format!("{}!{name}", archive.place));
                    }
                }
                Item::Signature => {
                    if self.unsigned.last() != Some(&archive.place) {
                        self.unsigned.push(archive.place.clone());
                    }
                }
                Item::Class(class) if !matches!(self.results[*class], WovenClass::Same) => {
                    drop(entry);
                    self.class_entry(*class, &name, options, zip)
                        .map_err(cannot)?;
                }
                Item::Archive(inner) if self.is_changed(inner) => {
                    drop(entry);
                    let bytes = self.archive_bytes(inner)?;
                    add(zip, &name, options, &bytes).map_err(cannot)?;
                }
                _ => zip.raw_copy_file(entry).map_err(cannot)?,
            }
        }
        Ok(())
    }

    /// The bytes of an archive with woven classes.
    fn archive_bytes(&mut self, archive: &Archive) -> Result<Vec<u8>, BuildError> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        self.copy_archive(archive, &mut zip, None)?;
        let cannot = |error| BuildError::zip("write", &archive.place)(error);
        let comment = archive.open()?.comment().into();
        zip.set_raw_comment(comment).map_err(cannot)?;
        Ok(zip.finish().map_err(cannot)?.into_inner())
    }

    fn class_entry<W: Write + Seek>(
        &mut self,
        class: usize,
        name: &str,
        options: SimpleFileOptions,
        zip: &mut ZipWriter<W>,
    ) -> zip::result::ZipResult<()> {
        match (&self.results[class], &mut self.cache) {
            (WovenClass::Cached(number), Some(cache)) => {
                zip.raw_copy_file_rename(cache.by_index_raw(*number)?, name)
            }
            (WovenClass::Bytes(bytes), _) => add(zip, name, options, bytes),
            _ => Ok(()),
        }
    }

    /// Writes all sources to one archive. Of several entries with the same name, the first is kept.
    fn merged(&mut self, sources: &[Source], place: &Path) -> Done {
        write_archive(place, |zip| {
            let mut seen = HashSet::new();
            for source in sources {
                self.merged_source(source, zip, &mut seen)?;
            }
            Ok(Box::default())
        })
    }

    fn merged_source<W: Write + Seek>(
        &mut self,
        source: &Source,
        zip: &mut ZipWriter<W>,
        seen: &mut HashSet<String>,
    ) -> Done {
        match &source.content {
            Content::Archive(archive) => self.copy_archive(archive, zip, Some(seen)),
            Content::Class(class) => {
                let name = source.path.file_name().unwrap_or_default();
                let name = name.to_string_lossy().into_owned();
                self.merged_file(&source.path, &name, &Item::Class(*class), zip, seen)
            }
            Content::Folder(items) => items.iter().try_for_each(|(inside, item)| {
                let path = source.path.join(inside);
                self.merged_file(&path, &entry_name(inside), item, zip, seen)
            }),
        }
    }

    fn merged_file<W: Write + Seek>(
        &mut self,
        path: &Path,
        name: &str,
        item: &Item,
        zip: &mut ZipWriter<W>,
        seen: &mut HashSet<String>,
    ) -> Done {
        if !seen.insert(name.to_owned()) {
            self.duplicates.push(path.display().to_string());
            return Ok(());
        }
        let woven = match item {
            Item::Class(class) => self.class_bytes(*class)?,
            Item::Archive(inner) if self.is_changed(inner) => Some(self.archive_bytes(inner)?),
            _ => None,
        };
        let bytes = match woven {
            Some(bytes) => bytes,
            None => std::fs::read(path).map_err(BuildError::io("read", path))?,
        };
        let place = path.display().to_string();
        add(zip, name, plain_options(), &bytes).map_err(BuildError::zip("write", &place))
    }
}

/// Options for files from a folder. The time is fixed, so that the same bytes give the same archive.
pub(super) fn plain_options() -> SimpleFileOptions {
    SimpleFileOptions::default().last_modified_time(zip::DateTime::default())
}

fn add<W: Write + Seek>(
    zip: &mut ZipWriter<W>,
    name: &str,
    options: SimpleFileOptions,
    bytes: &[u8],
) -> zip::result::ZipResult<()> {
    zip.start_file(name, options)?;
    zip.write_all(bytes)?;
    Ok(())
}

/// A path inside a folder as the name of an archive entry.
fn entry_name(inside: &Path) -> String {
    let parts = inside
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

/// Writes an archive. `write` adds its entries and returns its comment.
fn write_archive(
    place: &Path,
    write: impl FnOnce(&mut ZipWriter<&mut Out<'_>>) -> Result<Box<[u8]>, BuildError>,
) -> Done {
    let text = place.display().to_string();
    let cannot = |error| BuildError::zip("write", &text)(error);
    write_new(place, |out| {
        let mut zip = ZipWriter::new(out);
        let comment = write(&mut zip)?;
        zip.set_raw_comment(comment).map_err(cannot)?;
        zip.finish().map(drop).map_err(cannot)
    })
}

/// Writes a file that gets its name when it is complete, so that nobody sees an incomplete one.
fn write_new(place: &Path, write: impl FnOnce(&mut Out<'_>) -> Done) -> Done {
    make_parent(place)?;
    let mut new = NewFile::create(place, RESULT).map_err(BuildError::io("write", place))?;
    let mut out = BufWriter::new(new.file());
    write(&mut out)?;
    let written = out.flush();
    drop(out);
    let persisted = written.and_then(|()| new.persist());
    persisted.map_err(BuildError::io("write", place))
}

fn make_parent(place: &Path) -> Done {
    match place.parent().filter(|folder| *folder != Path::new("")) {
        Some(folder) => make_folder(folder),
        None => Ok(()),
    }
}

fn make_folder(folder: &Path) -> Done {
    std::fs::create_dir_all(folder).map_err(BuildError::io("create", folder))
}

fn copy(from: &Path, to: &Path) -> Done {
    make_parent(to)?;
    std::fs::copy(from, to)
        .map(|_| ())
        .map_err(BuildError::io("copy", from))
}
