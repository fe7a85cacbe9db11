//! Joins the page's modules into one script. A report is opened from the disk, where modules cannot import
//! each other, and one script needs one hash in the Content-Security-Policy.
//!
//! Comment lines are left out, except the first line of a module: the script is a quarter smaller
//! (gzipped), and stays readable. Nothing else in the modules is changed. A module follows the
//! modules that it imports:
//!
//! ```text
//! web/app/main.js                         const $source$frame = (() => {
//!   import {decode} from "source/frame";  function decode() {…}
//!   decode();                             return {decode};
//!                                   ──►   })();
//! web/source/frame.js                     const $app$main = (() => {
//!   export function decode() {…}          const {decode} = $source$frame;
//!                                         decode();
//!                                         return {};
//!                                         })();
//! ```

use std::collections::BTreeMap;

use thiserror::Error;

/// Why modules cannot be joined.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("web/{module}.js:{line}: {problem}")]
pub struct JoinError {
    /// The module's name, without `.js`.
    pub module: String,
    /// The line in its file, from 1.
    pub line: usize,
    /// The problem in that line.
    pub problem: String,
}

/// Joins `entries` and everything they import into one script. `find` gives a module's source by its name.
///
/// # Errors
/// For missing modules and names, circular imports, and unsupported forms of import and export.
pub(crate) fn join(
    entries: &[&str],
    find: &dyn Fn(&str) -> Option<String>,
) -> Result<String, JoinError> {
    let mut joiner = Joiner {
        find,
        exports: BTreeMap::new(),
        path: Vec::new(),
        script: String::new(),
    };
    entries.iter().try_for_each(|entry| joiner.add(entry, 0))?;
    Ok(joiner.script)
}

struct Joiner<'a> {
    find: &'a dyn Fn(&str) -> Option<String>,
    /// The names that each joined module exports.
    exports: BTreeMap<String, Vec<String>>,
    /// The modules from the entry to the current one.
    path: Vec<String>,
    script: String,
}

impl Joiner<'_> {
    /// Adds a module, unless it was already added. `line` is the line of the import.
    fn add(&mut self, name: &str, line: usize) -> Result<(), JoinError> {
        if self.exports.contains_key(name) {
            return Ok(());
        }
        if self.path.iter().any(|on_path| on_path == name) {
            let problem = format!("circular import: {} → {name}", self.path.join(" → "));
            return Err(self.error(line, problem));
        }
        let Some(source) = (self.find)(name) else {
            return Err(self.error(line, format!("there is no module {name:?}")));
        };
        self.path.push(name.to_owned());
        let (mut body, mut exports) = (String::new(), Vec::new());
        let mut comments = Comments::default();
        for (number, line) in source.lines().enumerate() {
            let joined = self.line(number + 1, line, &mut exports)?;
            if !comments.cover(line) || number == 0 {
                body += &joined;
                body.push('\n');
            }
        }
        self.path.pop();
        let (variable, names) = (variable(name), exports.join(", "));
        self.script +=
            &format!("const {variable} = (() => {{\n{body}return {{{names}}};\n}})();\n");
        self.exports.insert(name.to_owned(), exports);
        Ok(())
    }

    /// Converts a line of a module for the script.
    fn line(
        &mut self,
        number: usize,
        line: &str,
        exports: &mut Vec<String>,
    ) -> Result<String, JoinError> {
        if ["</script", "<script", "<!--"]
            .iter()
            .any(|text| line.contains(text))
        {
            return Err(self.error(number, "text that would end or change the script in HTML"));
        }
        if line.starts_with("import") {
            return self.import(number, line);
        }
        let Some(declaration) = line.strip_prefix("export ") else {
            return Ok(line.to_owned());
        };
        let Some(name) = declared(declaration) else {
            let problem =
                "only functions, classes and constants can be exported, where they are declared";
            return Err(self.error(number, problem));
        };
        exports.push(name.to_owned());
        Ok(declaration.to_owned())
    }

    /// Converts `import {a, b as c} from "module";`, or an import without names.
    fn import(&mut self, number: usize, line: &str) -> Result<String, JoinError> {
        let Some((names, from)) = parse_import(line) else {
            return Err(self.error(
                number,
                "only import {a, b as c} from \"module\"; is supported",
            ));
        };
        self.add(from, number)?;
        let mut fields = Vec::new();
        for name in names
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
        {
            let (theirs, ours) = name.split_once(" as ").unwrap_or((name, name));
            if !self.exports[from].iter().any(|export| export == theirs) {
                return Err(self.error(number, format!("{from:?} does not export {theirs}")));
            }
            fields.push(if theirs == ours {
                ours.to_owned()
            } else {
                format!("{theirs}: {ours}")
            });
        }
        if fields.is_empty() {
            return Ok(String::new());
        }
        Ok(format!(
            "const {{{}}} = {};",
            fields.join(", "),
            variable(from)
        ))
    }

    /// An error in the current module.
    fn error(&self, line: usize, problem: impl Into<String>) -> JoinError {
        JoinError {
            module: self.path.last().cloned().unwrap_or_default(),
            line,
            problem: problem.into(),
        }
    }
}

/// Finds the lines that hold nothing but a comment.
#[derive(Default)]
struct Comments {
    /// Inside of a `/** … */` of several lines.
    in_block: bool,
    /// Inside a multi-line template, whose text may look like a comment.
    in_template: bool,
}

impl Comments {
    /// Whether the next line is a comment.
    fn cover(&mut self, line: &str) -> bool {
        let text = line.trim();
        if self.in_block {
            self.in_block = !text.ends_with("*/");
            return true;
        }
        let is_block = text.starts_with("/*") && is_whole(text);
        if self.in_template || !(is_block || text.starts_with("//")) {
            self.in_template ^= line.matches('`').count() % 2 == 1;
            return false;
        }
        self.in_block = is_block && !text.ends_with("*/");
        true
    }
}

/// Whether nothing follows the block comment that this line begins.
fn is_whole(text: &str) -> bool {
    text.find("*/").is_none_or(|end| end + 2 == text.len())
}

/// The variable that holds a module's exports.
fn variable(module: &str) -> String {
    format!("${}", module.replace('/', "$"))
}

/// The names and the module of an import.
fn parse_import(line: &str) -> Option<(&str, &str)> {
    let import = line.strip_prefix("import ")?.strip_suffix("\";")?;
    let (names, from) = import.split_once('"')?;
    if names.is_empty() {
        return Some((names, from));
    }
    Some((names.strip_prefix('{')?.strip_suffix("} from ")?, from))
}

/// The name introduced by a declaration.
fn declared(declaration: &str) -> Option<&str> {
    let rest = declaration.strip_prefix("async ").unwrap_or(declaration);
    let mut kinds = ["function ", "class ", "const "].iter();
    let name = kinds.find_map(|kind| rest.strip_prefix(kind))?;
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$')?;
    Some(&name[..end]).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests;
