//! Text that waits for its writer.

use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::Error;

/// The most text that waits, bytes. As much again may be on its way to the output.
const MOST: usize = 32 << 20;

/// Text between the thread that reads it from the kernel and the one that writes it.
#[derive(Default)]
pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    text: Vec<u8>,
    /// Whether no more text follows.
    is_closed: bool,
    /// Whether the output has failed, so that no more text is written.
    is_gone: bool,
}

impl Queue {
    /// Adds text. Waits while too much text is waiting.
    ///
    /// # Errors
    /// [`Error::Output`] if the output has failed. The writer returns the reason.
    pub fn push(&self, bytes: &[u8]) -> Result<(), Error> {
        let mut state = self.wait(|state| state.text.len() >= MOST && !state.is_gone);
        if state.is_gone {
            return Err(Error::Output(io::ErrorKind::BrokenPipe.into()));
        }
        state.text.extend_from_slice(bytes);
        self.changed.notify_all();
        Ok(())
    }

    /// Marks the end of the text.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Writes all text until the queue is closed and empty.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        let written = self.write_until_closed(out);
        self.lock().is_gone = true;
        self.changed.notify_all();
        written
    }

    fn write_until_closed(&self, out: &mut impl Write) -> io::Result<()> {
        loop {
            let mut state = self.wait(|state| state.text.is_empty() && !state.is_closed);
            let text = std::mem::take(&mut state.text);
            drop(state);
            if text.is_empty() {
                return Ok(());
            }
            self.changed.notify_all();
            out.write_all(&text)?;
            out.flush()?;
        }
    }

    fn wait(&self, is_early: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let waited = self
            .changed
            .wait_while(self.lock(), |state| is_early(state));
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::thread;

    use super::{MOST, Queue};

    #[test]
    fn everything_is_written_in_order() {
        let queue = Queue::default();
        let mut out = Vec::new();
        thread::scope(|scope| {
            let writer = scope.spawn(|| queue.write_to(&mut out));
            (0..1000u32).for_each(|number| queue.push(&number.to_le_bytes()).unwrap());
            queue.close();
            writer.join().unwrap().unwrap();
        });
        let expected: Vec<u8> = (0..1000u32).flat_map(u32::to_le_bytes).collect();
        assert!(out == expected);
    }

    /// A full disk.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_output_that_fails_ends_the_reader_too() {
        let queue = Queue::default();
        thread::scope(|scope| {
            let writer = scope.spawn(|| queue.write_to(&mut Full));
            // Waits for the writer, or finds it gone.
            while queue.push(&vec![0; MOST]).is_ok() {}
            let failed = writer.join().unwrap().unwrap_err();
            assert_eq!(failed.kind(), io::ErrorKind::StorageFull);
        });
    }
}
