//! Records without text: moves the pages of the kernel's ring buffers unchanged.
//!
//! ```text
//! per_cpu/cpu0/trace_pipe_raw ─splice─► pipe ─splice─► unnamed file ┐ at the end: header,
//! per_cpu/cpu1/trace_pipe_raw ─splice─► pipe ─splice─► unnamed file ┴─► pages of CPU 0, 1 …
//! ```
//! Pages are compressed at the end too, if requested.
//!
//! One thread serves all CPUs. The kernel wakes it when a buffer is filled to the watermark (half full,
//! unless `buffer_percent` says otherwise).

use std::fs::File;
use std::io::{self, BufWriter, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::spool::{ANDROID_FOLDER, Spool, unnamed};
use crate::trace_dat::{DatCompression, DatVersion, PageLayout, headers};
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
    /// Whether pages stay in the kernel until a buffer is filled to the watermark.
    is_lazy: bool,
}

struct Cpu {
    source: File,
    spool: Spool,
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
            let spool = Spool::new(folder).map_err(Error::file("opening", folder))?;
            cpus.push(Cpu {
                source,
                spool,
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
            is_lazy: false,
        })
    }

    /// Whether the kernel offers pages: it has the files, and this user may read them.
    pub fn is_possible(tree: &dyn Tracefs) -> bool {
        tree.exists("events/header_page") && tree.open("per_cpu/cpu0/trace_pipe_raw").is_ok()
    }

    /// Leaves all pages in the kernel until a buffer is filled to the watermark. A short recording can
    /// then be read as text.
    #[must_use]
    pub fn lazy(mut self) -> Self {
        self.is_lazy = true;
        self
    }

    /// Whether no page was moved, so that the kernel still has the whole recording.
    pub fn is_untouched(&self) -> bool {
        self.bytes() == 0 && !self.is_broken
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
        let _urgent = sys::Urgent::new();
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
            if self.is_lazy && !is_woken {
                continue;
            }
            self.is_lazy = false;
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
        self.end(version)?;
        self.write(instance, version, out)
    }

    /// Reads the remaining pages, and compresses them if `version` is compressed. After that,
    /// [`write`](Self::write) may be called several times, with different outputs.
    ///
    /// # Errors
    /// If the kernel's files cannot be read, or the pages cannot be stored.
    pub(crate) fn end(&mut self, version: DatVersion) -> Result<(), Error> {
        self.end_pages()?;
        match version.compression() {
            DatCompression::None => Ok(()),
            compression => self.compress(compression),
        }
    }

    /// Writes the recording that was ended as a `trace.dat`.
    ///
    /// # Errors
    /// If `out` cannot be written, or the pages cannot be read again.
    pub(crate) fn write(
        &mut self,
        instance: &Instance<'_>,
        version: DatVersion,
        out: &mut impl Write,
    ) -> Result<(), Error> {
        let header = version.header(instance, &self.layout, &self.cpu_bytes())?;
        out.write_all(&header).map_err(Error::Output)?;
        self.copy_to(out)
    }

    /// Reads the remaining pages. The files are then at their starts.
    fn end_pages(&mut self) -> Result<(), Error> {
        if !self.is_broken {
            self.read_pages()?;
        }
        for cpu in &mut self.cpus {
            if self.is_broken {
                cpu.drop_partial_page(self.layout.page_bytes)?
            } else {
                cpu.read_partial_page(self.layout.page_bytes)?
            }
            cpu.spool.rewind().map_err(Error::Output)?;
        }
        Ok(())
    }

    fn cpu_bytes(&self) -> Vec<u64> {
        self.cpus.iter().map(|cpu| cpu.bytes).collect()
    }

    fn copy_to(&mut self, out: &mut impl Write) -> Result<(), Error> {
        for cpu in &mut self.cpus {
            cpu.spool.rewind().map_err(Error::Output)?;
            // Between files, the standard library lets the kernel copy.
            for pages in &mut cpu.spool.files {
                io::copy(pages, out).map_err(Error::Output)?;
            }
        }
        Ok(())
    }

    /// Writes a recording in several buffers as one `trace.dat` of version 6: this buffer, and `others`
    /// with their names.
    ///
    /// # Errors
    /// As for [`finish`](Self::finish).
    pub fn finish_with(
        mut self,
        instance: &Instance<'_>,
        others: Vec<(String, Self, &Instance<'_>)>,
        out: &mut impl Write,
    ) -> Result<(), Error> {
        self.end_pages()?;
        let (mut captures, mut buffers) = (vec![self], Vec::new());
        for (name, mut other, instance) in others {
            other.end_pages()?;
            captures.push(other);
            buffers.push((name, instance));
        }
        let mut bytes: Vec<Vec<u64>> = captures.iter().map(Self::cpu_bytes).collect();
        let own = bytes.remove(0);
        let heads = headers(instance, &buffers, &captures[0].layout, &own, bytes)?;
        for (head, capture) in heads.iter().zip(&mut captures) {
            out.write_all(head).map_err(Error::Output)?;
            capture.copy_to(out)?;
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
            let bytes = compression.compress(&mut cpu.spool, cpu.bytes, page_bytes, &mut to);
            cpu.bytes = bytes.map_err(Error::Output)?;
            let written = to.into_inner();
            let written = written.map_err(|error| Error::Output(error.into_error()))?;
            cpu.spool.files = vec![written];
            cpu.spool.rewind().map_err(Error::Output)?;
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
            let moved = self
                .spool
                .store(|file| sys::splice(pipe.0.as_fd(), file.as_fd(), left));
            left -= moved.map_err(Error::Output)?.unwrap_or(0).min(left);
        }
        self.bytes += read as u64;
        Ok(Some(read))
    }

    /// Removes a partial page at the end, as a full disk may have left it.
    fn drop_partial_page(&mut self, page_bytes: usize) -> Result<(), Error> {
        let partial = self.bytes % page_bytes as u64;
        self.bytes -= partial;
        self.spool.cut(partial).map_err(Error::Output)
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
            let mut left = &page[..];
            while !left.is_empty() {
                let stored = self.spool.store(|file| file.write(left));
                left = &left[stored.map_err(Error::Output)?..];
            }
            self.bytes += page_bytes as u64;
        }
    }
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
    let android = Path::new(ANDROID_FOLDER);
    let is_writable = |folder: &&Path| sys::is_writable(folder);
    let folders = [beside, Some(android), Some(&temporary), Some(tmp)];
    folders
        .into_iter()
        .flatten()
        .find(is_writable)
        .map_or_else(|| temporary.clone(), Path::to_path_buf)
}
