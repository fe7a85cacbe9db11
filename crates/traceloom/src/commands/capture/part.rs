//! One part of a recording, in an unnamed file. If its disk is full, the part moves to another disk.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use traceloom_capture::PartKind;
use traceloom_formats::{AnyReader, Reader, Target};
use traceloom_host::{Map, give_name};

use crate::output::{Unfinished, unfinished, write_recording};
use crate::print::plain;
use crate::progress::print_line;

/// Size of a write, bytes.
const CHUNK: usize = 1 << 18;

/// One part of a recording.
pub struct Part {
    /// Its kind.
    pub kind: PartKind,
    /// The agent that recorded it.
    pub name: String,
    /// Its length in bytes.
    pub length: u64,
    file: File,
    /// The number of bytes in the file; the others are in `buffer`.
    stored: u64,
    buffer: Vec<u8>,
    /// The folder of the file.
    folder: PathBuf,
    /// Whether the file may become the result.
    unfinished: Option<Unfinished>,
}

impl Part {
    /// An empty part.
    ///
    /// # Errors
    /// If no temporary file can be created.
    pub fn new(kind: PartKind, name: &str) -> io::Result<Self> {
        let folder = std::env::temp_dir();
        let file = tempfile::tempfile_in(&folder).map_err(|error| in_folder(&folder, error))?;
        Ok(Self::with_file(kind, name, file, folder))
    }

    /// An empty part that may become the file `result`.
    ///
    /// # Errors
    /// If no file can be created.
    pub fn for_result(kind: PartKind, name: &str, result: &Path) -> io::Result<Self> {
        let Some((file, unfinished)) = unfinished(result) else {
            return Self::new(kind, name);
        };
        let folder = result.parent().filter(|parent| *parent != Path::new(""));
        let folder = folder.unwrap_or(Path::new(".")).to_path_buf();
        let mut part = Self::with_file(kind, name, file, folder);
        part.unfinished = Some(unfinished);
        Ok(part)
    }

    fn with_file(kind: PartKind, name: &str, file: File, folder: PathBuf) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            length: 0,
            file,
            stored: 0,
            buffer: Vec::with_capacity(CHUNK),
            folder,
            unfinished: None,
        }
    }

    /// Makes the part the result without copying it. Returns `false` if its file cannot become the
    /// result.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn become_result(&mut self) -> Result<bool> {
        self.flush()?;
        let Some(unfinished) = self.unfinished.take() else {
            return Ok(false);
        };
        unfinished.finish().map(|()| true)
    }

    /// Reads it completely.
    ///
    /// # Errors
    /// If it cannot be read, or is not a trace.
    pub fn read(&mut self, reader: &mut AnyReader, out: &mut Target<'_>) -> Result<()> {
        self.flush()?;
        let map = Map::new(&self.file)?;
        let read = reader.whole(&map, out);
        map.check()?;
        Ok(read?)
    }

    /// The part, positioned at its start.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn open(&mut self) -> io::Result<impl Read + '_> {
        self.flush()?;
        self.file.rewind()?;
        Ok(&mut self.file)
    }

    /// Saves the part as a named file next to `output` or, if that disk is full, in the folder of the unnamed file.
    /// Returns its path.
    ///
    /// # Errors
    /// If neither is possible.
    pub fn keep(&mut self, output: &Path) -> Result<PathBuf> {
        let ending = match self.kind {
            PartKind::RawTrace => "dat",
            PartKind::PerfettoTrace => "pftrace",
            _ => "txt",
        };
        let mut name = output.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.{ending}", self.name.replace(['/', '\\'], "_")));
        let path = output.with_file_name(&name);
        // Bytes that fit on no disk stay in the buffer.
        _ = self.flush();
        if give_name(&self.file, &path).is_ok() {
            return Ok(path);
        }
        let copied = write_recording(&path, |out| {
            self.file.rewind()?;
            io::copy(&mut self.file, out)?;
            Ok(out.write_all(&self.buffer)?)
        });
        let Err(error) = copied else {
            return Ok(path);
        };
        let here = self.folder.join(&name);
        match give_name(&self.file, &here) {
            Ok(()) => Ok(here),
            Err(_) => Err(error),
        }
    }

    /// Moves to a folder whose disk has space.
    fn move_on(&mut self, full: io::Error) -> io::Result<()> {
        let places = [std::env::temp_dir(), "/var/tmp".into(), PathBuf::from(".")];
        for folder in places {
            if folder != self.folder
                && let Ok(file) = self.copied_to(&folder)
            {
                print_line(&format!(
                    "Warning: {}: the recorded data is kept in {} instead",
                    plain(&in_folder(&self.folder, full).to_string()),
                    plain(&folder.display().to_string())
                ));
                (self.file, self.folder, self.unfinished) = (file, folder, None);
                return Ok(());
            }
        }
        Err(in_folder(&self.folder, full))
    }

    fn copied_to(&mut self, folder: &Path) -> io::Result<File> {
        let mut file = tempfile::tempfile_in(folder)?;
        self.file.rewind()?;
        let copied = io::copy(&mut (&mut self.file).take(self.stored), &mut file);
        // If this copy is not used, the next write continues at the end of the old file.
        self.file.seek(io::SeekFrom::Start(self.stored))?;
        copied?;
        // The bytes in the buffer must fit too.
        file.write_all(&self.buffer)?;
        file.seek(io::SeekFrom::Start(self.stored))?;
        Ok(file)
    }
}

impl Write for Part {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        self.length += bytes.len() as u64;
        if self.buffer.len() >= CHUNK {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut at = io::SeekFrom::Start(self.stored);
        while !self.buffer.is_empty() {
            self.file
                .seek(std::mem::replace(&mut at, io::SeekFrom::Current(0)))?;
            match self.file.write(&self.buffer) {
                Ok(count) => {
                    self.stored += count as u64;
                    self.buffer.drain(..count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.move_on(error)?,
            }
        }
        Ok(())
    }
}

fn in_folder(folder: &Path, error: io::Error) -> io::Error {
    let text = format!("cannot write in {}: {error}", folder.display());
    io::Error::new(error.kind(), text)
}

/// Saves the traces among the parts, and returns their paths.
///
/// # Errors
/// If they cannot be written anywhere.
pub fn keep(parts: &mut [Part], output: &Path) -> Result<Vec<PathBuf>> {
    let traces = parts.iter_mut().filter(|part| is_trace(part.kind));
    let kept = traces.map(|part| {
        let name = part.name.clone();
        part.keep(output).with_context(|| format!("{name} is lost"))
    });
    kept.collect()
}

/// Whether the part is an independent trace rather than a supplement.
pub fn is_trace(kind: PartKind) -> bool {
    kind != PartKind::ProcessDump && !JOINED.contains(&kind)
}

/// Parts that are read into the system's trace once it is complete, in this order.
pub const JOINED: [PartKind; 3] = [
    PartKind::CgroupDump,
    PartKind::ClockMarks,
    PartKind::MemoryDump,
];
