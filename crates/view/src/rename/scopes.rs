//! Which variables a script declares, and where each is known.

use super::code::Code;

/// From one token up to another.
pub(super) type Range = (usize, usize);

impl Code<'_> {
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
    pub fn declared(&self) -> Vec<(usize, Range)> {
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
}
