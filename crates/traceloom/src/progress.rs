//! A progress bar on standard error, shown only on a terminal.

use std::sync::{Mutex, OnceLock, PoisonError};

use crate::print::message;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Receives the bytes read so far and, if known, the total.
type Listener = Box<dyn Fn(u64, Option<u64>) + Send + Sync>;

static LISTENER: OnceLock<Listener> = OnceLock::new();

/// Also reports the progress of reading to `listener`. The program has one listener; later ones are
/// ignored.
pub fn also_call(listener: impl Fn(u64, Option<u64>) + Send + Sync + 'static) {
    LISTENER.get_or_init(|| Box::new(listener));
}

/// The bar on the screen; messages are printed above it.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Sets the bar above which [`print_line`] prints, or none.
pub fn show(bar: Option<ProgressBar>) {
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = bar;
}

/// Prints a line on standard error, above the bar if there is one.
pub fn print_line(line: &str) {
    let shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match shown {
        Some(bar) => bar.suspend(|| message!("{line}")),
        None => message!("{line}"),
    }
}

/// Shows how much of an input has been read. Hidden unless standard error is a terminal.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar of `length` bytes, or a counter if the length is unknown.
    pub fn new(length: Option<u64>) -> Self {
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr());
        let template = match length {
            Some(_) => {
                "reading {bar:30} {decimal_bytes}/{decimal_total_bytes} {decimal_bytes_per_sec} {eta}"
            }
            None => "reading {decimal_bytes} {decimal_bytes_per_sec}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// Adds bytes that were read.
    pub fn add(&self, bytes: usize) {
        self.bar.inc(bytes as u64);
        if let Some(listener) = LISTENER.get() {
            listener(self.bar.position(), self.bar.length());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
