//! A script's tokens, the brackets they stand in, and what each word is.

use std::collections::{HashMap, HashSet};

use crate::tokens::{Kind, Open, Token, tokens};

/// What a brace encloses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Brace {
    /// Statements.
    Block,
    /// The properties of an object, or a pattern of them.
    Object,
    /// The members of a class.
    Class,
}

/// What a word is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// A keyword, number or property.
    Other,
    Variable,
    /// A property and the variable of that name at once: `{a}`.
    Both,
    Unclear,
}

/// Words that are no variables, or not only ours.
#[rustfmt::skip]
pub(crate) const KEYWORDS: &[&str] = &[
    "arguments", "async", "await", "break", "case", "catch", "class", "const",
    "constructor", "continue", "debugger", "default", "delete", "do", "else", "enum", "eval",
    "export", "extends", "false", "finally", "for", "function", "get", "if",
    "implements", "import", "in", "instanceof", "interface", "let", "new", "null", "of",
    "package", "private", "protected", "public", "return", "set", "static", "super", "switch",
    "this", "throw", "true", "try", "typeof", "undefined", "var", "void", "while", "with",
    "yield",
];

/// A script.
pub(crate) struct Code<'a> {
    pub source: &'a str,
    /// All but blanks and comments.
    pub tokens: Vec<Token>,
    /// The bracket that each token stands in.
    pub parents: Vec<Option<usize>>,
    /// Where the bracket closes that opens here.
    pub closes: Vec<usize>,
    /// Where the bracket opens that closes here.
    pub opens: Vec<usize>,
    /// A line ends before this token, and a statement may end with it.
    pub line_before: Vec<bool>,
    braces: HashMap<usize, Brace>,
    /// Where the parameters begin of each function's body.
    pub heads: HashMap<usize, usize>,
}

impl<'a> Code<'a> {
    pub fn new(source: &'a str) -> Result<Self, Open> {
        let all = tokens(source)?;
        let solid = |token: &Token| !matches!(token.kind, Kind::Space | Kind::Comment);
        let found: Vec<Token> = all.into_iter().filter(solid).collect();
        let count = found.len();
        let mut code = Self {
            source,
            tokens: found,
            parents: vec![None; count],
            closes: vec![count; count],
            opens: vec![count; count],
            line_before: vec![false; count],
            braces: HashMap::new(),
            heads: HashMap::new(),
        };
        code.read_brackets();
        code.heads = (0..count).filter_map(|at| code.head(at)).collect();
        code.line_before = (0..count).map(|at| code.is_line_needed(at)).collect();
        Ok(code)
    }

    fn read_brackets(&mut self) {
        let mut open: Vec<usize> = Vec::new();
        let mut classes: HashSet<usize> = HashSet::new();
        for at in 0..self.tokens.len() {
            let text = self.text(at);
            let is_text = self.tokens[at].kind == Kind::Text;
            let closes = matches!(text, ")" | "]" | "}") || (is_text && text.starts_with('}'));
            if closes && let Some(opener) = open.pop() {
                self.closes[opener] = at;
                self.opens[at] = opener;
            }
            self.parents[at] = open.last().copied();
            let is_key = self.before(at) == "." || self.text(at + 1) == ":";
            if text == "class" && !is_key {
                classes.insert(open.len());
            }
            if text == "{" {
                let brace = if classes.remove(&open.len()) {
                    Brace::Class
                } else {
                    self.brace(at)
                };
                self.braces.insert(at, brace);
            }
            if matches!(text, "(" | "[" | "{") || (is_text && text.ends_with("${")) {
                open.push(at);
            }
        }
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

    /// The scope of the script itself.
    pub fn whole(&self) -> (usize, usize) {
        (0, self.tokens.len())
    }

    /// A scope with the parameters of the function whose body it is, which may not be declared again.
    pub fn with_head(&self, (from, to): (usize, usize)) -> (usize, usize) {
        (self.heads.get(&from).copied().unwrap_or(from), to)
    }

    pub fn text(&self, at: usize) -> &'a str {
        let source = self.source;
        self.tokens
            .get(at)
            .map_or("", |token| &source[token.start..token.end])
    }

    pub fn before(&self, at: usize) -> &'a str {
        at.checked_sub(1).map_or("", |before| self.text(before))
    }

    /// `=>` begins here.
    pub fn is_arrow(&self, at: usize) -> bool {
        self.text(at) == "=" && self.text(at + 1) == ">"
    }

    fn is_after_arrow(&self, at: usize) -> bool {
        at >= 2 && self.is_arrow(at - 2)
    }

    fn brace(&self, at: usize) -> Brace {
        match self.before(at) {
            _ if self.is_after_arrow(at) => Brace::Block,
            "" | ")" | ";" | "{" | "}" | "else" | "try" | "finally" | "do" | "catch" | "static" => {
                Brace::Block
            }
            ":" if self.is_after_case(at) => Brace::Block,
            _ => Brace::Object,
        }
    }

    /// Whether the colon before `at` is that of `case …:` or `default:`, not of `a ? b : {}`.
    fn is_after_case(&self, at: usize) -> bool {
        if self.parents[at].is_some() && self.brace_of(at) != Some(Brace::Block) {
            return false;
        }
        let own = (0..at - 1)
            .rev()
            .filter(|&before| self.parents[before] == self.parents[at]);
        let mut words = own.map(|before| self.text(before));
        words
            .find(|text| matches!(*text, "case" | "default" | "?" | ";" | ","))
            .is_some_and(|text| matches!(text, "case" | "default"))
    }

    /// What the brace encloses that opens here.
    pub fn brace_at(&self, at: usize) -> Option<Brace> {
        self.braces.get(&at).copied()
    }

    /// What the brace encloses that a token stands in, if it stands in a brace.
    pub fn brace_of(&self, at: usize) -> Option<Brace> {
        self.brace_at(self.parents[at]?)
    }

    /// `at` is no property.
    pub fn is_keyword(&self, at: usize) -> bool {
        self.before(at) != "." && self.text(at + 1) != ":"
    }

    /// The bracket is that of `if (…)` and the like: a statement follows it.
    pub fn is_condition(&self, open: usize) -> bool {
        let is_method = matches!(self.brace_of(open), Some(Brace::Object | Brace::Class));
        !is_method
            && open > 0
            && matches!(
                self.before(open),
                "if" | "for" | "while" | "switch" | "with" | "catch"
            )
            && self.is_keyword(open - 1)
            || (self.before(open) == "await" && open > 1 && self.before(open - 1) == "for")
    }

    /// Whether a statement begins at `at`, given that none is cut short before it.
    fn begins_statement(&self, at: usize) -> bool {
        match self.before(at) {
            "" | ";" | "else" | "do" => true,
            "{" => self.brace_at(at - 1) == Some(Brace::Block),
            "}" => {
                self.tokens[at - 1].kind == Kind::Mark && self.ends_statement(self.opens[at - 1])
                    || self.line_before[at]
            }
            ")" => self.is_condition(self.opens[at - 1]),
            ":" => self.is_after_case(at),
            _ => self.line_before[at],
        }
    }

    /// Whether the brace that opens here ends a statement or a member, so that nothing else need.
    pub fn ends_statement(&self, open: usize) -> bool {
        match self.brace_at(open) {
            _ if self.is_after_arrow(open) => false,
            Some(Brace::Block) if self.before(open) == ")" => {
                let head = self.opens[open - 1];
                self.is_condition(head) || self.is_declared_function(head) || self.is_method(open)
            }
            Some(Brace::Block) => true,
            Some(Brace::Class) => {
                let class = (0..open)
                    .rev()
                    .find(|&at| self.parents[at] == self.parents[open] && self.text(at) == "class");
                class.is_some_and(|class| self.begins_statement(class))
            }
            _ => false,
        }
    }

    fn is_method(&self, open: usize) -> bool {
        let function = |at: &usize| self.text(*at) == "function";
        let head = self.opens[open - 1];
        matches!(self.brace_of(open), Some(Brace::Class | Brace::Object))
            && !(head.saturating_sub(3)..head).any(|at| function(&at))
    }

    /// Parameters open at `head`: those of `function name(…)` that is a statement.
    fn is_declared_function(&self, head: usize) -> bool {
        let mut at = head;
        while at > 0 && matches!(self.before(at), "function" | "*" | "async")
            || (at == head && at > 0 && self.is_name(at - 1))
        {
            at -= 1;
        }
        (at..head).any(|at| self.text(at) == "function") && self.begins_statement(at)
    }

    /// Whether the end of a line before `at` may end a statement.
    fn is_line_needed(&self, at: usize) -> bool {
        let Some(last) = at.checked_sub(1) else {
            return false;
        };
        let gap = &self.source[self.tokens[last].end..self.tokens[at].start];
        gap.contains('\n') && self.may_end(last) && self.may_begin(at)
    }

    fn may_end(&self, at: usize) -> bool {
        match self.text(at) {
            "else" | "do" | "try" | "finally" | "of" | "in" | "typeof" | "new" => false,
            ")" => !self.is_condition(self.opens[at]),
            "}" => !self.ends_statement(self.opens[at]) && self.opens[at] < self.tokens.len(),
            "]" => true,
            "+" | "-" => self.before(at) == self.text(at),
            text => {
                self.tokens[at].kind == Kind::Word
                    || !matches!(self.tokens[at].kind, Kind::Mark) && !text.ends_with("${")
            }
        }
    }

    fn may_begin(&self, at: usize) -> bool {
        let text = self.text(at);
        match self.tokens[at].kind {
            Kind::Word => !matches!(text, "in" | "instanceof" | "of"),
            Kind::Text => text.starts_with(['"', '\'']),
            _ => text == "{" || (matches!(text, "+" | "-") && self.text(at + 1) == text),
        }
    }

    pub fn is_name(&self, at: usize) -> bool {
        let text = self.text(at);
        self.tokens.get(at).map(|token| token.kind) == Some(Kind::Word)
            && !text.starts_with(|first: char| first.is_ascii_digit() || first == '#')
            && KEYWORDS.binary_search(&text).is_err()
    }

    pub fn use_of(&self, at: usize) -> Use {
        let spread = at >= 2 && self.text(at - 2) == ".";
        if !self.is_name(at) || (self.before(at) == "." && !spread) {
            return Use::Other;
        }
        let brace = self.brace_of(at);
        let (mut first, next) = (at, self.text(at + 1));
        while matches!(self.before(first), "get" | "set" | "async" | "static" | "*") {
            first -= 1;
        }
        let begins = matches!(self.before(first), "{" | "," | "}" | ";");
        match brace {
            Some(Brace::Class) if self.is_member(at) => Use::Other,
            Some(Brace::Object) if !begins => Use::Variable,
            Some(Brace::Object) => match next {
                ":" | "(" => Use::Other,
                "," | "}" | "=" => Use::Both,
                _ => Use::Unclear,
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
}
