//! The map from method ids to names. It has one line per method, in the format of similar tools.
//!
//! ```text
//! 0,0,traceloom.MethodMap v1 next=3;call=android.os.Trace.beginSection(String)/endSection()
//! 1,1,com.example.Feed load (Ljava/lang/String;)V
//! 2,9,com.example.Feed open ()Lcom/example/Feed;
//! ```
//!
//! The three fields are the id, the access flags as a number, and class, method and descriptor separated by spaces. The
//! class name is dotted. No method has the id 0. The line with this id holds the version, the next unused id, and the
//! call; simple readers treat it as one more method. Control characters and backslashes in names are written as
//! `\uXXXX`.

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

/// Largest id that fits into 20 bits, the limit of some tools.
pub const MAX_PACKED_ID: u32 = 0xf_ffff;

const VERSION_CLASS: &str = "traceloom.MethodMap";
const VERSION: &str = "v1";

/// A method in the map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MappedMethod {
    /// Its id; the first is 1.
    pub id: u32,
    /// Access flags from the class file.
    pub access: u16,
    /// The class, dotted: `com.example.Feed$Row`.
    pub class: String,
    /// The method: `load`, `<init>`.
    pub name: String,
    /// The descriptor: `(I)V`; empty in maps of tools that omit it.
    pub descriptor: String,
}

/// The methods and their ids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MethodMap {
    /// Ordered by id.
    pub methods: Vec<MappedMethod>,
    /// The lowest id that was never used.
    pub next: u32,
    /// The pair of methods that woven code calls; empty if unknown.
    pub call: String,
}

/// A line of a method map that cannot be read.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[error("line {line} of the method map is {text:?}; {expected}")]
pub struct MapError {
    /// Line number, from 1.
    line: usize,
    text: String,
    expected: &'static str,
}

impl Default for MethodMap {
    fn default() -> Self {
        Self {
            methods: Vec::new(),
            next: 1,
            call: String::new(),
        }
    }
}

impl MethodMap {
    /// Reads a map written by this crate or by another tool with the same format. Skips empty lines and ids below 1.
    /// Some tools use such ids for entries that are not methods.
    ///
    /// # Errors
    /// If a line does not have three fields, an id is not a number, or two methods have the same id.
    pub fn parse(text: &str) -> Result<Self, MapError> {
        let (mut map, mut ids) = (Self::default(), FxHashSet::default());
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_end_matches('\r');
            if line.trim().is_empty() {
                continue;
            }
            let wrong = |expected| MapError {
                line: number + 1,
                text: line.chars().take(120).collect(),
                expected,
            };
            let count = map.methods.len();
            map.add_line(line).map_err(wrong)?;
            let added = map.methods.get(count);
            if added.is_some_and(|method| !ids.insert(method.id)) {
                return Err(wrong("an earlier line has this id"));
            }
        }
        map.methods.sort_by_key(|method| method.id);
        let last = map.methods.last().map_or(0, |method| method.id);
        map.next = map.next.max(last.saturating_add(1));
        Ok(map)
    }

    fn add_line(&mut self, line: &str) -> Result<(), &'static str> {
        const FIELDS: &str = "expected `id,access,class method descriptor`";
        let mut fields = line.splitn(3, ',');
        let mut field = || fields.next().ok_or(FIELDS);
        let id: i64 = field()?.trim().parse().map_err(|_| FIELDS)?;
        let access: u32 = field()?.trim().parse().map_err(|_| FIELDS)?;
        let names = field()?;
        let (class, rest) = names.split_once(' ').unwrap_or((names, ""));
        if id == 0 && class == VERSION_CLASS {
            return self.add_facts(rest);
        }
        if id <= 0 {
            return Ok(());
        }
        // Names may contain spaces; descriptors never do.
        let (name, descriptor) = match rest.rsplit_once(' ') {
            Some((name, descriptor)) if descriptor.starts_with('(') => (name, descriptor),
            _ => (rest, ""),
        };
        self.methods.push(MappedMethod {
            id: u32::try_from(id).map_err(|_| "the id does not fit 32 bits")?,
            access: access as u16,
            class: unescape(class).replace('/', "."),
            name: unescape(name),
            descriptor: unescape(descriptor),
        });
        Ok(())
    }

    fn add_facts(&mut self, text: &str) -> Result<(), &'static str> {
        let facts = match text.split_once(' ') {
            Some((VERSION, facts)) => facts,
            _ => return Err("this version of the map is newer than this program"),
        };
        for fact in facts.split(';') {
            match fact.split_once('=') {
                Some(("next", next)) => {
                    self.next = next.parse().map_err(|_| "next is not an id")?
                }
                Some(("call", call)) => call.clone_into(&mut self.call),
                _ => {}
            }
        }
        Ok(())
    }

    /// The map as text.
    pub fn to_text(&self) -> String {
        let mut out = String::with_capacity(80 * (self.methods.len() + 1));
        let (next, call) = (self.next, &self.call);
        // Writing to a String cannot fail.
        let _ = writeln!(out, "0,0,{VERSION_CLASS} {VERSION} next={next};call={call}");
        for method in &self.methods {
            let names = [&method.class, &method.name, &method.descriptor].map(|name| escape(name));
            let [class, name, descriptor] = names;
            let (id, access) = (method.id, method.access);
            let _ = writeln!(out, "{id},{access},{class} {name} {descriptor}");
        }
        out
    }

    /// The method with this id.
    pub fn get(&self, id: u32) -> Option<&MappedMethod> {
        let index = self.methods.binary_search_by_key(&id, |method| method.id);
        Some(&self.methods[index.ok()?])
    }
}

impl MappedMethod {
    /// Class and method, `com.example.Feed.load`: the name of its sections.
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.class, self.name)
    }
}

/// Assigns ids to methods. Methods of an earlier map keep theirs.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    by_name: FxHashMap<String, u32>,
    map: MethodMap,
    used: FxHashSet<u32>,
}

impl Ids {
    /// Continues an earlier map: methods keep their ids from build to build, and the id of a removed method is never
    /// reused.
    pub fn new(base: Option<&MethodMap>, call: String) -> Self {
        let mut ids = Self::default();
        if let Some(base) = base {
            let entry = |method: &MappedMethod| {
                (
                    key(&method.class, &method.name, &method.descriptor),
                    method.id,
                )
            };
            ids.by_name = base.methods.iter().map(entry).collect();
            ids.map.next = base.next;
        }
        ids.map.call = call;
        ids
    }

    /// The id of a method, which is added to the map. `None` if all ids are used.
    pub fn id(&mut self, access: u16, class: &str, name: &str, descriptor: &str) -> Option<u32> {
        let key = key(class, name, descriptor);
        let id = match self.by_name.get(&key) {
            Some(&id) => id,
            None => {
                let id = self.map.next;
                self.map.next = id.checked_add(1).filter(|next| *next <= i32::MAX as u32)?;
                self.by_name.insert(key, id);
                id
            }
        };
        if self.used.insert(id) {
            self.map.methods.push(MappedMethod {
                id,
                access,
                class: class.to_owned(),
                name: name.to_owned(),
                descriptor: descriptor.to_owned(),
            });
        }
        Some(id)
    }

    /// The map of all methods that got an id.
    pub fn into_map(mut self) -> MethodMap {
        self.map.methods.sort_by_key(|method| method.id);
        self.map
    }
}

fn key(class: &str, name: &str, descriptor: &str) -> String {
    format!("{class} {name} {descriptor}")
}

/// A name with control characters and backslashes escaped.
fn escape(name: &str) -> String {
    if !name.contains(|c: char| c.is_control() || c == '\\') {
        return name.to_owned();
    }
    let mut out = String::new();
    for c in name.chars() {
        match c {
            '\\' => out.push_str("\\u005c"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

/// Reverses [`escape`].
fn unescape(name: &str) -> String {
    let mut parts = name.split("\\u");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_hex = |hex: &&str| hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        let hex = part.get(..4).filter(is_hex);
        let code = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok());
        match code.and_then(char::from_u32) {
            Some(c) => {
                out.push(c);
                out.push_str(&part[4..]);
            }
            None => {
                out.push_str("\\u");
                out.push_str(part);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_four_hexadecimal_digits_are_an_escape() {
        assert_eq!(unescape("a\\u005cb\\u+05c\\u12"), "a\\b\\u+05c\\u12");
    }

    #[test]
    fn maps_are_read_as_they_were_written() {
        let mut ids = Ids::new(None, "a.B.i(int)/o(int)".to_owned());
        ids.id(1, "com.example.Feed", "load", "(I)V");
        ids.id(8, "com.example.Feed", "a name\nof \\ two lines", "()V");
        let map = ids.into_map();
        let text = map.to_text();
        assert_eq!(text.lines().count(), 3);
        assert_eq!(MethodMap::parse(&text), Ok(map));
    }

    #[test]
    fn ids_stay_with_their_methods() {
        let mut first = Ids::new(None, String::new());
        let load = first.id(1, "F", "load", "()V");
        let gone = first.id(1, "F", "gone", "()V");
        let first = first.into_map();
        let mut second = Ids::new(Some(&first), String::new());
        assert_ne!(second.id(1, "F", "fresh", "()V"), gone);
        assert_eq!(second.id(1, "F", "load", "()V"), load);
        let second = second.into_map();
        assert_eq!(second.methods.len(), 2);
        let mut third = Ids::new(Some(&second), String::new());
        assert_eq!(
            third.id(1, "F", "newer", "()V"),
            Some(4),
            "2 belonged to a removed method"
        );
    }

    #[test]
    fn lines_of_other_tools_are_read() {
        let text =
            "1,1,com.example.Feed load (I)V\r\n-1,0,dispatch x\n\n2,10,com/example/Feed open\n";
        let map = MethodMap::parse(text).unwrap();
        let names: Vec<String> = map.methods.iter().map(MappedMethod::full_name).collect();
        assert_eq!(names, ["com.example.Feed.load", "com.example.Feed.open"]);
        assert_eq!(map.get(2).unwrap().descriptor, "");
        for wrong in ["x", "1,1", "1,x,a b", "1,1,a b ()V\n1,1,a c ()V"] {
            assert!(MethodMap::parse(wrong).is_err(), "{wrong}");
        }
    }
}
