//! The paths that the code of a file names.

use std::iter::Peekable;
use std::vec::IntoIter;

/// A module: the segments of its path after `crate`.
pub type Module = Vec<String>;

/// The paths in a file that lead into its own crate, as they are after `crate::`.
pub struct Paths {
    /// The paths that the code uses.
    pub named: Vec<Module>,
    /// Re-exports (`pub use`): the new path and the original one.
    pub passed_on: Vec<(Module, Module)>,
}

type Words = Peekable<IntoIter<String>>;

impl Paths {
    /// Reads the text of a module's file; `is_child` returns whether a name is a submodule of it.
    pub fn of(text: &str, module: &Module, is_child: impl Fn(&str) -> bool) -> Self {
        let mut paths = Self {
            named: Vec::new(),
            passed_on: Vec::new(),
        };
        let mut words = without_tests(words(text)).into_iter().peekable();
        let mut is_public = false;
        while let Some(word) = words.next() {
            let path = if word == "use" {
                tree(&mut words)
            } else {
                vec![rest_of_path(word.clone(), &mut words)]
            };
            for (path, name) in path {
                let Some(path) = absolute(path, module, &is_child) else {
                    continue;
                };
                if word == "use" && is_public {
                    let new = [&module[..], &[name]].concat();
                    paths.passed_on.push((new, path));
                } else {
                    paths.named.push(path);
                }
            }
            // The visibility of the next word: `pub`, or `pub(…)`.
            let in_brackets = ["(", ")", "crate", "super", "self", "in"].contains(&word.as_str());
            is_public = word == "pub" || (is_public && in_brackets);
        }
        paths
    }
}

/// A path from the crate's root. `None` if it leads to another crate.
fn absolute(path: Module, module: &Module, is_child: impl Fn(&str) -> bool) -> Option<Module> {
    let first = path.first()?.clone();
    let supers = path
        .iter()
        .take_while(|segment| *segment == "super")
        .count();
    let kept = module.len().checked_sub(supers)?;
    match first.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([module, &path[1..]].concat()),
        "super" => Some([&module[..kept], &path[supers..]].concat()),
        child => is_child(child).then(|| [&module[..], &path].concat()),
    }
}

/// The path that begins with `first`, and its last segment.
fn rest_of_path(first: String, words: &mut Words) -> (Module, String) {
    let mut path = vec![first];
    while words.next_if(|word| word == "::").is_some() {
        path.extend(words.next_if(|word| is_name(word)));
    }
    // A single name is not a path, but a variable or a keyword, for example.
    if path.len() == 1 {
        path.clear();
    }
    (path, String::new())
}

/// The paths after `use`, each with its local name.
fn tree(words: &mut Words) -> Vec<(Module, String)> {
    let mut path = Module::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            "::" => (),
            "{" => return branches(&path, words),
            "as" => {
                let name = words.next().unwrap_or_default();
                return vec![(path, name)];
            }
            name if is_name(name) => path.push(name.to_owned()),
            _ => (),
        }
        if words
            .peek()
            .is_none_or(|word| [";", ",", "}"].contains(&word.as_str()))
        {
            break;
        }
    }
    // `{self}` is the module itself.
    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = path.last().cloned().unwrap_or_default();
    vec![(path, name)]
}

fn branches(start: &Module, words: &mut Words) -> Vec<(Module, String)> {
    let mut paths = Vec::new();
    while words.peek().is_some_and(|word| word != "}") {
        for (path, name) in tree(words) {
            let is_start = path.len() == 1 && path[0] == "self";
            let path = if is_start {
                start.clone()
            } else {
                [&start[..], &path].concat()
            };
            let name = if name == "self" {
                path.last().cloned().unwrap_or_default()
            } else {
                name
            };
            paths.push((path, name));
        }
        words.next_if(|word| word == ",");
    }
    words.next();
    paths
}

fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Removes the module of tests, which is at the end of a file.
fn without_tests(mut words: Vec<String>) -> Vec<String> {
    let begin = ["#", "[", "cfg", "(", "test", ")", "]", "mod"];
    let found = words
        .windows(begin.len() + 2)
        .position(|part| part[..begin.len()] == begin && part[begin.len() + 1] == "{");
    words.truncate(found.unwrap_or(words.len()));
    words
}

/// The names and punctuation marks of a text, without comments, strings and characters.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => string(rest),
            'r' if rest.starts_with("r\"") || rest.starts_with("r#\"") => raw_string(rest),
            '\'' => character(rest),
            ':' if rest.starts_with("::") => 2,
            first if first.is_alphanumeric() || first == '_' => {
                let end = |sign: char| !(sign.is_alphanumeric() || sign == '_');
                rest.find(end).unwrap_or(rest.len())
            }
            first => first.len_utf8(),
        };
        let word = &rest[..length];
        let is_code =
            !word.starts_with(['"', '\'']) && !word.starts_with("//") && !word.starts_with("/*");
        if is_code && !word.trim().is_empty() && !word.contains('"') {
            words.push(word.to_owned());
        }
        rest = &rest[length..];
    }
    words
}

fn string(text: &str) -> usize {
    let mut escaped = true;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 1)
}

fn raw_string(text: &str) -> usize {
    let close = if text.starts_with("r#") { "\"#" } else { "\"" };
    let open = close.len() + 1;
    text[open..]
        .find(close)
        .map_or(text.len(), |end| open + end + close.len())
}

/// The length of a character literal, such as `'x'` or `'\n'`, or of the quote of a lifetime.
fn character(text: &str) -> usize {
    let mut signs = text.char_indices().skip(1);
    match signs.next() {
        Some((_, '\\')) => text[3..].find('\'').map_or(1, |end| end + 4),
        Some((at, sign)) if text[at + sign.len_utf8()..].starts_with('\'') => {
            at + sign.len_utf8() + 1
        }
        _ => 1,
    }
}
