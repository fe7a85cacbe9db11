//! Messages on stdout and stderr. A failed write is ignored, since the reader may be gone.

use std::io::{self, Write};

/// Prints a line on stderr.
pub(super) fn print_error(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Prints progress on stdout, for programs that wait for it.
pub(super) fn print_progress(text: &str) {
    let mut out = io::stdout();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
