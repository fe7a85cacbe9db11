//! Shows on a terminal that a query is still running.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use traceloom_query::{Output, ValueRef};

/// Shorter queries show nothing.
const QUIET: Duration = Duration::from_secs(2);
/// Time between two updates.
const TICK: Duration = Duration::from_millis(250);

/// Passes a result on. Until its first row, a line on standard error shows for how long the query has been running.
pub(super) struct Running<'o> {
    out: &'o mut dyn Output,
    line: Option<Line>,
}

impl<'o> Running<'o> {
    pub fn new(out: &'o mut dyn Output) -> Self {
        let line = io::stderr().is_terminal().then(Line::new);
        Self { out, line }
    }
}

impl Output for Running<'_> {
    fn columns(&mut self, names: &[String]) -> io::Result<()> {
        self.out.columns(names)
    }

    fn row(&mut self, values: &[ValueRef<'_>]) -> io::Result<()> {
        // The rows may go to the same terminal.
        self.line = None;
        self.out.row(values)
    }
}

/// The line. It is erased when this is dropped.
struct Line {
    /// Dropped to signal to the thread that the query has ended.
    ended: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Line {
    fn new() -> Self {
        let (ended, end) = channel();
        let begun = Instant::now();
        let thread = thread::spawn(move || {
            if end.recv_timeout(QUIET) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = bar(begun.elapsed());
            while end.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Self {
            ended: Some(ended),
            thread: Some(thread),
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        drop(self.ended.take());
        if let Some(thread) = self.thread.take() {
            // The thread only draws the line, so its failure does not matter.
            _ = thread.join();
        }
    }
}

fn bar(elapsed: Duration) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let bar = bar.with_elapsed(elapsed);
    if let Ok(style) = ProgressStyle::with_template(
        "{spinner} the query has been running for {elapsed}; Ctrl-C stops it",
    ) {
        bar.set_style(style);
    }
    bar
}
