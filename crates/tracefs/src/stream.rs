//! Reads the ring buffer as text during a recording.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::thread;
use std::time::{Duration, Instant};

use crate::dump::write_losses;
use crate::losses::TextLosses;
use crate::queue::Queue;
use crate::{Ended, Error, StopSignal, Tracefs, sys};

/// Size of a read, bytes.
const BLOCK: usize = 64 << 10;

/// The longest wait for events. After it, the wait starts again.
const IDLE_WAIT: Duration = Duration::from_secs(3600);

/// Pause between reads. The kernel also records the events that reading causes, so reading after each
/// event would never end.
const PAUSE: Duration = Duration::from_millis(10);
/// After a read of this many bytes there is no pause, since a small ring buffer might overflow.
const BUSY_BYTES: usize = 64 << 10;
/// How often a stream checks for lost events.
const LOSSES_EVERY: Duration = Duration::from_millis(200);

/// Writes the kernel's text during a recording, until `stop` is requested or the reader of `out` is
/// gone. Removes the events from the ring buffer. Losses are written as they occur.
///
/// # Errors
/// As for [`dump_text`].
pub fn stream_text(
    tree: &dyn Tracefs,
    out: &mut (impl Write + AsFd + Send),
    stop: &StopSignal,
    losses: &mut TextLosses,
) -> Result<Ended, Error> {
    match stream_until(tree, out, stop, losses) {
        Err(Error::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            Ok(Ended::NoReader)
        }
        Ok(Ended::Requested) => write_losses(tree, out, losses).map(|()| Ended::Requested),
        ended => ended,
    }
}

fn stream_until(
    tree: &dyn Tracefs,
    out: &mut (impl Write + AsFd + Send),
    stop: &StopSignal,
    losses: &mut TextLosses,
) -> Result<Ended, Error> {
    let closing = out.as_fd().try_clone_to_owned().map_err(Error::Output)?;
    let queue = Queue::default();
    thread::scope(|scope| {
        let writer = scope.spawn(|| queue.write_to(out));
        let stream = Stream {
            tree,
            losses,
            queue: &queue,
        };
        let ended = stream.read_until(stop, closing.as_fd());
        queue.close();
        let written = writer
            .join()
            .unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
        written.map_err(Error::Output)?;
        ended
    })
}

/// Reads the kernel's text as fast as it comes. Another thread writes it, so that a slow reader of the
/// output or a busy disk does not make the kernel's buffer overflow.
struct Stream<'s> {
    tree: &'s dyn Tracefs,
    losses: &'s mut TextLosses,
    queue: &'s Queue,
}

impl Stream<'_> {
    fn read_until(self, stop: &StopSignal, out: BorrowedFd<'_>) -> Result<Ended, Error> {
        let _urgent = sys::Urgent::new();
        let mut pipe = open_pipe(self.tree)?;
        let mut block = vec![0; BLOCK];
        let mut looked = Instant::now();
        loop {
            let mut take = |bytes: &[u8]| self.queue.push(bytes);
            let copied = copy_available(&mut pipe, &mut take, &mut block)?;
            if looked.elapsed() >= LOSSES_EVERY {
                // The kernel returns whole lines, so this does not split one.
                take(self.losses.lines(self.tree).as_bytes())?;
                looked = Instant::now();
            }
            if stop.is_requested() {
                return Ok(Ended::Requested);
            }
            if copied < BUSY_BYTES {
                let files = sys::poll(&[stop.file()], Some(out), PAUSE);
                if files.map_err(Error::Input)?[0].readable {
                    return Ok(Ended::Requested);
                }
            }
            let files = sys::poll(&[pipe.as_fd(), stop.file()], Some(out), IDLE_WAIT);
            let files = files.map_err(Error::Input)?;
            if files[1].readable {
                return Ok(Ended::Requested);
            }
            if files[2].closed {
                return Ok(Ended::NoReader);
            }
        }
    }
}

/// Writes what [`stream_text`] left in the ring buffer, after recording has stopped.
///
/// # Errors
/// As for [`dump_text`].
pub fn stream_rest(
    tree: &dyn Tracefs,
    out: &mut impl Write,
    losses: &mut TextLosses,
) -> Result<(), Error> {
    let mut pipe = open_pipe(tree)?;
    let mut block = vec![0; BLOCK];
    let mut take = |bytes: &[u8]| out.write_all(bytes).map_err(Error::Output);
    while copy_available(&mut pipe, &mut take, &mut block)? >= BUSY_BYTES {}
    out.flush().map_err(Error::Output)?;
    write_losses(tree, out, losses)
}

fn open_pipe(tree: &dyn Tracefs) -> Result<File, Error> {
    const FILE: &str = "trace_pipe";
    let opened = tree.open(FILE);
    opened.map_err(Error::file("opening", &tree.path(FILE)))
}

/// Passes the available text to `take` and returns its size in bytes. Returns after [`BUSY_BYTES`], so
/// that the caller can check for a stop request.
fn copy_available(
    pipe: &mut File,
    take: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
    block: &mut [u8],
) -> Result<usize, Error> {
    let mut copied = 0;
    while copied < BUSY_BYTES {
        match pipe.read(block) {
            Ok(0) => break,
            Ok(count) => {
                take(&block[..count])?;
                copied += count;
            }
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock => break,
                io::ErrorKind::Interrupted => {}
                _ => return Err(Error::Input(error)),
            },
        }
    }
    Ok(copied)
}
