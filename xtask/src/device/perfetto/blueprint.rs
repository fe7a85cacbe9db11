//! The modules of an `Android.bp`.

use std::collections::HashMap;

use anyhow::{Context, Result, bail, ensure};

/// A module: its kind, and its properties that are lists of texts.
#[derive(Debug, Default)]
pub struct Module {
    pub kind: String,
    lists: HashMap<String, Vec<String>>,
}

impl Module {
    /// A property that is a list; empty if there is none.
    pub fn list(&self, name: &str) -> &[String] {
        self.lists.get(name).map_or(&[], Vec::as_slice)
    }
}

/// All modules by their names.
#[derive(Debug)]
pub struct Blueprint(HashMap<String, Module>);

impl Blueprint {
    /// Parses an `Android.bp`.
    pub fn parse(text: &str) -> Result<Self> {
        let mut parser = Parser(tokens(text));
        let mut modules = HashMap::new();
        while let Some(kind) = parser.next() {
            match parser.value(kind)? {
                // An assignment.
                Value::Other if parser.peek() == Some("=") => {
                    parser.next();
                    parser.any_value()?;
                }
                _ => {
                    let Value::Map(map) = parser.any_value()? else {
                        bail!("{kind}: not a module");
                    };
                    let (name, module) = module(kind, map);
                    modules.insert(name, module);
                }
            }
        }
        Ok(Self(modules))
    }

    pub fn module(&self, name: &str) -> Result<&Module> {
        let module = self.0.get(name);
        module.with_context(|| format!("Android.bp has no module {name}"))
    }

    /// The sources of a module, including its file groups. A generated source is returned as the
    /// name of the module that generates it.
    pub fn sources(&self, name: &str) -> Result<(Vec<String>, Vec<String>)> {
        let (mut files, mut generators) = (Vec::new(), Vec::new());
        for source in self.module(name)?.list("srcs") {
            match source.strip_prefix(':') {
                None => files.push(source.clone()),
                Some(group) if self.module(group)?.kind == "filegroup" => {
                    let (more, generated) = self.sources(group)?;
                    files.extend(more);
                    generators.extend(generated);
                }
                Some(generator) => generators.push(generator.to_owned()),
            }
        }
        Ok((files, generators))
    }
}

fn module(kind: &str, map: Vec<(String, Value)>) -> (String, Module) {
    let mut name = String::new();
    let mut module = Module {
        kind: kind.to_owned(),
        ..Module::default()
    };
    for (key, value) in map {
        match value {
            Value::Text(text) if key == "name" => name = text,
            Value::List(list) => _ = module.lists.insert(key, list),
            _ => {}
        }
    }
    (name, module)
}

enum Value {
    Text(String),
    /// The texts of a list.
    List(Vec<String>),
    Map(Vec<(String, Value)>),
    Other,
}

/// Words, quoted texts, and single characters. Comments are left out.
fn tokens(text: &str) -> std::vec::IntoIter<&str> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            closing_quote(rest)
        } else if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        if !token.starts_with("//") && !token.starts_with("/*") {
            all.push(token);
        }
        rest = after.trim_start();
    }
    all.into_iter()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "_-.".contains(c)
}

/// The length of a quoted text, with its quotes.
fn closing_quote(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !is_escaped => return at + 1,
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    text.len()
}

struct Parser<'t>(std::vec::IntoIter<&'t str>);

impl<'t> Parser<'t> {
    fn next(&mut self) -> Option<&'t str> {
        self.0.next()
    }

    fn peek(&self) -> Option<&'t str> {
        self.0.as_slice().first().copied()
    }

    fn any_value(&mut self) -> Result<Value> {
        let token = self.next().context("Android.bp ends too early")?;
        let mut value = self.value(token)?;
        // Only the first part of a sum is needed.
        while self.peek() == Some("+") {
            self.next();
            let more = self.any_value()?;
            if let (Value::List(list), Value::List(more)) = (&mut value, more) {
                list.extend(more);
            }
        }
        Ok(value)
    }

    /// The value that begins with a token. A name may be a call, such as `select(…)`.
    fn value(&mut self, token: &str) -> Result<Value> {
        Ok(match token {
            "{" => Value::Map(self.map()?),
            "[" => Value::List(self.list()?),
            "(" => {
                self.skip_call()?;
                Value::Other
            }
            quoted if quoted.starts_with('"') => Value::Text(quoted.trim_matches('"').to_owned()),
            _ => {
                if self.peek() == Some("(") {
                    self.next();
                    self.skip_call()?;
                }
                Value::Other
            }
        })
    }

    fn skip_call(&mut self) -> Result<()> {
        let mut depth = 1;
        while depth > 0 {
            match self.next().context("a call without an end")? {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
        }
        Ok(())
    }

    fn map(&mut self) -> Result<Vec<(String, Value)>> {
        let mut map = Vec::new();
        loop {
            match self.next().context("a map without an end")? {
                "}" => return Ok(map),
                "," => {}
                key => {
                    let sign = self.next();
                    ensure!(matches!(sign, Some(":" | "=")), "{key}: no value");
                    map.push((key.trim_matches('"').to_owned(), self.any_value()?));
                }
            }
        }
    }

    fn list(&mut self) -> Result<Vec<String>> {
        let mut list = Vec::new();
        loop {
            match self.next().context("a list without an end")? {
                "]" => return Ok(list),
                "," => {}
                token => {
                    if let Value::Text(text) = self.value(token)? {
                        list.push(text);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Blueprint;

    #[test]
    fn sources_are_found_through_groups() {
        let text = r#"
            // a comment
            flags = ["-O2"]
            filegroup { name: "base", srcs: ["a.cc", "b.cc"] }
            cc_binary {
                name: "program",
                srcs: [":base", ":made", "main.cc"] + ["more.cc"],
                target: { android: { srcs: ["\"x\".cc"] } },
                cflags: select(("os"), { "linux": ["-DX"], default: [] }),
                enabled: true,
            }
            genrule { name: "made", cmd: "a(b) { c", out: ["made.cc"] }
        "#;
        let blueprint = Blueprint::parse(text).unwrap();
        let (files, generators) = blueprint.sources("program").unwrap();
        assert_eq!(files, ["a.cc", "b.cc", "main.cc", "more.cc"]);
        assert_eq!(generators, ["made"]);
        assert_eq!(blueprint.module("made").unwrap().list("out"), ["made.cc"]);
    }
}
