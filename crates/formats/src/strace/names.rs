//! The names of threads, and the texts in which they are printed.

use traceloom_trace::{ThreadId, TraceBuilder};

/// The maximum length of a thread's name in the kernel, bytes.
const COMM_BYTES: usize = 15;

/// Names a thread. Long names are truncated as in the kernel.
pub(super) fn name(thread: ThreadId, name: &[u8], out: &mut TraceBuilder) {
    let end = COMM_BYTES.min(name.len());
    let end = std::str::from_utf8(name).map_or(end, |name| name.floor_char_boundary(end));
    if end > 0 {
        let name = out.intern(&name[..end]);
        out.name_thread(thread, name);
    }
}

/// The first text in quotes.
pub(super) fn quoted(args: &str) -> Vec<u8> {
    let quote = args.find('"').map_or(args.len(), |quote| quote + 1);
    unescaped(&args[quote..])
}

/// The bytes of a text up to its closing quote. strace escapes everything except printable ASCII as in C: `\n`, in
/// octal (`\0`, `\303`), or in hexadecimal (`\xc3`, with `-x`).
pub(super) fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let (byte, after) = match (first, after) {
            (b'"', _) => break,
            (b'\\', [first, after @ ..]) => escape(*first, after),
            _ => (*first, after),
        };
        bytes.push(byte);
        rest = after;
    }
    bytes
}

/// The byte that an escape represents, and the text after the escape. `first` is the byte after the backslash.
fn escape(first: u8, after: &[u8]) -> (u8, &[u8]) {
    match first {
        b'x' => number(after, 16, 2),
        b'0'..=b'7' => {
            let (low, rest) = number(after, 8, 2);
            let digits = (after.len() - rest.len()) as u32;
            (((first - b'0') << (3 * digits)) | low, rest)
        }
        b'f' => (b'\x0c', after),
        b'n' => (b'\n', after),
        b'r' => (b'\r', after),
        b't' => (b'\t', after),
        b'v' => (b'\x0b', after),
        itself => (itself, after),
    }
}

/// Parses a number of at most `most` digits. Also returns the text after it.
fn number(text: &[u8], radix: u32, most: usize) -> (u8, &[u8]) {
    let (mut value, mut rest) = (0, text);
    while let [digit, after @ ..] = rest
        && text.len() - rest.len() < most
        && let Some(digit) = char::from(*digit).to_digit(radix)
    {
        value = value * radix + digit;
        rest = after;
    }
    (value as u8, rest)
}
