//! The key section: the text part in front of the records.
//!
//! ```text
//! *version\n  N\n  name=value\n …
//! *threads\n  id\tname\n …
//! *methods\n  id\tclass\tmethod\tsignature[\tfile\tline]\n …
//! *end\n
//! ```
//! Read as the original reads it, quirks included: a missing `*threads` is complained about and
//! then gives a nameless thread 0; a method line of five fields (file, but no line number)
//! keeps the tab and the file in the signature; a line with an empty class or method name is a
//! bare function name, tabs and all. Texts end at a NUL, as C's do.

mod error;

pub(super) use error::KeyError;

use super::cnum;
use super::density::{METHOD_LINE, THREAD_LINE};
use super::lines::{Lines, find, split, text};
use super::methods::{Method, Methods};

/// One line of `*threads`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Thread<'a> {
    pub id: i32,
    pub name: &'a [u8],
}

/// What the key section says.
pub(super) struct Keys<'a> {
    /// Sorted by id.
    pub threads: Vec<Thread<'a>>,
    pub methods: Methods<'a>,
    /// Where the binary header starts.
    pub end: usize,
}

/// How far the reading came.
pub(super) struct KeySection<'a> {
    /// Known even if the rest could not be read.
    pub version: Option<i32>,
    /// What was survived.
    pub warnings: Vec<KeyError>,
    pub keys: Result<Keys<'a>, KeyError>,
}

/// Reads the key section at the start of `data`.
pub(super) fn read(data: &[u8]) -> KeySection<'_> {
    let mut reader = Reader { data, at: 0 };
    let mut section = KeySection {
        version: None,
        warnings: Vec::new(),
        keys: Err(KeyError::Empty),
    };
    if !data.is_empty() {
        section.keys = read_sections(&mut reader, &mut section.version, &mut section.warnings);
    }
    section
}

fn read_sections<'a>(
    reader: &mut Reader<'a>,
    version: &mut Option<i32>,
    warnings: &mut Vec<KeyError>,
) -> Result<Keys<'a>, KeyError> {
    let (number, lines) = reader.version()?;
    *version = Some(number);
    let mut threads = Vec::new();
    if let Err(warning) = reader.token("threads") {
        warnings.push(warning);
        threads.push(reader.instead_of_threads(lines)?);
    }
    reader.threads(&mut threads)?;
    reader.token("methods")?;
    let methods = reader.methods()?;
    reader.token("end")?;
    Ok(Keys {
        threads,
        methods: Methods::new(methods),
        end: reader.at,
    })
}

struct Reader<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.data[self.at..]
    }

    /// Steps over the line `*name…`.
    fn token(&mut self, section: &'static str) -> Result<(), KeyError> {
        let rest = self.rest();
        if rest.first() != Some(&b'*') {
            let found = text(&rest[..rest.len().min(10)]).to_vec();
            return Err(KeyError::NotAtStart { section, found });
        }
        let line = find(b'\n', rest);
        let Some(line) = line.filter(|&len| len > section.len()) else {
            return Err(KeyError::ShortToken { section });
        };
        if !rest[1..].starts_with(section.as_bytes()) {
            let got = text(&rest[1..rest.len().min(8)]).to_vec();
            return Err(KeyError::OtherSection { section, got });
        }
        self.at += line + 1;
        Ok(())
    }

    /// The lines up to the next token, and steps there.
    fn lines(&mut self, section: &'static str) -> Result<Lines<'a>, KeyError> {
        let start = self.at;
        let mut count = 0;
        while self.data.get(self.at) != Some(&b'*') {
            let line = find(b'\n', self.rest());
            self.at += line.ok_or(KeyError::NoLines { section, found: -1 })? + 1;
            count += 1;
        }
        if count == 0 {
            return Err(KeyError::NoLines { section, found: 0 });
        }
        let text = &self.data[start..self.at - 1];
        Ok(Lines { text, count })
    }

    /// The version and how many lines its section has.
    fn version(&mut self) -> Result<(i32, usize), KeyError> {
        self.token("version")?;
        let lines = self.lines("version")?;
        let number = lines.iter().next().unwrap_or_default();
        Ok((cnum::strtoul(text(number)).0 as i32, lines.count))
    }

    /// Where `*threads` should be, the original steps one byte back and takes what it finds for a
    /// thread: a line break, so an empty line; but if the version section had only the one line
    /// whose break has become a NUL by then, that NUL and the whole line behind it.
    fn instead_of_threads(&mut self, version_lines: usize) -> Result<Thread<'a>, KeyError> {
        if version_lines > 1 {
            return Ok(Thread { id: 0, name: b"" });
        }
        let rest = self.rest();
        let Some(end) = find(b'\n', rest) else {
            let section = "threads";
            return Err(KeyError::NoLines { section, found: -1 });
        };
        self.at += end + 1;
        let name = split(&rest[..end]).map_or(&b""[..], |(_, name)| text(name));
        Ok(Thread { id: 0, name })
    }

    /// Adds the threads of the section and sorts.
    fn threads(&mut self, threads: &mut Vec<Thread<'a>>) -> Result<(), KeyError> {
        match self.lines("threads") {
            Ok(lines) => {
                lines.check("threads", THREAD_LINE)?;
                threads.reserve_exact(lines.count);
                threads.extend(lines.iter().map(thread));
            }
            Err(KeyError::NoLines { found: 0, .. }) if !threads.is_empty() => {}
            Err(error) => return Err(error),
        }
        sort_threads(threads);
        Ok(())
    }

    fn methods(&mut self) -> Result<Vec<Method<'a>>, KeyError> {
        let lines = self.lines("methods")?;
        lines.check("methods", METHOD_LINE)?;
        // Room for the pseudo-methods as well.
        let mut methods = Vec::with_capacity(lines.count + 2);
        for line in lines.iter() {
            methods.push(method(line)?);
        }
        Ok(methods)
    }
}

/// By number. The original subtracts, which wraps, so its comparison may be no order: then its own
/// merge sort makes the same of it.
fn sort_threads(threads: &mut [Thread<'_>]) {
    let ids = || threads.iter().map(|t| t.id);
    let lowest = ids().min().unwrap_or(0);
    if ids().all(|id| id.checked_sub(lowest).is_some()) {
        threads.sort_by_key(|t| t.id);
    } else {
        super::order::merge_sort(threads, |a, b| a.id.wrapping_sub(b.id).cmp(&0));
    }
}

/// A line without a tab is all name, and its number is read from the name.
fn thread(line: &[u8]) -> Thread<'_> {
    let tab = find(b'\t', line);
    let (id, name) = match tab {
        Some(tab) => (&line[..tab], &line[tab + 1..]),
        None => (line, line),
    };
    Thread {
        id: cnum::atoi(text(id)),
        name: text(name),
    }
}

fn method(line: &[u8]) -> Result<Method<'_>, KeyError> {
    // Hardly ever is there a NUL to look for in each field.
    let has_nul = find(0, line).is_some();
    let text = |field| if has_nul { text(field) } else { field };
    let Some((id, rest)) = split(line) else {
        let line = text(line).to_vec();
        return Err(KeyError::MissingField { line });
    };
    let id = text(id);
    let (value, taken) = cnum::strtoul(id);
    if taken < id.len() {
        return Err(KeyError::BadMethodId { id: id.to_vec() });
    }
    let named = split(rest)
        .and_then(|(class, rest)| split(rest).map(|(name, rest)| (class, name, rest)))
        .filter(|(class, name, _)| !class.is_empty() && !name.is_empty());
    Ok(match named {
        None => Method {
            id: value as i64,
            class: text(rest),
            name: None,
            signature: b"",
        },
        Some((class, name, rest)) => Method {
            id: value as i64,
            class: text(class),
            name: Some(text(name)),
            signature: text(signature(rest)),
        },
    })
}

/// The signature ends at its tab only if both the file and the line number follow, and neither it
/// nor the file is empty.
fn signature(rest: &[u8]) -> &[u8] {
    match split(rest) {
        Some((signature, more)) if !signature.is_empty() => match split(more) {
            Some((file, _)) if !file.is_empty() => signature,
            _ => rest,
        },
        _ => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method_of(line: &str) -> (String, Option<String>, String) {
        let m = method(line.as_bytes()).unwrap();
        let own = |b: &[u8]| String::from_utf8(b.to_vec()).unwrap();
        (own(m.class), m.name.map(own), own(m.signature))
    }

    #[test]
    fn five_fields_keep_the_file_in_the_signature() {
        let want = |c: &str, n: Option<&str>, s: &str| (c.into(), n.map(String::from), s.into());
        assert_eq!(method_of("4\tC\tm\t()V"), want("C", Some("m"), "()V"));
        assert_eq!(
            method_of("4\tC\tm\t()V\tC.java"),
            want("C", Some("m"), "()V\tC.java")
        );
        assert_eq!(
            method_of("4\tC\tm\t()V\tC.java\t7"),
            want("C", Some("m"), "()V")
        );
        assert_eq!(
            method_of("4\tC\tm\t()V\t\t7"),
            want("C", Some("m"), "()V\t\t7")
        );
        assert_eq!(method_of("4\tC\tm"), want("C\tm", None, ""));
        assert_eq!(method_of("4\t\tm\t()V"), want("\tm\t()V", None, ""));
    }

    #[test]
    fn missing_threads_are_survived() {
        let section = read(b"*version\n2\nclock=wall\n*methods\n4\tA\tf\t()V\n*end\n");
        assert_eq!(section.warnings.len(), 1);
        let keys = section.keys.unwrap();
        assert_eq!(keys.threads, [Thread { id: 0, name: b"" }]);
        assert_eq!(keys.methods.len(), 3);
    }

    #[test]
    fn what_is_no_trace_is_an_error() {
        for (bytes, want) in [
            (&b""[..], "Key file is empty.\n"),
            (b"hello", "ERROR: not at start of version (found 'hello')\n"),
            (b"*ver\n", ""),
            (
                b"*sersion\n2\n",
                "ERROR: 'version' not found (got 'sersion')\n",
            ),
            (
                b"*version\n2\n",
                "ERROR: failed while reading version (found -1)\n",
            ),
            (
                b"*version\n*t",
                "ERROR: failed while reading version (found 0)\n",
            ),
        ] {
            let mut message = Vec::new();
            read(bytes).keys.err().unwrap().write(&mut message);
            assert_eq!(String::from_utf8(message).unwrap(), want);
        }
    }
}
