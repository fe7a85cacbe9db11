//! Short names for the variables of a script.
//!
//! A spelling gets another one everywhere or nowhere: all variables that are called so, and all
//! uses of them. Which variable a use means stays as it was, since the new spelling stood nowhere
//! before. It is left alone if any use may mean something else: a global (a use outside of all
//! scopes that declare it), or a place of which the tokens do not tell whether a variable or a
//! property stands there. Properties keep their names: `{a}` becomes `{a:b}`.

use std::collections::{HashMap, HashSet};

use crate::tokens::{Kind, Open, Token, tokens};

/// What a brace encloses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brace {
    /// Statements.
    Block,
    /// The properties of an object, or a pattern of them.
    Object,
    /// The members of a class.
    Class,
    /// One of the first two.
    Unclear,
}

/// What a word is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// A keyword, number or property.
    Other,
    Variable,
    /// A property and the variable of that name at once: `{a}`.
    Both,
    Unclear,
}

/// Words that are no variables, or not only ours.
const KEYWORDS: &[&str] = &[
    "arguments",
    "as",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "constructor",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "from",
    "function",
    "get",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "of",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "set",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// The script with short names.
pub(crate) fn shortened(script: &str) -> Result<String, Open> {
    let all = tokens(script)?;
    let solid = |token: &&Token| !matches!(token.kind, Kind::Space | Kind::Comment);
    let found: Vec<Token> = all.iter().filter(solid).copied().collect();
    let code = Code::new(script, found);
    let uses: Vec<Use> = (0..code.tokens.len()).map(|at| code.use_of(at)).collect();
    let names = code.new_names(&uses);
    let mut out = String::with_capacity(script.len());
    let mut done = 0;
    for (at, token) in code.tokens.iter().enumerate() {
        let Some(name) = &names[at] else {
            continue;
        };
        out += &script[done..token.start];
        if uses[at] == Use::Both {
            out += code.text(at);
            out.push(':');
        }
        out += name;
        done = token.end;
    }
    out += &script[done..];
    Ok(out)
}

struct Code<'a> {
    source: &'a str,
    /// All but blanks and comments.
    tokens: Vec<Token>,
    /// The bracket that each token stands in.
    parents: Vec<Option<usize>>,
    /// Where the bracket closes that opens here.
    closes: Vec<usize>,
    braces: HashMap<usize, Brace>,
    /// Where the parameters begin of each function's body.
    heads: HashMap<usize, usize>,
}

/// From one token up to another.
type Range = (usize, usize);

impl<'a> Code<'a> {
    fn new(source: &'a str, tokens: Vec<Token>) -> Self {
        let count = tokens.len();
        let mut code = Self {
            source,
            tokens,
            parents: vec![None; count],
            closes: vec![count; count],
            braces: HashMap::new(),
            heads: HashMap::new(),
        };
        let mut open: Vec<usize> = Vec::new();
        let mut classes: HashSet<usize> = HashSet::new();
        for at in 0..count {
            let text = code.text(at);
            let is_text = code.tokens[at].kind == Kind::Text;
            if matches!(text, ")" | "]" | "}") || (is_text && text.starts_with('}')) {
                if let Some(opener) = open.pop() {
                    code.closes[opener] = at;
                }
            }
            code.parents[at] = open.last().copied();
            let is_key = code.before(at) == "." || code.text(at + 1) == ":";
            if text == "class" && !is_key {
                classes.insert(open.len());
            }
            if text == "{" {
                let brace = match classes.remove(&open.len()) {
                    true => Brace::Class,
                    false => code.brace(at),
                };
                code.braces.insert(at, brace);
            }
            if matches!(text, "(" | "[" | "{") || (is_text && text.ends_with("${")) {
                open.push(at);
            }
        }
        code.heads = (0..count).filter_map(|at| code.head(at)).collect();
        code
    }

    /// The body of a function whose parameters begin here.
    fn head(&self, at: usize) -> Option<(usize, usize)> {
        let close = match self.text(at) {
            "(" => self.closes[at],
            _ if self.is_name(at) => at,
            _ => return None,
        };
        let body = match self.is_arrow(close + 1) {
            true => close + 3,
            false if close > at => close + 1,
            false => return None,
        };
        (self.text(body) == "{").then_some((body, at))
    }

    fn text(&self, at: usize) -> &'a str {
        let source = self.source;
        self.tokens
            .get(at)
            .map_or("", |token| &source[token.start..token.end])
    }

    fn before(&self, at: usize) -> &'a str {
        at.checked_sub(1).map_or("", |before| self.text(before))
    }

    /// `=>` begins here.
    fn is_arrow(&self, at: usize) -> bool {
        self.text(at) == "=" && self.text(at + 1) == ">"
    }

    fn is_after_arrow(&self, at: usize) -> bool {
        at >= 2 && self.is_arrow(at - 2)
    }

    fn brace(&self, at: usize) -> Brace {
        let parent = self.parents[at].and_then(|parent| self.braces.get(&parent));
        match self.before(at) {
            _ if self.is_after_arrow(at) => Brace::Block,
            "" | ")" | ";" | "{" | "}" | "else" | "try" | "finally" | "do" | "catch" | "static" => {
                Brace::Block
            }
            ":" => match parent {
                Some(Brace::Block | Brace::Unclear) => Brace::Unclear,
                None if self.parents[at].is_none() => Brace::Unclear,
                _ => Brace::Object,
            },
            _ => Brace::Object,
        }
    }

    fn is_name(&self, at: usize) -> bool {
        let text = self.text(at);
        self.tokens.get(at).map(|token| token.kind) == Some(Kind::Word)
            && !text.starts_with(|first: char| first.is_ascii_digit() || first == '#')
            && KEYWORDS.binary_search(&text).is_err()
    }

    fn use_of(&self, at: usize) -> Use {
        let spread = at >= 2 && self.text(at - 2) == ".";
        if !self.is_name(at) || (self.before(at) == "." && !spread) {
            return Use::Other;
        }
        let brace = self.parents[at].and_then(|parent| self.braces.get(&parent));
        let (mut first, next) = (at, self.text(at + 1));
        while matches!(self.before(first), "get" | "set" | "async" | "static" | "*") {
            first -= 1;
        }
        let begins = matches!(self.before(first), "{" | "," | "}" | ";");
        match brace {
            Some(Brace::Class) if self.is_member(at) => Use::Other,
            Some(Brace::Object | Brace::Unclear) if !begins => Use::Variable,
            Some(Brace::Object) => match next {
                ":" | "(" => Use::Other,
                "," | "}" | "=" => Use::Both,
                _ => Use::Unclear,
            },
            Some(Brace::Unclear) => match next {
                ":" | "(" | "," | "}" | "=" => Use::Unclear,
                _ => Use::Variable,
            },
            _ => Use::Variable,
        }
    }

    /// Whether a word right in a class names a member: no `=` since the one before.
    fn is_member(&self, at: usize) -> bool {
        let parent = self.parents[at];
        let before = (0..at).rev().take_while(|&before| Some(before) != parent);
        let mut own = before.filter(|&before| self.parents[before] == parent);
        let stop = own.find(|&before| matches!(self.text(before), "=" | ";" | "}"));
        stop.is_none_or(|stop| self.text(stop) != "=")
    }

    /// Where an expression ends that begins at `at`.
    fn expression_end(&self, mut at: usize) -> usize {
        while at < self.tokens.len() && !matches!(self.text(at), "," | ";" | ")" | "]") {
            // Also a brace, or the next piece of a template that this stands in.
            if self.text(at).starts_with('}') {
                break;
            }
            // Brackets, and templates piece by piece.
            while self.closes[at] < self.tokens.len() {
                at = self.closes[at];
            }
            at += 1;
        }
        at
    }

    /// The names that a pattern declares; gives where it ends.
    fn pattern(&self, at: usize, names: &mut Vec<usize>) -> usize {
        match self.text(at) {
            "{" | "[" => {
                let end = self.closes[at];
                self.patterns(at + 1, end, self.text(at) == "{", names);
                end + 1
            }
            _ => {
                if self.is_name(at) {
                    names.push(at);
                }
                at + 1
            }
        }
    }

    /// Patterns with commas between them.
    fn patterns(&self, mut at: usize, end: usize, keys: bool, names: &mut Vec<usize>) {
        while at < end {
            while matches!(self.text(at), "." | ",") {
                at += 1;
            }
            if keys {
                let key = if self.text(at) == "[" {
                    self.closes[at]
                } else {
                    at
                };
                if self.text(key + 1) == ":" {
                    at = key + 2;
                }
            }
            if at < end {
                at = self.pattern(at, names);
            }
            if self.text(at) == "=" {
                at = self.expression_end(at + 1);
            }
            at = at.max(1);
            if at < end && self.text(at) != "," {
                at += 1;
            }
        }
    }

    /// The names that are declared, each with where it is known.
    fn declared(&self) -> Vec<(usize, Range)> {
        let mut found = Vec::new();
        for at in 0..self.tokens.len() {
            let after_point = self.before(at) == "." && self.before(at.saturating_sub(1)) != ".";
            let is_property = after_point || self.text(at + 1) == ":";
            let mut names = Vec::new();
            let range = match self.text(at) {
                _ if is_property => continue,
                "const" | "let" | "var" => {
                    self.declarations(at + 1, &mut names);
                    self.scope_of_statement(at)
                }
                "class" | "function" => {
                    let name = at + 1 + usize::from(self.text(at + 1) == "*");
                    names.extend(self.is_name(name).then_some(name));
                    self.scope(at)
                }
                "(" => match self.body(at) {
                    Some(end) => {
                        self.patterns(at + 1, self.closes[at], false, &mut names);
                        (at, end)
                    }
                    None => continue,
                },
                _ if self.is_name(at) && self.is_arrow(at + 1) => {
                    names.push(at);
                    (at, self.arrow_end(at + 1))
                }
                _ => continue,
            };
            found.extend(names.into_iter().map(|name| (name, range)));
        }
        found
    }

    fn declarations(&self, mut at: usize, names: &mut Vec<usize>) {
        loop {
            at = self.pattern(at, names);
            if self.text(at) == "=" {
                at = self.expression_end(at + 1);
            }
            if self.text(at) != "," {
                return;
            }
            at += 1;
        }
    }

    /// The block that a token stands in.
    fn scope(&self, at: usize) -> Range {
        match self.parents[at] {
            Some(parent) => (parent, self.closes[parent]),
            None => (0, self.tokens.len()),
        }
    }

    /// The block, or of `for (const …)` the loop.
    fn scope_of_statement(&self, at: usize) -> Range {
        match self.parents[at] {
            Some(parent) if self.text(parent) == "(" => {
                (parent, self.statement_end(self.closes[parent] + 1))
            }
            _ => self.scope(at),
        }
    }

    fn statement_end(&self, at: usize) -> usize {
        if self.text(at) == "{" {
            return self.closes[at];
        }
        let parent = self.parents.get(at).copied().flatten();
        let inside = |&end: &usize| self.parents[end] == parent && self.text(end) == ";";
        (at..self.tokens.len()).find(inside).unwrap_or(at)
    }

    /// Where the function ends whose parameters open at `at`, if that is what opens.
    fn body(&self, at: usize) -> Option<usize> {
        let close = self.closes[at];
        if self.is_arrow(close + 1) {
            return Some(self.arrow_end(close + 1));
        }
        let control = matches!(self.before(at), "if" | "for" | "while" | "switch" | "with");
        let called = matches!(self.text(close + 1), "{") && !control;
        called.then(|| self.closes[close + 1])
    }

    /// Where the function ends whose arrow is at `at`.
    fn arrow_end(&self, at: usize) -> usize {
        match self.text(at + 2) {
            "{" => self.closes[at + 2],
            _ => self.expression_end(at + 2),
        }
    }

    /// The variable that each token names, if it may have a new name: its place in the list of
    /// [`declared`](Self::declared) ones, the first of those that are one variable.
    fn resolved(&self, uses: &[Use], declared: &[(usize, Range)]) -> Vec<Option<usize>> {
        let mut by_text: HashMap<&str, Vec<usize>> = HashMap::new();
        for (number, (name, _)) in declared.iter().enumerate() {
            by_text.entry(self.text(*name)).or_default().push(number);
        }
        let variable = |at: usize| {
            let named = matches!(uses[at], Use::Variable | Use::Both);
            let all = by_text.get(self.text(at)).filter(|_| named)?;
            let known = |number: &&usize| {
                let (from, to) = declared[**number].1;
                (from..=to).contains(&at)
            };
            // Scopes nest: the innermost is the shortest.
            let inner = all.iter().filter(known).min_by_key(|&&number| {
                let (from, to) = declared[number].1;
                to - from
            });
            inner.copied()
        };
        let mut found: Vec<_> = (0..self.tokens.len()).map(variable).collect();
        // A spelling that is something else somewhere stays everywhere.
        let open = |at: &usize| uses[*at] != Use::Other && found[*at].is_none();
        let open = (0..found.len()).filter(open).map(|at| self.text(at));
        let open: HashSet<&str> = open.collect();
        for (at, variable) in found.iter_mut().enumerate() {
            variable.take_if(|_| open.contains(self.text(at)));
        }
        found
    }

    /// A short name for each token that names a variable which may have one. Outer variables come
    /// first; a name is free for a variable if nothing is called so that is used in its scope.
    fn new_names(&self, uses: &[Use]) -> Vec<Option<String>> {
        let declared = self.declared();
        let variables = self.resolved(uses, &declared);
        let is_kept = |at: &usize| variables[*at].is_none();
        let kept: HashSet<&str> = (0..variables.len())
            .filter(is_kept)
            .map(|at| self.text(at))
            .collect();
        let mut counts = vec![0_usize; declared.len()];
        for &variable in variables.iter().flatten() {
            counts[variable] += 1;
        }
        let mut order: Vec<usize> = (0..declared.len()).filter(|&v| counts[v] > 0).collect();
        order.sort_by_key(|&variable| {
            let (from, to) = declared[variable].1;
            (from, std::cmp::Reverse(to), variable)
        });
        let mut names: Vec<Option<usize>> = vec![None; declared.len()];
        for variable in order {
            let (from, to) = declared[variable].1;
            // A body may not declare what its parameters do.
            let from = self.heads.get(&from).copied().unwrap_or(from);
            let inside = variables[from..=to.min(variables.len() - 1)]
                .iter()
                .flatten();
            let taken: HashSet<usize> = inside.filter_map(|&other| names[other]).collect();
            let is_free = |name: &usize| {
                let text = spelling(*name);
                !taken.contains(name)
                    && !kept.contains(text.as_str())
                    && KEYWORDS.binary_search(&text.as_str()).is_err()
            };
            names[variable] = (0..).find(is_free);
        }
        let name = |variable: &Option<usize>| names[(*variable)?].map(spelling);
        variables.iter().map(name).collect()
    }
}

/// The `number`th spelling: `a`, `b` … `Z`, `aa`, `ba` …
fn spelling(mut number: usize) -> String {
    const LETTERS: &[u8; 52] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let mut name = String::new();
    loop {
        name.push(char::from(LETTERS[number % 52]));
        if number < 52 {
            return name;
        }
        number = number / 52 - 1;
    }
}

#[cfg(test)]
#[path = "rename/tests.rs"]
mod tests;
