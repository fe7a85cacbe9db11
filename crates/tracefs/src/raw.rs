//! Recording without text: the pages of the kernel's ring buffers, moved as they are.
//!
//! ```text
//! per_cpu/cpu0/trace_pipe_raw ─splice─► pipe ─splice─► unnamed file ┐ at the end: head,
//! per_cpu/cpu1/trace_pipe_raw ─splice─► pipe ─splice─► unnamed file ┴─► pages of CPU 0, 1 …
//! ```
//! Where pages are to be packed, that happens at the end too.
//!
//! One thread serves all CPUs: the kernel wakes it when one's buffer is half full.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, PipeReader, PipeWriter, Read, Seek, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::trace_dat::{DatCompression, DatVersion, PageLayout};
use crate::{Ended, Error, Instance, Stop, Tracefs, sys};

/// What is moved at a time, as far as the system lets a pipe grow.
const PIPE_BYTES: usize = 1 << 20;
/// Kernels before 6.1 wake at the first record, when there is no whole page to move yet.
const EARLY_WAKE: Duration = Duration::from_millis(20);

/// What the kernel calls events that were lost, in a CPU's `stats`.
const LOST: [&str; 3] = ["overrun", "commit overrun", "dropped events"];

/// A recording of pages under way.
pub struct RawCapture {
    cpus: Vec<Cpu>,
    layout: PageLayout,
    pipe: (PipeReader, PipeWriter),
    pipe_bytes: usize,
    folder: PathBuf,
    taken: Arc<AtomicU64>,
    /// Pages could not be taken or kept: what is in between is lost.
    is_broken: bool,
}

struct Cpu {
    source: File,
    pages: File,
    bytes: u64,
}

impl RawCapture {
    /// Begins to take pages. `folder` has room for what is recorded; nothing stays there.
    ///
    /// # Errors
    /// If a file of the kernel's or an unnamed one in `folder` cannot be opened.
    pub fn start(instance: &Instance<'_>, folder: &Path) -> Result<Self, Error> {
        let layout = PageLayout::read(instance)?;
        let pipe = io::pipe().map_err(Error::Output)?;
        let pipe_bytes = sys::grow_pipe(pipe.1.as_fd(), PIPE_BYTES);
        let mut cpus = Vec::new();
        while instance.exists(&format!("per_cpu/cpu{}", cpus.len())) {
            let file = format!("per_cpu/cpu{}/trace_pipe_raw", cpus.len());
            let source = instance.open(&file);
            let source = source.map_err(Error::file("opening", &instance.path(&file)))?;
            let pages = unnamed(folder).map_err(Error::file("opening", folder))?;
            cpus.push(Cpu {
                source,
                pages,
                bytes: 0,
            });
        }
        Ok(Self {
            cpus,
            layout,
            pipe,
            // Whole pages only, or the kernel refuses.
            pipe_bytes,
            folder: folder.to_path_buf(),
            taken: Arc::default(),
            is_broken: false,
        })
    }

    /// Where the number of bytes taken so far can be read while it records.
    pub fn taken(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.taken)
    }

    /// Takes pages until the time is over, somebody asks to stop, or the reader of `out` is gone.
    ///
    /// # Errors
    /// If pages cannot be taken or written.
    pub fn record(
        &mut self,
        time: Option<Duration>,
        stop: &Stop,
        out: Option<BorrowedFd<'_>>,
    ) -> Result<Ended, Error> {
        let end = time.map(|time| Instant::now() + time);
        loop {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(Ended::Time);
            }
            if stop.is_asked() {
                return Ok(Ended::Asked);
            }
            let wait = left.unwrap_or(Duration::from_secs(1)) + Duration::from_millis(1);
            let mut files: Vec<BorrowedFd<'_>> =
                self.cpus.iter().map(|cpu| cpu.source.as_fd()).collect();
            files.push(stop.file());
            let seen = sys::poll(&files, out, wait).map_err(Error::Input)?;
            let (cpus, rest) = seen.split_at(self.cpus.len());
            if rest[0].readable {
                return Ok(Ended::Asked);
            }
            if out.is_some() && rest.last().is_some_and(|out| out.gone) {
                return Ok(Ended::NoReader);
            }
            let woken = cpus.iter().any(|cpu| cpu.readable);
            if self.take_pages()? == 0 && woken {
                let pause = left.map_or(EARLY_WAKE, |left| left.min(EARLY_WAKE));
                stop.wait(pause, None).map_err(Error::Input)?;
            }
        }
    }

    /// Moves all whole pages that there are; bytes moved.
    fn take_pages(&mut self) -> Result<u64, Error> {
        let before = self.bytes();
        for cpu in &mut self.cpus {
            let taken = cpu.take_all(&self.pipe, self.pipe_bytes);
            self.is_broken |= taken.is_err();
            taken?;
        }
        let now = self.bytes();
        self.taken.store(now, Ordering::Relaxed);
        Ok(now - before)
    }

    fn bytes(&self) -> u64 {
        self.cpus.iter().map(|cpu| cpu.bytes).sum()
    }

    /// Takes what is left, the page that is not full too, and writes the whole recording as a
    /// trace.dat. The recording must have been stopped, and its events must still be on. Where
    /// recording failed, it is what there is of whole pages.
    ///
    /// # Errors
    /// If something cannot be read or written.
    pub fn finish(
        mut self,
        instance: &Instance<'_>,
        version: DatVersion,
        out: &mut impl Write,
    ) -> Result<(), Error> {
        if !self.is_broken {
            self.take_pages()?;
        }
        for cpu in &mut self.cpus {
            if self.is_broken {
                cpu.cut(self.layout.page_bytes)?
            } else {
                cpu.take_last(self.layout.page_bytes)?
            }
            cpu.pages.rewind().map_err(Error::Output)?;
        }
        if version.compression() != DatCompression::None {
            self.pack(version.compression())?;
        }
        let bytes: Vec<u64> = self.cpus.iter().map(|cpu| cpu.bytes).collect();
        let head = version.head(instance, &self.layout, &bytes)?;
        out.write_all(&head).map_err(Error::Output)?;
        for cpu in &mut self.cpus {
            // From file to file the standard library lets the kernel copy.
            io::copy(&mut cpu.pages, out).map_err(Error::Output)?;
        }
        Ok(())
    }

    /// Events that found no room in a buffer, so far.
    pub fn lost(&self, instance: &Instance<'_>) -> u64 {
        let lost = |cpu: usize| {
            let stats = instance.read(&format!("per_cpu/cpu{cpu}/stats"));
            let stats = stats.unwrap_or_default();
            let counts = stats.lines().filter_map(|line| line.split_once(": "));
            let counts = counts.filter(|(name, _)| LOST.contains(name));
            let numbers = counts.filter_map(|(_, count)| count.trim().parse::<u64>().ok());
            numbers.sum::<u64>()
        };
        (0..self.cpus.len()).map(lost).sum()
    }

    /// Packs the pages of each CPU, so that their lengths are known before the file begins.
    fn pack(&mut self, compression: DatCompression) -> Result<(), Error> {
        for cpu in &mut self.cpus {
            let packed = unnamed(&self.folder);
            let packed = packed.map_err(Error::file("opening", &self.folder))?;
            let mut to = BufWriter::new(packed);
            let page_bytes = self.layout.page_bytes;
            let bytes = compression.pack(&mut cpu.pages, cpu.bytes, page_bytes, &mut to);
            cpu.bytes = bytes.map_err(Error::Output)?;
            let packed = to
                .into_inner()
                .map_err(|error| Error::Output(error.into_error()))?;
            cpu.pages = packed;
            cpu.pages.rewind().map_err(Error::Output)?;
        }
        Ok(())
    }
}

impl Cpu {
    /// Moves all whole pages that there are.
    fn take_all(&mut self, pipe: &(PipeReader, PipeWriter), room: usize) -> Result<(), Error> {
        while let Some(count) = self.take(pipe, room)? {
            if count < room {
                break;
            }
        }
        Ok(())
    }

    /// Moves up to `room` bytes of whole pages; none where there are none.
    fn take(
        &mut self,
        pipe: &(PipeReader, PipeWriter),
        room: usize,
    ) -> Result<Option<usize>, Error> {
        let taken = sys::splice(self.source.as_fd(), pipe.1.as_fd(), room).map_err(Error::Input)?;
        let Some(taken) = taken.filter(|&taken| taken > 0) else {
            return Ok(None);
        };
        let mut left = taken;
        while left > 0 {
            let moved =
                sys::splice(pipe.0.as_fd(), self.pages.as_fd(), left).map_err(Error::Output)?;
            left -= moved.unwrap_or(0).min(left);
        }
        self.bytes += taken as u64;
        Ok(Some(taken))
    }

    /// Leaves what is a whole page: a full disk may have cut the last one.
    fn cut(&mut self, page_bytes: usize) -> Result<(), Error> {
        self.bytes -= self.bytes % page_bytes as u64;
        self.pages.set_len(self.bytes).map_err(Error::Output)
    }

    /// Reads what no splice gives: a page with room at its end.
    fn take_last(&mut self, page_bytes: usize) -> Result<(), Error> {
        let mut page = vec![0; page_bytes];
        loop {
            let count = match self.source.read(&mut page) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
                Err(error) => return Err(Error::Input(error)),
            };
            if count == 0 {
                return Ok(());
            }
            // Older kernels give only as much of the page as is used.
            page[count..].fill(0);
            self.pages.write_all(&page).map_err(Error::Output)?;
            self.bytes += page_bytes as u64;
        }
    }
}

/// A file that is gone when it is closed.
fn unnamed(folder: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).mode(0o600);
    match options.clone().custom_flags(libc::O_TMPFILE).open(folder) {
        Ok(file) => return Ok(file),
        Err(error) if error.kind() == io::ErrorKind::StorageFull => return Err(error),
        // Not every file system knows unnamed files.
        Err(_) => {}
    }
    let stamp = sys::clock_ns(libc::CLOCK_MONOTONIC);
    let path = folder.join(format!(".atrace-{}-{stamp}", std::process::id()));
    let file = options.create_new(true).open(&path)?;
    std::fs::remove_file(path)?;
    Ok(file)
}

/// Where pages wait for the end of the recording: beside the output, or where there is room for
/// temporary files.
pub fn spool_folder(output: Option<&Path>) -> PathBuf {
    let beside = output.filter(|path| path.is_file() || !path.exists());
    let beside = beside.and_then(Path::parent).map(|folder| {
        if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        }
    });
    // adbd names a folder for temporary files whether it is there or not.
    let (temporary, tmp) = (std::env::temp_dir(), Path::new("/tmp"));
    let android = Path::new("/data/local/tmp");
    let usable = |folder: &&Path| sys::access(folder, libc::W_OK);
    let folders = [beside, Some(android), Some(&temporary), Some(tmp)];
    folders
        .into_iter()
        .flatten()
        .find(usable)
        .map_or_else(|| temporary.clone(), Path::to_path_buf)
}
