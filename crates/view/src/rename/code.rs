//! A script's tokens, the brackets they stand in, and what each word is.

use std::collections::{HashMap, HashSet};

use crate::tokens::{Kind, Token};

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
pub(super) enum Use {
    /// A keyword, number or property.
    Other,
    Variable,
    /// A property and the variable of that name at once: `{a}`.
    Both,
    Unclear,
}

/// Words that are no variables, or not only ours.
#[rustfmt::skip]
pub(super) const KEYWORDS: &[&str] = &[
    "arguments", "as", "async", "await", "break", "case", "catch", "class", "const",
    "constructor", "continue", "debugger", "default", "delete", "do", "else", "enum", "eval",
    "export", "extends", "false", "finally", "for", "from", "function", "get", "if",
    "implements", "import", "in", "instanceof", "interface", "let", "new", "null", "of",
    "package", "private", "protected", "public", "return", "set", "static", "super", "switch",
    "this", "throw", "true", "try", "typeof", "undefined", "var", "void", "while", "with",
    "yield",
];

/// A script.
pub(super) struct Code<'a> {
    pub source: &'a str,
    /// All but blanks and comments.
    pub tokens: Vec<Token>,
    /// The bracket that each token stands in.
    pub parents: Vec<Option<usize>>,
    /// Where the bracket closes that opens here.
    pub closes: Vec<usize>,
    braces: HashMap<usize, Brace>,
    /// Where the parameters begin of each function's body.
    pub heads: HashMap<usize, usize>,
}

impl<'a> Code<'a> {
    pub fn new(source: &'a str, tokens: Vec<Token>) -> Self {
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
            let closes = matches!(text, ")" | "]" | "}") || (is_text && text.starts_with('}'));
            if closes && let Some(opener) = open.pop() {
                code.closes[opener] = at;
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
}
