//! Records without text: moves the pages of the kernel's ring buffers unchanged.
//!
//! ```text
//! per_cpu/cpu0/trace_pipe_raw ─splice─► pipe ─splice─► unnamed file ┐ at the end: header,
//! per_cpu/cpu1/trace_pipe_raw ─splice─► pipe ─splice─► unnamed file ┴─► pages of CPU 0, 1 …
//! ```
//! Pages are compressed at the end too, if requested.
//!
//! One thread serves all CPUs. The kernel wakes it when a buffer is half full.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, PipeReader, PipeWriter, Read, Seek, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::trace_dat::{DatCompression, DatVersion, PageLayout};
use crate::{Ended, Error, Instance, Lost, StopSignal, Tracefs, sys};

/// The most data that is moved at a time, bytes, if the system permits such a large pipe.
const PIPE_BYTES: usize = 1 << 20;
/// Pause after kernels before 6.1 wake us at the first record, before there is a full page.
const EARLY_WAKE: Duration = Duration::from_millis(20);

/// A running recording of pages.
pub struct RawCapture {
    cpus: Vec<Cpu>,
    layout: PageLayout,
    pipe: (PipeReader, PipeWriter),
    pipe_bytes: usize,
    folder: PathBuf,
    bytes_read: Arc<AtomicU64>,
    /// Whether reading or storing pages has failed, so that pages are missing.
    is_broken: bool,
}

struct Cpu {
    source: File,
    pages: File,
    bytes: u64,
}

impl RawCapture {
    /// Begins to read pages. They are stored in unnamed files in `folder`.
    ///
    /// # Errors
    /// If a file of the kernel or an unnamed file cannot be opened.
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
            pipe_bytes,
            folder: folder.to_path_buf(),
            bytes_read: Arc::default(),
            is_broken: false,
        })
    }

    /// The number of bytes read so far, for another thread.
    pub fn bytes_read(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes_read)
    }

    /// Reads pages until `time` is over, a stop is requested, or the reader of `out` is gone.
    ///
    /// # Errors
    /// If pages cannot be read or stored.
    pub fn record(
        &mut self,
        time: Option<Duration>,
        stop: &StopSignal,
        out: Option<BorrowedFd<'_>>,
    ) -> Result<Ended, Error> {
        let end = time.map(|time| Instant::now() + time);
        loop {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(Ended::TimeUp);
            }
            if stop.is_requested() {
                return Ok(Ended::Requested);
            }
            let wait = left.unwrap_or(Duration::from_secs(1));
            let mut files: Vec<BorrowedFd<'_>> =
                self.cpus.iter().map(|cpu| cpu.source.as_fd()).collect();
            files.push(stop.file());
            let ready = sys::poll(&files, out, wait).map_err(Error::Input)?;
            let (cpus, rest) = ready.split_at(self.cpus.len());
            if rest[0].readable {
                return Ok(Ended::Requested);
            }
            if out.is_some() && rest.last().is_some_and(|out| out.closed) {
                return Ok(Ended::NoReader);
            }
            let is_woken = cpus.iter().any(|cpu| cpu.readable);
            if self.read_pages()? == 0 && is_woken {
                let pause = left.map_or(EARLY_WAKE, |left| left.min(EARLY_WAKE));
                stop.wait(pause, None).map_err(Error::Input)?;
            }
        }
    }

    /// Moves all full pages and returns the number of bytes.
    fn read_pages(&mut self) -> Result<u64, Error> {
        let before = self.bytes();
        for cpu in &mut self.cpus {
            let moved = cpu.move_all(&self.pipe, self.pipe_bytes);
            self.is_broken |= moved.is_err();
            moved?;
        }
        let now = self.bytes();
        self.bytes_read.store(now, Ordering::Relaxed);
        Ok(now - before)
    }

    fn bytes(&self) -> u64 {
        self.cpus.iter().map(|cpu| cpu.bytes).sum()
    }

    /// Reads the remaining pages, including partial ones, and writes the recording as a `trace.dat`. The
    /// recording must have been stopped, but its events must still be enabled. If recording failed
    /// earlier, only the full pages so far are written.
    ///
    /// # Errors
    /// If the kernel's files cannot be read, or `out` cannot be written.
    pub fn finish(
        mut self,
        instance: &Instance<'_>,
        version: DatVersion,
        out: &mut impl Write,
    ) -> Result<(), Error> {
        if !self.is_broken {
            self.read_pages()?;
        }
        for cpu in &mut self.cpus {
            if self.is_broken {
                cpu.drop_partial_page(self.layout.page_bytes)?
            } else {
                cpu.read_partial_page(self.layout.page_bytes)?
            }
            cpu.pages.rewind().map_err(Error::Output)?;
        }
        if version.compression() != DatCompression::None {
            self.compress(version.compression())?;
        }
        let bytes: Vec<u64> = self.cpus.iter().map(|cpu| cpu.bytes).collect();
        let header = version.header(instance, &self.layout, &bytes)?;
        out.write_all(&header).map_err(Error::Output)?;
        for cpu in &mut self.cpus {
            // Between files, the standard library lets the kernel copy.
            io::copy(&mut cpu.pages, out).map_err(Error::Output)?;
        }
        Ok(())
    }

    /// Number of events lost so far.
    pub fn lost(&self, instance: &Instance<'_>) -> u64 {
        let cpus = Lost::of_cpus(instance).into_iter();
        cpus.map(|(_, lost)| lost.total()).sum()
    }

    /// Compresses the pages of each CPU. The header of the `trace.dat` needs their sizes.
    fn compress(&mut self, compression: DatCompression) -> Result<(), Error> {
        for cpu in &mut self.cpus {
            let compressed = unnamed(&self.folder);
            let compressed = compressed.map_err(Error::file("opening", &self.folder))?;
            let mut to = BufWriter::new(compressed);
            let page_bytes = self.layout.page_bytes;
            let bytes = compression.compress(&mut cpu.pages, cpu.bytes, page_bytes, &mut to);
            cpu.bytes = bytes.map_err(Error::Output)?;
            let written = to.into_inner();
            cpu.pages = written.map_err(|error| Error::Output(error.into_error()))?;
            cpu.pages.rewind().map_err(Error::Output)?;
        }
        Ok(())
    }
}

impl Cpu {
    /// Moves all full pages.
    fn move_all(&mut self, pipe: &(PipeReader, PipeWriter), max: usize) -> Result<(), Error> {
        while let Some(count) = self.move_some(pipe, max)? {
            if count < max {
                break;
            }
        }
        Ok(())
    }

    /// Moves up to `max` bytes of full pages. `None` if there are none. The kernel refuses a `max` that
    /// is not a multiple of the page size.
    fn move_some(
        &mut self,
        pipe: &(PipeReader, PipeWriter),
        max: usize,
    ) -> Result<Option<usize>, Error> {
        let read = sys::splice(self.source.as_fd(), pipe.1.as_fd(), max).map_err(Error::Input)?;
        let Some(read) = read.filter(|&read| read > 0) else {
            return Ok(None);
        };
        let mut left = read;
        while left > 0 {
            let moved =
                sys::splice(pipe.0.as_fd(), self.pages.as_fd(), left).map_err(Error::Output)?;
            left -= moved.unwrap_or(0).min(left);
        }
        self.bytes += read as u64;
        Ok(Some(read))
    }

    /// Removes a partial page at the end, as a full disk may have left it.
    fn drop_partial_page(&mut self, page_bytes: usize) -> Result<(), Error> {
        self.bytes -= self.bytes % page_bytes as u64;
        self.pages.set_len(self.bytes).map_err(Error::Output)
    }

    /// Reads the last page, which is not full and so cannot be spliced.
    fn read_partial_page(&mut self, page_bytes: usize) -> Result<(), Error> {
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
            // Older kernels only return the used part of the page.
            page[count..].fill(0);
            self.pages.write_all(&page).map_err(Error::Output)?;
            self.bytes += page_bytes as u64;
        }
    }
}

/// Creates a file that disappears when it is closed.
fn unnamed(folder: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).mode(0o600);
    match options.clone().custom_flags(libc::O_TMPFILE).open(folder) {
        Ok(file) => return Ok(file),
        Err(error) if error.kind() == io::ErrorKind::StorageFull => return Err(error),
        // Not every file system supports unnamed files.
        Err(_) => {}
    }
    let stamp = sys::monotonic_ns();
    let path = folder.join(format!(".atrace-{}-{stamp}", std::process::id()));
    let file = options.create_new(true).open(&path)?;
    std::fs::remove_file(path)?;
    Ok(file)
}

/// The folder to store pages in until the recording ends: that of the output file, or one for temporary
/// files.
pub fn spool_folder(output: Option<&Path>) -> PathBuf {
    let beside = output.filter(|path| path.is_file() || !path.exists());
    let beside = beside.and_then(Path::parent).map(|folder| {
        if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        }
    });
    // adbd sets a folder for temporary files even if it does not exist.
    let (temporary, tmp) = (std::env::temp_dir(), Path::new("/tmp"));
    let android = Path::new("/data/local/tmp");
    let is_writable = |folder: &&Path| sys::is_writable(folder);
    let folders = [beside, Some(android), Some(&temporary), Some(tmp)];
    folders
        .into_iter()
        .flatten()
        .find(is_writable)
        .map_or_else(|| temporary.clone(), Path::to_path_buf)
}
