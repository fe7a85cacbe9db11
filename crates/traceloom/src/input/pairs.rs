//! The files that make up an input: one, the `.key` and `.data` files of old tools, or a folder that perf wrote.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use traceloom_formats::detect;
use traceloom_host::perf_folder;

use crate::address;

/// The inputs without duplicates: `a.key` and `a.data` are one input, and either name opens both.
pub fn once_a_pair(files: &[PathBuf]) -> Vec<&Path> {
    let mut pairs = Vec::new();
    let mut is_new = |path: &Path| match parts(path) {
        Ok(parts) if parts.len() > 1 => {
            let is_new = !pairs.contains(&parts);
            pairs.push(parts);
            is_new
        }
        _ => true,
    };
    let files = files.iter().map(PathBuf::as_path);
    files.filter(|path| is_new(path)).collect()
}

/// Replaces `a.key a.data` by `a.key`, which opens both. So a pair can be given as two files to any
/// command that takes one file.
///
/// `file:` addresses become paths.
pub fn join_pairs(args: Vec<OsString>) -> Vec<OsString> {
    let args = address::local(args);
    let is_data_of_last = |last: &OsString, arg: &OsString| {
        let (key, data) = (Path::new(last), Path::new(arg));
        key.extension().is_some_and(|ending| ending == "key")
            && key.with_extension("data") == data
            && key.is_file()
            && data.is_file()
    };
    let mut joined: Vec<OsString> = Vec::with_capacity(args.len());
    for arg in args {
        if !joined
            .last()
            .is_some_and(|last| is_data_of_last(last, &arg))
        {
            joined.push(arg);
        }
    }
    joined
}

/// The files that make up the input: a single file, the key and data files of old tools, or the
/// files in a folder that perf wrote. A base name means both files of old tools if no file has that
/// name.
pub(super) fn parts(path: &Path) -> Result<Vec<PathBuf>> {
    if let Some(files) = perf_folder(path, is_perf_data) {
        return Ok(files);
    }
    let beside = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    if path.as_os_str() == "-" || path.exists() {
        return Ok(match path.extension().and_then(|ending| ending.to_str()) {
            Some("key") if path.with_extension("data").exists() => {
                vec![path.to_owned(), path.with_extension("data")]
            }
            Some("data") if path.with_extension("key").exists() => {
                vec![path.with_extension("key"), path.to_owned()]
            }
            _ => vec![path.to_owned()],
        });
    }
    let pair = vec![beside(".key"), beside(".data")];
    if pair.iter().all(|part| part.exists()) {
        return Ok(pair);
    }
    if beside(".trace").exists() {
        return Ok(vec![beside(".trace")]);
    }
    match address::advice(path) {
        Some(advice) => bail!("{}: {advice}", path.display()),
        None => bail!("{}: no such file", path.display()),
    }
}

fn is_perf_data(head: &[u8]) -> bool {
    detect(head).is_some_and(|format| format.id() == "perf-data")
}
