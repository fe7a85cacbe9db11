//! Reads the pages of the kernel's ring buffers into memory, for a caller that examines or keeps them
//! while they are recorded.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::time::Duration;

use crate::trace_dat::PageLayout;
use crate::{Error, Instance, StopSignal, Tracefs, sys};

/// The most pages of one CPU in a round, so that the others are not kept waiting.
const PAGES_PER_ROUND: usize = 1024;

/// Reads the pages of all CPUs of a buffer.
pub struct PageReader {
    cpus: Vec<File>,
    page: Vec<u8>,
}

impl PageReader {
    /// Opens the buffers of all CPUs.
    ///
    /// # Errors
    /// If a file of the kernel cannot be opened.
    pub fn open(instance: &Instance<'_>) -> Result<Self, Error> {
        let page = vec![0; PageLayout::read(instance)?.page_bytes];
        let mut cpus = Vec::new();
        while instance.exists(&format!("per_cpu/cpu{}", cpus.len())) {
            let file = format!("per_cpu/cpu{}/trace_pipe_raw", cpus.len());
            let source = instance.open(&file);
            cpus.push(source.map_err(Error::file("opening", &instance.path(&file)))?);
        }
        Ok(Self { cpus, page })
    }

    /// The number of CPUs.
    pub fn cpus(&self) -> usize {
        self.cpus.len()
    }

    /// Waits until a buffer is filled to the watermark, a stop is requested, or `time` is over.
    ///
    /// # Errors
    /// If the system cannot wait.
    pub fn wait(&self, stop: &StopSignal, time: Duration) -> Result<(), Error> {
        let mut files: Vec<_> = self.cpus.iter().map(AsFd::as_fd).collect();
        files.push(stop.file());
        sys::poll(&files, None, time).map_err(Error::Input)?;
        Ok(())
    }

    /// Passes the pages that a CPU has recorded so far to `take`. The last one may be partly filled; its
    /// later events come in another page. Returns whether there are no more.
    ///
    /// # Errors
    /// If the kernel's file cannot be read.
    pub fn read(&mut self, cpu: usize, take: &mut dyn FnMut(&[u8])) -> Result<bool, Error> {
        for _ in 0..PAGES_PER_ROUND {
            let count = match self.cpus[cpu].read(&mut self.page) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Error::Input(error)),
            };
            if count == 0 {
                return Ok(true);
            }
            // Older kernels only return the used part of the page.
            self.page[count..].fill(0);
            take(&self.page);
        }
        Ok(false)
    }
}
