//! A progress bar on standard error, there only when somebody looks.

use std::sync::{Mutex, OnceLock, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Hears of bytes read, and of how many there are in all where that is known.
type Listener = Box<dyn Fn(u64, Option<u64>) + Send + Sync>;

static LISTENER: OnceLock<Listener> = OnceLock::new();

/// Tells `listener` too how far reading is. There is one in a program: later ones hear nothing.
pub fn also_tell(listener: impl Fn(u64, Option<u64>) + Send + Sync + 'static) {
    LISTENER.get_or_init(|| Box::new(listener));
}

/// The bar that is on the screen, above which lines are written.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Has lines of [`tell`] written above this bar, or above none.
pub fn show(bar: Option<ProgressBar>) {
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = bar;
}

/// A line on standard error, above a bar that is there.
pub fn tell(line: &str) {
    let shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match shown {
        Some(bar) => bar.suspend(|| eprintln!("{line}")),
        None => eprintln!("{line}"),
    }
}

/// Shows how much of an input was read. Hidden where standard error is no terminal.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar of `length` bytes; a counter where the length is not known.
    pub fn new(length: Option<u64>) -> Self {
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr());
        let template = match length {
            Some(_) => "reading {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
            None => "reading {bytes} {bytes_per_sec}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// That many more bytes were read.
    pub fn add(&self, bytes: usize) {
        self.bar.inc(bytes as u64);
        if let Some(tell) = LISTENER.get() {
            tell(self.bar.position(), self.bar.length());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
