//! One module of the page: what it imports and exports, and its body without those statements.

use crate::bundle::BundleError;
use crate::tokens::{Kind, Token, tokens};

/// `import {a, b as c} from "x"`.
#[derive(Debug)]
pub(crate) struct Import {
    pub from: String,
    /// Their name and ours.
    pub names: Vec<(String, String)>,
    /// `import * as name`.
    pub whole: Option<String>,
    /// Where the statement stands, in bytes.
    pub at: usize,
}

/// A name that others may import.
#[derive(Debug)]
pub(crate) struct Export {
    pub name: String,
    /// What the module itself calls it.
    pub local: String,
}

/// A module, taken apart.
#[derive(Debug)]
pub(crate) struct Module<'a> {
    name: &'a str,
    source: &'a str,
    tokens: Vec<Token>,
    /// Tokens that are not part of the body.
    cut: Vec<bool>,
    pub imports: Vec<Import>,
    pub exports: Vec<Export>,
}

impl<'a> Module<'a> {
    pub fn parse(name: &'a str, source: &'a str) -> Result<Self, BundleError> {
        let mut module = Self {
            name,
            source,
            tokens: Vec::new(),
            cut: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
        };
        module.tokens = tokens(source)
            .map_err(|(what, at)| module.error(at, format!("{what} that does not end")))?;
        module.cut = vec![false; module.tokens.len()];
        module.statements()?;
        Ok(module)
    }

    /// An error about the byte `at`.
    pub fn error(&self, at: usize, problem: String) -> BundleError {
        let before = &self.source.as_bytes()[..at.min(self.source.len())];
        BundleError {
            module: self.name.to_owned(),
            line: 1 + before.iter().filter(|&&byte| byte == b'\n').count(),
            problem,
        }
    }

    fn statements(&mut self) -> Result<(), BundleError> {
        let mut depth = 0usize;
        let mut at = 0;
        while at < self.tokens.len() {
            let text = self.text(at);
            match (self.tokens[at].kind, text) {
                (Kind::Mark, "{" | "(" | "[") => depth += 1,
                (Kind::Mark, "}" | ")" | "]") => depth = depth.saturating_sub(1),
                (Kind::Text, _) if text.contains("<!--") || text.contains("<script") => {
                    let problem = "a text that would change how HTML reads the script";
                    return Err(self.error(self.tokens[at].start, problem.to_owned()));
                }
                // `import(…)`, `import.meta`, and `x.import` are refused or left by what follows.
                (Kind::Word, "import") if !self.is_member(at) => {
                    at = self.import(at, depth)?;
                    continue;
                }
                (Kind::Word, "export") if depth == 0 && !self.is_member(at) => {
                    at = self.export(at)?;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        Ok(())
    }

    fn text(&self, token: usize) -> &'a str {
        let source = self.source;
        self.tokens
            .get(token)
            .map_or("", |token| &source[token.start..token.end])
    }

    /// The next token after `at` that is neither blank nor comment.
    fn next(&self, at: usize) -> usize {
        let blank = |token: &Token| matches!(token.kind, Kind::Space | Kind::Comment);
        let rest = &self.tokens[(at + 1).min(self.tokens.len())..];
        at + 1 + rest.iter().take_while(|token| blank(token)).count()
    }

    /// Whether this word is a property: after a point, or before a colon.
    fn is_member(&self, at: usize) -> bool {
        (at > 0 && self.text(at - 1) == ".") || self.text(self.next(at)) == ":"
    }

    fn import(&mut self, start: usize, depth: usize) -> Result<usize, BundleError> {
        let place = self.tokens[start].start;
        let form = || "only import {a, b as c} from \"folder/module\" is joined".to_owned();
        if depth > 0 {
            return Err(self.error(place, form()));
        }
        let mut at = self.next(start);
        let (mut names, mut whole) = (Vec::new(), None);
        match self.text(at) {
            "{" => {
                (names, at) = self.names(at)?;
                at = self.expect(at, "from")?;
            }
            "*" => {
                at = self.expect(self.next(at), "as")?;
                whole = Some(self.text(at).to_owned());
                at = self.expect(self.next(at), "from")?;
            }
            _ => {}
        }
        let quoted = self.text(at);
        let Some(from) = quoted
            .strip_prefix(['"', '\''])
            .and_then(|from| from.strip_suffix(['"', '\'']))
        else {
            return Err(self.error(place, form()));
        };
        let end = self.statement_end(at);
        self.cut[start..end].fill(true);
        self.imports.push(Import {
            from: from.to_owned(),
            names,
            whole,
            at: place,
        });
        Ok(end)
    }

    fn export(&mut self, start: usize) -> Result<usize, BundleError> {
        let place = self.tokens[start].start;
        let mut at = self.next(start);
        if self.text(at) == "{" {
            let (names, after) = self.names(at)?;
            if self.text(after) == "from" {
                return Err(self.error(place, "export … from is not joined".to_owned()));
            }
            let export = |(local, name)| Export { name, local };
            self.exports.extend(names.into_iter().map(export));
            let end = self.statement_end(after - 1);
            self.cut[start..end].fill(true);
            return Ok(end);
        }
        self.cut[start..at].fill(true);
        let declaration = at;
        if self.text(at) == "async" {
            at = self.next(at);
        }
        if !matches!(self.text(at), "function" | "class" | "const") {
            let problem = format!(
                "export {} is not joined: export a function, a class, a const or {{a, b}}",
                self.text(at)
            );
            return Err(self.error(place, problem));
        }
        at = self.next(at);
        if self.text(at) == "*" {
            at = self.next(at);
        }
        if self.tokens.get(at).map(|token| token.kind) != Some(Kind::Word) {
            return Err(self.error(place, "an export without a name".to_owned()));
        }
        let name = self.text(at).to_owned();
        let local = name.clone();
        self.exports.push(Export { name, local });
        Ok(declaration)
    }

    /// `{a, b as c}` from its opening bracket on: the names, and the token after it.
    fn names(&self, open: usize) -> Result<(Vec<(String, String)>, usize), BundleError> {
        let mut names = Vec::new();
        let mut at = self.next(open);
        while self.text(at) != "}" {
            if self.tokens.get(at).map(|token| token.kind) != Some(Kind::Word) {
                let place = self.tokens[open].start;
                return Err(self.error(place, "a list of names that does not end".to_owned()));
            }
            let first = self.text(at).to_owned();
            let mut second = first.clone();
            at = self.next(at);
            if self.text(at) == "as" {
                at = self.next(at);
                second = self.text(at).to_owned();
                at = self.next(at);
            }
            names.push((first, second));
            if self.text(at) == "," {
                at = self.next(at);
            }
        }
        Ok((names, self.next(at)))
    }

    fn expect(&self, at: usize, word: &str) -> Result<usize, BundleError> {
        if self.text(at) == word {
            return Ok(self.next(at));
        }
        let place = self
            .tokens
            .get(at)
            .map_or(self.source.len(), |token| token.start);
        Err(self.error(
            place,
            format!("{word:?} expected, found {:?}", self.text(at)),
        ))
    }

    /// The token after the statement whose last word is `at`, its semicolon included.
    fn statement_end(&self, at: usize) -> usize {
        let next = self.next(at);
        match self.text(next) {
            ";" => next + 1,
            _ => at + 1,
        }
    }

    /// The module without its imports and the word `export`.
    pub fn body(&self) -> String {
        let kept = self.tokens.iter().zip(&self.cut).filter(|(_, cut)| !**cut);
        let text = |(token, _): (&Token, _)| {
            let text = &self.source[token.start..token.end];
            match token.kind {
                // HTML would end the script there; to JavaScript it is the same text.
                Kind::Text => text.replace("</script", "<\\/script"),
                _ => text.to_owned(),
            }
        };
        kept.map(text).collect()
    }
}
