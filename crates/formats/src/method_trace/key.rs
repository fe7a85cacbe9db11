//! The key section: the text before the records, or the summary at the end of a streaming trace.
//!
//! ```text
//! *version
//! 3
//! clock=dual            key=value lines
//! *threads
//! 1⇥main                number, name
//! *methods
//! 0x4⇥java.lang.Object⇥<init>⇥()V⇥Object.java[⇥line]
//! *end
//! ```
//!
//! Sources: real files, and the comment at the top of ART's `runtime/trace.cc`.

use std::borrow::Cow;

use memchr::{memchr, memmem};
use traceloom_trace::{MethodEvents, MethodLine, RepairKind};

use super::emit::Emitter;

const BEGIN: &[u8] = b"*version";

/// The maximum number of options that are read. VMs write a dozen.
const MAX_OPTIONS: usize = 1 << 16;

/// Whether `head` begins with a key section.
pub(super) fn begins(head: &[u8]) -> bool {
    match head.strip_prefix(BEGIN) {
        Some(rest) => matches!(rest.first(), None | Some(b'\n' | b'\r')),
        None => false,
    }
}

/// Where the key section ends: after the line `*end`. `scanned` remembers the progress of the
/// search across calls, so that every byte is searched only once.
pub(super) fn end(text: &[u8], scanned: &mut usize) -> Option<usize> {
    const MARK: &[u8] = b"\n*end";
    let mut from = scanned.saturating_sub(MARK.len());
    while let Some(found) = memmem::find(&text[from..], MARK) {
        let behind = from + found + MARK.len();
        match text.get(behind..) {
            Some([b'\n', ..]) => return Some(behind + 1),
            Some([b'\r', b'\n', ..]) => return Some(behind + 2),
            Some([] | [b'\r']) => break,
            _ => from = behind,
        }
    }
    *scanned = text.len();
    None
}

/// The `key=value` lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    /// The line after `*version`.
    pub version: Option<u16>,
    /// The lines, in order.
    pub pairs: Vec<(String, String)>,
}

impl Keys {
    /// The last value of `key`.
    pub fn get(&self, key: &str) -> Option<&str> {
        let found = self.pairs.iter().rev().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Version,
    Options,
    Threads,
    Methods,
    Unknown,
}

/// Calls `line` with each line of `text`, without its line end, and its offset.
fn for_lines(text: &[u8], mut line: impl FnMut(usize, &[u8])) {
    let mut at = 0;
    while at < text.len() {
        let end = memchr(b'\n', &text[at..]).map_or(text.len(), |found| at + found);
        let bytes = &text[at..end];
        line(at, bytes.strip_suffix(b"\r").unwrap_or(bytes));
        at = end + 1;
    }
}

/// Classifies a line: the part it belongs to, and whether it begins that part.
fn next_part(part: Part, line: &[u8]) -> (Part, bool) {
    if line.first() != Some(&b'*') {
        return (part, false);
    }
    let part = match line {
        b"*version" => Part::Version,
        b"*threads" => Part::Threads,
        b"*methods" => Part::Methods,
        _ => Part::Unknown,
    };
    (part, true)
}

/// Reads only the version and the options.
pub(super) fn read_keys(text: &[u8]) -> Keys {
    let (mut keys, mut part) = (Keys::default(), Part::Unknown);
    for_lines(text, |_, line| {
        let (next, is_mark) = next_part(part, line);
        part = next;
        if is_mark {
            return;
        }
        let line = String::from_utf8_lossy(line);
        if part == Part::Version {
            keys.version = parse_id(&line).and_then(|version| u16::try_from(version).ok());
            part = Part::Options;
        } else if let (Part::Options, Some((key, value))) = (part, line.split_once('='))
            && keys.pairs.len() < MAX_OPTIONS
        {
            keys.pairs.push((key.to_owned(), value.to_owned()));
        }
    });
    keys
}

/// Declares the threads and methods of the section. `at` is the position of `text` in the source.
pub(super) fn declare(text: &[u8], at: u64, emit: &mut Emitter, sink: &mut dyn MethodEvents) {
    let (mut part, mut options) = (Part::Unknown, 0);
    for_lines(text, |offset, line| {
        let (next, is_mark) = next_part(part, line);
        part = next;
        let place = at + offset as u64;
        let read = match part {
            _ if is_mark || line.is_empty() => true,
            Part::Version => {
                part = Part::Options;
                true
            }
            Part::Options => {
                options += 1;
                if options > MAX_OPTIONS {
                    emit.beyond_limit("options", place);
                }
                memchr(b'=', line).is_some()
            }
            Part::Threads => declare_thread(line, place, emit, sink),
            Part::Methods => declare_method(line, place, emit, sink),
            Part::Unknown => false,
        };
        if !read {
            emit.repairs.add(RepairKind::UnparsedLine, place, || {
                String::from_utf8_lossy(line).into_owned()
            });
        }
    });
}

fn declare_thread(
    line: &[u8],
    offset: u64,
    emit: &mut Emitter,
    sink: &mut dyn MethodEvents,
) -> bool {
    let text = emit.text(line, offset);
    let Some((tid, name)) = text.split_once('\t') else {
        return false;
    };
    let Ok(tid) = tid.trim().parse() else {
        return false;
    };
    emit.declare_thread(tid, name, offset, sink);
    true
}

/// Declares the method of one line, from the key section or a streaming trace.
pub(super) fn declare_method(
    line: &[u8],
    offset: u64,
    emit: &mut Emitter,
    sink: &mut dyn MethodEvents,
) -> bool {
    let text: Cow<'_, str> = emit.text(line, offset);
    match parse_method(&text) {
        Some(line) => {
            emit.declare_method(&line, offset, sink);
            true
        }
        None => false,
    }
}

/// An id as VMs print it: `0x…`, or just `0`.
pub(super) fn parse_id(text: &str) -> Option<u64> {
    let text = text.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A line with its id: `id class method signature [file [line]]`, or `id class file line` from the
/// oldest Dalvik.
pub(super) fn parse_method(line: &str) -> Option<MethodLine<'_>> {
    let (id, rest) = line.split_once('\t')?;
    Some(MethodLine {
        raw_id: parse_id(id)?,
        ..parse_method_names(rest)
    })
}

/// Like [`parse_method`], for a line without the id.
pub(super) fn parse_method_names(line: &str) -> MethodLine<'_> {
    let mut fields = line.split('\t');
    let class = fields.next().unwrap_or_default();
    let name = fields.next().unwrap_or_default();
    let signature = fields.next().unwrap_or_default();
    let file = fields.next();
    let number = fields.next().and_then(|text| text.trim().parse().ok());
    let is_file_and_line = file.is_none() && !signature.starts_with('(');
    if let (true, Ok(line)) = (is_file_and_line, signature.parse()) {
        return MethodLine {
            class,
            file: name,
            line,
            ..MethodLine::default()
        };
    }
    MethodLine {
        raw_id: 0,
        class,
        name,
        signature,
        file: file.filter(|file| *file != "(null)").unwrap_or_default(),
        line: number.unwrap_or(-1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn method_lines_of_every_vm() {
        let dalvik = parse_method("0x62ae8a10\tcom/x/Basic\tbar\t()I\tBasic.java\t18").unwrap();
        assert_eq!((dalvik.raw_id, dalvik.line), (0x62ae_8a10, 18));
        assert_eq!((dalvik.name, dalvik.signature), ("bar", "()I"));
        let art = parse_method("0x4\ta.B\tc\t()V\tB.java").unwrap();
        assert_eq!((art.file, art.line), ("B.java", -1));
        let first_of_a_stream = parse_method("0\ta.B\tc\t()V\t(null)").unwrap();
        assert_eq!((first_of_a_stream.raw_id, first_of_a_stream.file), (0, ""));
        let four = parse_method("0x8\tZ\tm\t()").unwrap();
        assert_eq!((four.class, four.name, four.signature), ("Z", "m", "()"));
        let old = parse_method("0x8\tcom/x/Z\tZ.java\t12").unwrap();
        assert_eq!((old.name, old.file, old.line), ("", "Z.java", 12));
        assert!(parse_method("junk\tZ").is_none());
        assert!(parse_method("junk").is_none());
    }

    #[test]
    fn the_end_is_found_wherever_the_text_was_cut() {
        let text = b"*version\n3\n*threads\n1\t*end of x\n*ends\n*end\nSLOW";
        let whole = end(text, &mut 0).unwrap();
        assert_eq!(&text[whole..], b"SLOW");
        let mut scanned = 0;
        for cut in 0..text.len() {
            let found = end(&text[..cut], &mut scanned);
            assert_eq!(found, (cut >= whole).then_some(whole), "cut at {cut}");
            if found.is_some() {
                break;
            }
        }
        assert_eq!(end(b"*version\n1\r\n*end\r\nSLOW", &mut 0), Some(18));
    }
}
