//! The cache of woven classes: a zip file whose entries are named by a hash of their input. The next build copies them
//! unchanged: it neither weaves nor compresses them again.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use traceloom_host::{NewFile, RECORDING};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::error::BuildError;

/// Hash of everything that determines a woven class: the class, its ids, the call and the weaver's version.
pub(super) type Key = [u8; 32];

/// The cache during a build.
#[derive(Debug)]
pub(super) struct Cache {
    path: PathBuf,
    old: Option<ZipArchive<BufReader<File>>>,
    /// Entries of the old cache.
    entries: HashMap<Key, usize>,
}

impl Cache {
    /// Opens a cache. A missing or broken cache counts as empty.
    pub fn open(path: &Path) -> Self {
        let file = File::open(path).ok().map(BufReader::new);
        let old = file.and_then(|file| ZipArchive::new(file).ok());
        let mut entries = HashMap::new();
        if let Some(old) = &old {
            for number in 0..old.len() {
                let name = old.name_for_index(number).and_then(Result::ok);
                if let Some(key) = name.and_then(|name| parse(&name)) {
                    entries.insert(key, number);
                }
            }
        }
        Self {
            path: path.to_owned(),
            old,
            entries,
        }
    }

    /// Whether the cache contains a class.
    pub fn has(&self, key: &Key) -> bool {
        self.entries.contains_key(key)
    }

    /// Writes a new cache with the entries that this build used, and those that it made. Returns it, and the index of
    /// each entry.
    pub fn renew<'b>(
        mut self,
        wanted: impl Iterator<Item = (Key, Option<&'b [u8]>, SimpleFileOptions)>,
    ) -> Result<(ZipArchive<File>, HashMap<Key, usize>), BuildError> {
        let cannot = BuildError::io("write", &self.path);
        let folder = self.path.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(BuildError::io("create", folder))?;
        // As private as a recording: it contains the classes of a program.
        let mut new = NewFile::create(&self.path, RECORDING).map_err(cannot)?;
        let numbers = self.write(new.file(), wanted)?;
        new.persist().map_err(BuildError::io("write", &self.path))?;
        let file = File::open(&self.path).map_err(BuildError::io("open", &self.path))?;
        let zip = ZipArchive::new(file).map_err(BuildError::zip("write", &self.place()))?;
        Ok((zip, numbers))
    }

    fn place(&self) -> String {
        self.path.display().to_string()
    }

    /// Writes the entries. Returns their indices.
    fn write<'b>(
        &mut self,
        out: &mut File,
        wanted: impl Iterator<Item = (Key, Option<&'b [u8]>, SimpleFileOptions)>,
    ) -> Result<HashMap<Key, usize>, BuildError> {
        let place = self.place();
        let cannot = |error| BuildError::zip("write", &place)(error);
        let mut zip = ZipWriter::new(out);
        let mut numbers = HashMap::new();
        for (key, bytes, options) in wanted {
            if numbers.contains_key(&key) {
                continue;
            }
            numbers.insert(key, numbers.len());
            match (bytes, self.old.as_mut(), self.entries.get(&key)) {
                (None, Some(old), Some(&number)) => {
                    let entry = old.by_index_raw(number).map_err(cannot)?;
                    zip.raw_copy_file(entry).map_err(cannot)?;
                }
                (bytes, ..) => {
                    zip.start_file(name(&key), options).map_err(cannot)?;
                    let written = zip.write_all(bytes.unwrap_or_default());
                    written.map_err(BuildError::io("write", &self.path))?;
                }
            }
        }
        zip.finish().map_err(cannot)?;
        Ok(numbers)
    }
}

/// The content of an entry.
pub(super) fn entry(
    zip: &mut ZipArchive<File>,
    number: usize,
) -> Result<Vec<u8>, zip::result::ZipError> {
    let mut bytes = Vec::new();
    zip.by_index(number)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn name(key: &Key) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn parse(name: &str) -> Option<Key> {
    let mut key = [0; 32];
    if name.len() != 64 || !name.is_ascii() {
        return None;
    }
    for (byte, hex) in key.iter_mut().zip(name.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()?;
    }
    Some(key)
}
