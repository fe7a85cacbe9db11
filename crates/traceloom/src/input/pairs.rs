//! The files that make up an input: one, the `.key` and `.data` files of old tools, or a folder that perf wrote.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use traceloom_formats::detect;
use traceloom_host::{OpenedPairs, input_files};

use crate::address;

/// The inputs without duplicates: `a.key` and `a.data` are one input, and either name opens both.
pub fn once_a_pair(files: &[PathBuf]) -> Vec<&Path> {
    let mut opened = OpenedPairs::default();
    let mut is_new = |path: &Path| parts(path).map_or(true, |files| opened.is_new(files));
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

/// The files that make up the input. `-` is standard input.
pub(super) fn parts(path: &Path) -> Result<Vec<PathBuf>> {
    if path.as_os_str() == "-" {
        return Ok(vec![path.to_owned()]);
    }
    match (input_files(path, is_perf_data), address::advice(path)) {
        (Some(files), _) => Ok(files),
        (None, Some(advice)) => bail!("{}: {advice}", path.display()),
        (None, None) => bail!("{}: no such file", path.display()),
    }
}

fn is_perf_data(head: &[u8]) -> bool {
    detect(head).is_some_and(|format| format.id() == "perf-data")
}
