//! Messages on standard error.

/// Prints a line on standard error. Its reader may be gone, as after `2>&1 | head`: unlike `eprintln`, this does not end
/// the program then, which may be recording.
macro_rules! message {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

pub(crate) use message;
