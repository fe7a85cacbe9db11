//! Methods with a signature that R8 changed. R8 writes the new signature as a comment after the
//! method.
//!
//! ```text
//! 1:9:void load(com.example.Feed):17:25 -> a
//! # {"id":"com.android.tools.r8.residualsignature","signature":"(ILa/b;)V"}
//! ```
//! The line has the original types; the comment has the types of the program that was recorded. See "Residual
//! signature" in R8's `doc/retrace.md`.

use proguard::ProguardRecord;
use rustc_hash::{FxHashMap, FxHashSet};

const ID: &str = "com.android.tools.r8.residualsignature";

/// The original form of a method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Original<'a> {
    /// Its original class, if the class has changed.
    pub class: Option<&'a str>,
    pub name: &'a str,
    returns: &'a str,
    arguments: &'a str,
}

/// The methods with a changed signature.
#[derive(Debug, Default)]
pub(super) struct Residuals<'a> {
    /// By class, name and descriptor, all obfuscated. `None` if several were merged into one.
    methods: FxHashMap<(&'a str, &'a str, &'a str), Option<Original<'a>>>,
    /// Methods with changed arguments: obfuscated class and name, original arguments.
    changed: FxHashSet<(&'a str, &'a str, &'a str)>,
}

/// The lines of one range of a method: inlined methods first, the method itself last.
struct Open<'a> {
    obfuscated: &'a str,
    lines: Option<(Option<usize>, Option<usize>)>,
    original: Original<'a>,
    residual: Option<&'a str>,
}

impl<'a> Residuals<'a> {
    pub fn read(text: &'a [u8]) -> Self {
        let mut residuals = Self::default();
        let (mut class, mut open) = ("", None);
        for line in text.split(|&byte| byte == b'\n') {
            // The parser distinguishes members from classes by their indentation.
            let line = line.trim_ascii_end();
            if line.trim_ascii_start().starts_with(b"#") {
                if let (Some(residual), Some(open)) = (signature(line), &mut open) {
                    let open: &mut Open<'a> = open;
                    open.residual = Some(residual);
                }
                continue;
            }
            match ProguardRecord::try_parse(line) {
                Ok(ProguardRecord::Class { obfuscated, .. }) => {
                    residuals.close(class, open.take());
                    class = obfuscated;
                }
                Ok(record) => open = residuals.member(class, open, record),
                Err(_) => {}
            }
        }
        residuals.close(class, open);
        residuals
    }

    /// The original of a method, if a comment contains this descriptor.
    pub fn method(&self, class: &str, name: &str, descriptor: &str) -> Option<Original<'a>> {
        self.methods.get(&(class, name, descriptor)).copied()?
    }

    /// Whether the arguments of a method with these original arguments have changed.
    pub fn is_changed(&self, class: &str, name: &str, arguments: &str) -> bool {
        self.changed.contains(&(class, name, arguments))
    }

    /// Processes the next member. A member with the same range belongs to the same method.
    fn member(
        &mut self,
        class: &'a str,
        open: Option<Open<'a>>,
        record: ProguardRecord<'a>,
    ) -> Option<Open<'a>> {
        let ProguardRecord::Method {
            ty,
            original,
            obfuscated,
            arguments,
            original_class,
            line_mapping,
        } = record
        else {
            self.close(class, open);
            return None;
        };
        let lines = line_mapping.map(|lines| (lines.startline, lines.endline));
        let is_same = |open: &Open<'_>| (open.obfuscated, open.lines) == (obfuscated, lines);
        let residual = match open {
            Some(open) if lines.is_some() && is_same(&open) => open.residual,
            open => {
                self.close(class, open);
                None
            }
        };
        Some(Open {
            obfuscated,
            lines,
            original: Original {
                class: original_class,
                name: original,
                returns: ty,
                arguments,
            },
            residual,
        })
    }

    fn close(&mut self, class: &'a str, open: Option<Open<'a>>) {
        let Some(open) = open else {
            return;
        };
        let Some(residual) = open.residual else {
            return;
        };
        let key = (class, open.obfuscated, residual);
        let known = self.methods.entry(key).or_insert(Some(open.original));
        if *known != Some(open.original) {
            *known = None;
        }
        let original = (class, open.obfuscated, open.original.arguments);
        self.changed.insert(original);
    }
}

impl Original<'_> {
    /// The original signature as a JVM descriptor.
    pub fn descriptor(&self) -> String {
        let mut descriptor = "(".to_owned();
        for argument in self.arguments.split(',').filter(|one| !one.is_empty()) {
            add_type(argument.trim(), &mut descriptor);
        }
        descriptor.push(')');
        add_type(self.returns, &mut descriptor);
        descriptor
    }
}

/// Adds a type such as `int[]` as a JVM descriptor.
fn add_type(name: &str, out: &mut String) {
    let element = name.trim_end_matches("[]");
    out.extend(std::iter::repeat_n('[', (name.len() - element.len()) / 2));
    match element {
        "void" => out.push('V'),
        "boolean" => out.push('Z'),
        "byte" => out.push('B'),
        "char" => out.push('C'),
        "short" => out.push('S'),
        "int" => out.push('I'),
        "long" => out.push('J'),
        "float" => out.push('F'),
        "double" => out.push('D'),
        class => {
            out.push('L');
            out.push_str(&class.replace('.', "/"));
            out.push(';');
        }
    }
}

/// The method descriptor in a comment with a residual signature. R8 writes JSON. Its own tests also
/// use single quotes, and keys without quotes.
fn signature(comment: &[u8]) -> Option<&str> {
    let comment = std::str::from_utf8(comment).ok()?;
    if !comment.contains(ID) {
        return None;
    }
    let mut keys = comment.match_indices("signature");
    let (at, key) = keys.find(|(at, _)| !comment[..*at].ends_with("residual"))?;
    let behind = comment[at + key.len()..].trim_start_matches(['"', '\'', ' ']);
    let value = behind.strip_prefix(':')?.trim_start();
    let quote = value.chars().next().filter(|one| "\"'".contains(*one))?;
    let value = value[1..].split_once(quote)?.0;
    is_method(value).then_some(value)
}

/// Whether this is the descriptor of a method.
fn is_method(descriptor: &str) -> bool {
    let parts = descriptor
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'));
    let Some((mut arguments, returns)) = parts else {
        return false;
    };
    while !arguments.is_empty() {
        match behind_type(arguments) {
            Some(rest) => arguments = rest,
            None => return false,
        }
    }
    returns == "V" || behind_type(returns) == Some("")
}

/// The text after the first type of a descriptor.
fn behind_type(text: &str) -> Option<&str> {
    let element = text.trim_start_matches('[');
    match element.as_bytes().first()? {
        b'L' => {
            let (name, rest) = element[1..].split_once(';')?;
            (!name.is_empty()).then_some(rest)
        }
        b'Z' | b'B' | b'C' | b'S' | b'I' | b'J' | b'F' | b'D' => element.get(1..),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_as_r8_and_its_tests_write_them() {
        let found = |comment: &'static str| signature(comment.as_bytes());
        for comment in [
            r#"# {"id":"com.android.tools.r8.residualsignature","signature":"(I)La/b;"}"#,
            "# {'id':'com.android.tools.r8.residualsignature','signature':'(I)La/b;'}",
            "# { id:'com.android.tools.r8.residualsignature',signature:'(I)La/b;' }",
            r#"# {"signature": "(I)La/b;", "id": "com.android.tools.r8.residualsignature"}"#,
        ] {
            assert_eq!(found(comment), Some("(I)La/b;"), "{comment}");
        }
        for wrong in [
            "I", "Z", "VOLAPYK", "(I", "(I)", "(V)V", "(L;)V", "()VV", "([)V",
        ] {
            let comment = format!(r#"# {{"id":"{ID}","signature":"{wrong}"}}"#);
            assert_eq!(signature(comment.as_bytes()), None, "{wrong}");
        }
        assert_eq!(found(r#"# {"id":"sourceFile","signature":"()V"}"#), None);
    }

    #[test]
    fn any_comment_is_read_or_passed_over() {
        let comment = format!(r#"# {{"id":"{ID}","signature":"([[ILa/b;J)[Lä/c;"}}"#);
        for end in 0..comment.len() {
            _ = signature(&comment.as_bytes()[..end]);
        }
        assert_eq!(signature(comment.as_bytes()), Some("([[ILa/b;J)[Lä/c;"));
    }

    #[test]
    fn types_become_descriptors() {
        let original = Original {
            class: None,
            name: "f",
            returns: "a.B$C[][]",
            arguments: "int,java.lang.String,long[]",
        };
        assert_eq!(original.descriptor(), "(ILjava/lang/String;[J)[[La/B$C;");
    }
}
