//! The key section: the text before the records.
//!
//! ```text
//! *version\n  N\n  name=value\n …
//! *threads\n  id\tname\n …
//! *methods\n  id\tclass\tmethod\tsignature[\tfile\tline]\n …
//! *end\n
//! ```
//! It is read as the original reads it, quirks included. A missing `*threads` causes a message and a thread 0 without a
//! name. A method line of five fields (file, but no line number) keeps the tab and the file in the signature. A line
//! with an empty class or method name is taken as a function name, with its tabs. Texts end at a NUL, as in C.

use memchr::{memchr, memchr_iter, memmem};

use super::c_numbers;
use super::methods::{Method, Methods};
use super::order::merge_sort;

/// This many lines of a section are always accepted, however short they are. A method takes some
/// 200 bytes of memory until it is printed, so a file of tiny lines would take a hundred times its
/// size.
const FREE_LINES: usize = 1 << 17;
/// Minimum number of bytes in the thread section for each line beyond [`FREE_LINES`]: real lines have more.
const THREAD_LINE: usize = 8;
/// The same for the method section.
const METHOD_LINE: usize = 20;

/// One line of `*threads`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Thread<'a> {
    pub id: i32,
    pub name: &'a [u8],
}

/// The content of the key section.
pub(super) struct Keys<'a> {
    /// Sorted by id.
    pub threads: Vec<Thread<'a>>,
    pub methods: Methods<'a>,
    /// The offset of the binary header.
    pub end: usize,
}

/// The result of reading a key section.
pub(super) struct KeySection<'a> {
    /// Known even if the rest could not be read.
    pub version: Option<i32>,
    /// Lines for standard error: warnings, and the error if there are no keys.
    pub notes: Vec<u8>,
    pub keys: Option<Keys<'a>>,
}

/// An error in the key section: a line for standard error, or nothing if the original prints
/// nothing.
struct KeyError(Vec<u8>);

impl KeyError {
    /// Bytes of the file (`own`) are printed without escapes, as by the original.
    fn new(before: impl AsRef<[u8]>, own: &[u8], after: &str) -> Self {
        KeyError([before.as_ref(), own, after.as_bytes(), b"\n"].concat())
    }

    fn lines(section: &str, found: i32) -> Self {
        let message = format!("ERROR: failed while reading {section} (found {found})");
        KeyError::new(message, b"", "")
    }
}

/// Reads the key section at the start of `data`.
pub(super) fn read(data: &[u8]) -> KeySection<'_> {
    let mut reader = Reader {
        rest: data,
        version: None,
        notes: Vec::new(),
    };
    let keys = reader.keys(data.len());
    let keys = keys.map_err(|error| reader.notes.extend(error.0)).ok();
    KeySection {
        version: reader.version,
        notes: reader.notes,
        keys,
    }
}

/// The lines of a section, which all end with a line break.
struct Lines<'a> {
    text: &'a [u8],
    count: usize,
}

impl<'a> Lines<'a> {
    fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut rest = self.text;
        std::iter::from_fn(move || {
            let (line, after) = split(rest, b'\n')?;
            rest = after;
            Some(line)
        })
    }

    /// Fails if there are no lines, or if the lines are so short that they would take too much
    /// memory.
    fn check(&self, section: &str, least_bytes: usize) -> Result<(), KeyError> {
        let (count, bytes) = (self.count, self.text.len());
        if count == 0 {
            return Err(KeyError::lines(section, 0));
        }
        if count > FREE_LINES + bytes / least_bytes {
            let of = format!("{count} lines in section {section} of {bytes} bytes");
            return Err(KeyError::new(format!("ERROR: {of} are too many"), b"", ""));
        }
        Ok(())
    }
}

struct Reader<'a> {
    rest: &'a [u8],
    version: Option<i32>,
    notes: Vec<u8>,
}

impl<'a> Reader<'a> {
    fn keys(&mut self, file_len: usize) -> Result<Keys<'a>, KeyError> {
        if file_len == 0 {
            return Err(KeyError::new("Key file is empty.", b"", ""));
        }
        let version_lines = self.version()?;
        let mut threads = Vec::new();
        if let Err(warning) = self.token("threads") {
            self.notes.extend(warning.0);
            threads.push(self.missing_threads(version_lines)?);
        }
        self.threads(&mut threads)?;
        self.token("methods")?;
        let methods = self.methods()?;
        self.token("end")?;
        Ok(Keys {
            threads,
            methods: Methods::new(methods),
            end: file_len - self.rest.len(),
        })
    }

    /// Skips the line `*name…`.
    fn token(&mut self, section: &str) -> Result<(), KeyError> {
        let start = |from: usize, end: usize| text(&self.rest[from..self.rest.len().min(end)]);
        if self.rest.first() != Some(&b'*') {
            let message = format!("ERROR: not at start of {section} (found '");
            return Err(KeyError::new(message, start(0, 10), "')"));
        }
        let Some((line, rest)) = split(self.rest, b'\n').filter(|l| l.0.len() > section.len())
        else {
            return Err(KeyError(Vec::new()));
        };
        if !line[1..].starts_with(section.as_bytes()) {
            let message = format!("ERROR: '{section}' not found (got '");
            return Err(KeyError::new(message, start(1, 8), "')"));
        }
        self.rest = rest;
        Ok(())
    }

    /// Skips the lines up to the next token.
    fn lines(&mut self, section: &str) -> Result<Lines<'a>, KeyError> {
        let len = match self.rest.first() {
            Some(b'*') => 0,
            _ => 1 + memmem::find(self.rest, b"\n*").ok_or_else(|| KeyError::lines(section, -1))?,
        };
        let (text, rest) = self.rest.split_at(len);
        self.rest = rest;
        let count = memchr_iter(b'\n', text).count();
        Ok(Lines { text, count })
    }

    /// Reads the version; returns the number of lines in its section.
    fn version(&mut self) -> Result<usize, KeyError> {
        self.token("version")?;
        let lines = self.lines("version")?;
        // One byte per line is enough, because these lines take no memory.
        lines.check("version", 1)?;
        let number = lines.iter().next().unwrap_or_default();
        self.version = Some(c_numbers::strtoul(text(number)).0 as i32);
        Ok(lines.count)
    }

    /// If `*threads` is missing, the original steps one byte back and reads a thread from there. It
    /// finds a line break, which makes an empty line. If the version section has only one line, the
    /// original has already replaced that break by a NUL, and reads the NUL and the whole next
    /// line.
    fn missing_threads(&mut self, version_lines: usize) -> Result<Thread<'a>, KeyError> {
        let mut name = &b""[..];
        if version_lines == 1 {
            let line = split(self.rest, b'\n').ok_or_else(|| KeyError::lines("threads", -1))?;
            name = split(line.0, b'\t').map_or(name, |(_, name)| text(name));
            self.rest = line.1;
        }
        Ok(Thread { id: 0, name })
    }

    /// Adds the threads of the section and sorts them. The original compares ids by subtraction, which may wrap. So its
    /// comparison is not a total order.
    fn threads(&mut self, threads: &mut Vec<Thread<'a>>) -> Result<(), KeyError> {
        let lines = self.lines("threads")?;
        if lines.count > 0 || threads.is_empty() {
            lines.check("threads", THREAD_LINE)?;
            // Bounded: counted in the text, and checked against its size.
            threads.reserve_exact(lines.count);
        }
        threads.extend(lines.iter().map(thread));
        merge_sort(threads, |a, b| a.id.wrapping_sub(b.id).cmp(&0));
        Ok(())
    }

    fn methods(&mut self) -> Result<Vec<Method<'a>>, KeyError> {
        let lines = self.lines("methods")?;
        lines.check("methods", METHOD_LINE)?;
        // Bounded: counted in the text, and checked against its size.
        let mut methods = Vec::with_capacity(lines.count);
        for line in lines.iter() {
            methods.push(method(line)?);
        }
        Ok(methods)
    }
}

/// Splits at the first `byte`.
fn split(bytes: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr(byte, bytes)?;
    Some((&bytes[..at], &bytes[at + 1..]))
}

/// A text as in C: up to the first NUL.
fn text(bytes: &[u8]) -> &[u8] {
    split(bytes, 0).map_or(bytes, |(text, _)| text)
}

/// A line without a tab is only a name, and the number is read from that name.
fn thread(line: &[u8]) -> Thread<'_> {
    let (id, name) = split(line, b'\t').unwrap_or((line, line));
    Thread {
        id: c_numbers::atoi(text(id)),
        name: text(name),
    }
}

fn method(line: &[u8]) -> Result<Method<'_>, KeyError> {
    let Some((id, rest)) = split(line, b'\t') else {
        let message = "ERROR: missing field on method line: '";
        return Err(KeyError::new(message, text(line), "'"));
    };
    let id = text(id);
    let (value, taken) = c_numbers::strtoul(id);
    if taken < id.len() {
        return Err(KeyError::new("ERROR: bad method ID '", id, "'"));
    }
    let mut method = Method {
        id: value as i64,
        class: text(rest),
        name: None,
        signature: b"",
    };
    if let Some((class, rest)) = split(rest, b'\t')
        && let Some((name, rest)) = split(rest, b'\t')
        && !(class.is_empty() || name.is_empty())
    {
        method.class = text(class);
        method.name = Some(text(name));
        method.signature = text(signature(rest));
    }
    Ok(method)
}

/// The signature ends at its tab only if both the file and the line number follow, and neither the signature nor the
/// file is empty.
fn signature(rest: &[u8]) -> &[u8] {
    match split(rest, b'\t') {
        Some((signature, more)) if !signature.is_empty() => match split(more, b'\t') {
            Some((file, _)) if !file.is_empty() => signature,
            _ => rest,
        },
        _ => rest,
    }
}
