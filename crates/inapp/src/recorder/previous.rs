//! Recordings left by an earlier process.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use traceloom_ring::layout::HEADER_BYTES;
use traceloom_ring::{FileHeader, FileState};

/// A recording of an earlier process, which was moved aside to make way for the new one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Previous {
    /// Where it is now: the original path with `.previous` appended.
    pub path: PathBuf,
    /// Whether its process ended without stopping it: it crashed or was killed.
    pub was_killed: bool,
    /// Process ID of that process.
    pub pid: u32,
}

/// Moves a ring file at `path` aside. Any other file stays and will be replaced.
pub(crate) fn move_aside(path: &Path) -> io::Result<Option<Previous>> {
    let Some(header) = header(path)? else {
        return Ok(None);
    };
    let mut aside = path.as_os_str().to_owned();
    aside.push(".previous");
    let aside = PathBuf::from(aside);
    std::fs::rename(path, &aside)?;
    Ok(Some(Previous {
        path: aside,
        was_killed: header.state == FileState::Recording,
        pid: header.pid,
    }))
}

fn header(path: &Path) -> io::Result<Option<FileHeader>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut head = Vec::new();
    file.take(HEADER_BYTES as u64).read_to_end(&mut head)?;
    Ok(FileHeader::read(&head).ok())
}
