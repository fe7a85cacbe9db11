//! Finds the file for a name on the command line: as given, with `.trace`, or as a `.key`/`.data`
//! pair.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

/// Why there is no trace to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Missing {
    /// It is a folder, like the traces of the emulator.
    Folder,
    /// There is no such file under any of the names.
    NotFound,
    /// A key file and a data file that do not belong together.
    Pair,
    /// It cannot be read.
    Unreadable,
}

fn with_ending(name: &OsStr, ending: &str) -> OsString {
    let mut whole = name.to_owned();
    whole.push(ending);
    whole
}

/// Reads the trace that `name` refers to.
pub(crate) fn read(name: &OsStr) -> Result<Vec<u8>, Missing> {
    if Path::new(name).is_dir() {
        return Err(Missing::Folder);
    }
    if Path::new(name).exists() {
        return fs::read(name).map_err(|_| Missing::Unreadable);
    }
    let whole = with_ending(name, ".trace");
    if Path::new(&whole).exists() {
        return fs::read(whole).map_err(|_| Missing::Unreadable);
    }
    let (key, data) = (with_ending(name, ".key"), with_ending(name, ".data"));
    if !Path::new(&key).exists() || !Path::new(&data).exists() {
        return Err(Missing::NotFound);
    }
    let mut bytes = fs::read(key).map_err(|_| Missing::Pair)?;
    bytes.append(&mut fs::read(data).map_err(|_| Missing::Pair)?);
    Ok(bytes)
}
