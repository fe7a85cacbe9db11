//! Which variables a script declares, and where each is known.

use super::code::Code;

/// From one token up to another.
pub(crate) type Range = (usize, usize);

impl Code<'_> {
    /// Where an expression ends that begins at `at`.
    pub fn expression_end(&self, start: usize) -> usize {
        let mut at = start;
        while at < self.tokens.len() && !matches!(self.text(at), "," | ";" | ")" | "]") {
            // Also a brace, the next piece of a template that this stands in, or the statement.
            if self.text(at).starts_with('}') || (at > start && self.line_before[at]) {
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
            None => self.whole(),
        }
    }

    /// The block, or of `for (const …)` the loop.
    fn scope_of_statement(&self, at: usize) -> Range {
        match self.parents[at] {
            Some(parent) if self.text(parent) == "(" => {
                (parent, self.statement_end(self.closes[parent] + 1) - 1)
            }
            _ => self.scope(at),
        }
    }

    /// A statement begins here that declares variables.
    pub fn is_declaration(&self, at: usize) -> bool {
        let in_head = self
            .parents
            .get(at)
            .copied()
            .flatten()
            .is_some_and(|parent| self.text(parent) == "(");
        matches!(self.text(at), "const" | "let") && self.is_keyword(at) && !in_head
    }

    /// Where a statement ends that begins at `at`: the first token that is not part of it.
    pub fn statement_end(&self, at: usize) -> usize {
        let after = |open: usize| {
            self.closes
                .get(open)
                .map_or(self.tokens.len(), |close| close + 1)
        };
        let then = |open: usize| self.statement_end(after(open));
        match self.text(at) {
            "{" => after(at),
            "if" => match then(at + 1) {
                end if self.text(end) == "else" => self.statement_end(end + 1),
                end => end,
            },
            "for" => then(at + 1 + usize::from(self.text(at + 1) == "await")),
            "while" | "with" => then(at + 1),
            "switch" => after(after(at + 1)),
            "try" => {
                let mut end = after(at + 1);
                while matches!(self.text(end), "catch" | "finally") {
                    let body = if self.text(end + 1) == "(" {
                        after(end + 1)
                    } else {
                        end + 1
                    };
                    end = after(body);
                }
                end
            }
            "do" => {
                let end = after(self.statement_end(at + 1) + 1);
                end + usize::from(self.text(end) == ";")
            }
            _ => self.plain_end(at),
        }
    }

    /// Where a declaration or an expression ends.
    fn plain_end(&self, start: usize) -> usize {
        let mut at = start;
        while at < self.tokens.len() {
            if at > start && self.line_before[at] || self.opens[at] < self.tokens.len() {
                return at;
            }
            if self.text(at) == ";" {
                return at + 1;
            }
            let is_brace = self.text(at) == "{";
            while self.closes[at] < self.tokens.len() {
                let open = at;
                at = self.closes[at];
                if is_brace && self.ends_statement(open) {
                    return at + 1;
                }
            }
            at += 1;
        }
        at
    }

    /// Where the function ends whose parameters open at `at`, if that is what opens.
    fn body(&self, at: usize) -> Option<usize> {
        let close = self.closes[at];
        if self.is_arrow(close + 1) {
            return Some(self.arrow_end(close + 1));
        }
        let control = self.is_condition(at) && self.before(at) != "catch";
        let called = self.text(close + 1) == "{" && !control;
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
