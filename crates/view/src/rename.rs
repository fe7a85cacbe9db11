//! Short names for variables: a report carries every letter of the page.
//!
//! All variables of a module that are spelled alike get the same new name, whatever scope they are
//! of. So nothing needs to be known about scopes: what shadowed what does so still. Properties keep
//! their names:
//!
//! ```text
//! const {row, top: above} = place; return {row, y: above + row.top};
//! const {row:b,top:a}=c;return{row:b,y:a+b.top};
//! ```
//! A word is a variable unless it stands after a point, or as a key of an object. Left alone is
//! what no place in the module could declare, and what the browser declares.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::tokens::{Kind, Token};

/// The variables of a module, found by their places.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    /// Tokens that are variables; true for those that are keys of an object as well.
    places: BTreeMap<usize, bool>,
    /// How often each that the module declares is used; those that keep their names are left out.
    counts: BTreeMap<String, usize>,
    /// All other words.
    kept: BTreeSet<String>,
}

impl Variables {
    /// Looks through a module's tokens, without those that are `cut`. `outside` are its own names
    /// that stand in cut parts.
    pub fn new(source: &str, tokens: &[Token], cut: &[bool], outside: &[&str]) -> Self {
        let seen =
            |at: &usize| !cut[*at] && !matches!(tokens[*at].kind, Kind::Space | Kind::Comment);
        let mut walk = Walk {
            words: (0..tokens.len()).filter(seen).collect(),
            source,
            tokens,
            open: vec![Context::Block],
            is_case: false,
            after_case: false,
            is_class: false,
            is_key: false,
            places: BTreeMap::new(),
        };
        let text = |token: &Token| &source[token.start..token.end];
        let words = tokens.iter().filter(|token| token.kind == Kind::Word);
        let mut this = Self {
            kept: words.map(|token| text(token).to_owned()).collect(),
            ..Self::default()
        };
        let mut declared: BTreeSet<&str> = outside.iter().copied().collect();
        for at in 0..walk.words.len() {
            walk.step(at, &mut declared);
        }
        declared.retain(|word| is_ours(word));
        for word in &declared {
            this.kept.remove(*word);
            this.counts.insert((*word).to_owned(), 1);
        }
        walk.places
            .retain(|at, _| declared.contains(text(&tokens[*at])));
        for at in walk.places.keys() {
            *this
                .counts
                .entry(text(&tokens[*at]).to_owned())
                .or_default() += 1;
        }
        this.places = walk.places;
        this
    }
}

/// So many names are alike in all modules: those of one letter.
const COMMON: usize = 26;

/// New names by old ones.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeMap<String, String>);

impl Names {
    /// Those of the variables that a script uses most: they are alike in all modules, so that what
    /// modules have in common packs well.
    pub fn common<'v>(modules: impl Iterator<Item = &'v Variables> + Clone) -> Self {
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        for (word, count) in modules.clone().flat_map(|module| &module.counts) {
            *counts.entry(word).or_default() += count;
        }
        let kept = modules.flat_map(|module| &module.kept);
        let kept: BTreeSet<&String> = kept.collect();
        let is_taken = |name: &String| kept.contains(name);
        let pairs = most_first(counts).zip(fresh(&is_taken));
        Self(pairs.take(COMMON).collect())
    }

    /// Those of a module: what is used most there has the shortest.
    pub fn of(module: &Variables, common: &Self) -> Self {
        let is_common = |word: &&String| common.0.contains_key(*word);
        let words = module.counts.keys().filter(is_common);
        let mut names: BTreeMap<String, String> = words
            .map(|word| (word.clone(), common.0[word].clone()))
            .collect();
        let taken: BTreeSet<String> = names.values().chain(&module.kept).cloned().collect();
        let others = module.counts.iter().filter(|(word, _)| !is_common(word));
        let others = others.map(|(word, count)| (word, *count)).collect();
        names.extend(most_first(others).zip(fresh(&|name| taken.contains(name))));
        Self(names)
    }
}

fn most_first(counts: BTreeMap<&String, usize>) -> impl Iterator<Item = String> {
    let mut order: Vec<(&String, usize)> = counts.into_iter().collect();
    order.sort_by_key(|(word, count)| (Reverse(*count), *word));
    order.into_iter().map(|(word, _)| word.clone())
}

/// Names from the shortest on that mean nothing yet.
fn fresh<'t>(is_taken: &'t dyn Fn(&String) -> bool) -> impl Iterator<Item = String> + 't {
    (0..)
        .map(name)
        .filter(|name| is_ours(name) && !is_taken(name))
}

/// What a module's words become.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Renamed<'n> {
    pub variables: &'n Variables,
    pub names: &'n Names,
}

impl<'n> Renamed<'n> {
    /// What a variable is called now.
    pub fn name(&self, variable: &'n str) -> &'n str {
        match self.variables.counts.contains_key(variable) {
            true => self.names.0.get(variable).map_or(variable, String::as_str),
            false => variable,
        }
    }

    /// What stands for a token, if that is something else.
    pub fn token(&self, at: usize, text: &str) -> Option<String> {
        let is_key = *self.variables.places.get(&at)?;
        let name = self.names.0.get(text)?;
        Some(match is_key {
            true => format!("{text}:{name}"),
            false => name.clone(),
        })
    }
}

/// The n-th name: a, b … z, aa …
fn name(mut number: usize) -> String {
    let mut name = String::new();
    loop {
        name.insert(0, char::from(b'a' + (number % 26) as u8));
        match number / 26 {
            0 => return name,
            more => number = more - 1,
        }
    }
}

/// Whether a word is neither JavaScript's nor the browser's. Constructors begin with a capital.
fn is_ours(word: &str) -> bool {
    const THEIRS: &str = " async await break case catch class const continue debugger default \
        delete do else export extends finally for function if import in instanceof let new of \
        return static super switch this throw try typeof var void while with yield null true \
        false undefined arguments eval document window globalThis self location history navigator \
        innerWidth innerHeight devicePixelRatio performance matchMedia fetch atob btoa crypto \
        console getSelection getComputedStyle postMessage onmessage onerror queueMicrotask \
        structuredClone isNaN isFinite parseInt parseFloat setTimeout clearTimeout \
        setInterval clearInterval addEventListener removeEventListener requestAnimationFrame \
        JSON URL CSS cancelAnimationFrame encodeURIComponent decodeURIComponent ";
    let is_constant = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    let begins = word.starts_with(|letter: char| letter.is_ascii_lowercase());
    (begins || word.bytes().all(is_constant)) && !THEIRS.contains(&format!(" {word} "))
}

/// What an open bracket holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    /// Statements.
    Block,
    /// Keys and values, or a pattern that takes such apart.
    Object,
    /// Members of a class.
    Class,
    /// Anything in round or square brackets.
    List,
    /// `${` of a template.
    Hole,
}

struct Walk<'a> {
    source: &'a str,
    tokens: &'a [Token],
    /// Tokens that are neither blank nor comment nor cut.
    words: Vec<usize>,
    open: Vec<Context>,
    /// Between `case` or `default` and its colon; and just behind that.
    is_case: bool,
    after_case: bool,
    /// Between `class` and its bracket.
    is_class: bool,
    /// Behind a `get`, `set` or `async` that says what kind of key follows.
    is_key: bool,
    places: BTreeMap<usize, bool>,
}

impl<'a> Walk<'a> {
    /// The text of the `at`-th word; empty beyond both ends.
    fn text(&self, at: usize) -> &'a str {
        let token = self.words.get(at).map(|at| self.tokens[*at]);
        token.map_or("", |token| &self.source[token.start..token.end])
    }

    /// The text `back` words before the `at`-th.
    fn before(&self, at: usize, back: usize) -> &'a str {
        at.checked_sub(back).map_or("", |at| self.text(at))
    }

    fn step(&mut self, at: usize, declared: &mut BTreeSet<&'a str>) {
        let text = self.text(at);
        let after_case = std::mem::take(&mut self.after_case);
        match self.tokens[self.words[at]].kind {
            Kind::Text => {
                let is_template = text.starts_with(['`', '}']);
                if text.starts_with('}') {
                    self.open.pop();
                }
                if is_template && text.ends_with("${") {
                    self.open.push(Context::Hole);
                }
            }
            Kind::Word => self.word(at, declared),
            _ => self.mark(at, after_case),
        }
    }

    fn mark(&mut self, at: usize, after_case: bool) {
        match self.text(at) {
            "{" if std::mem::take(&mut self.is_class) => self.open.push(Context::Class),
            "{" if after_case || self.begins_block(at) => self.open.push(Context::Block),
            "{" => self.open.push(Context::Object),
            "(" | "[" => self.open.push(Context::List),
            "}" | ")" | "]" => _ = self.open.pop(),
            ":" if self.is_case && self.open.last() == Some(&Context::Block) => {
                (self.is_case, self.after_case) = (false, true);
            }
            _ => {}
        }
    }

    /// Whether statements follow a `{`, not keys.
    fn begins_block(&self, at: usize) -> bool {
        match self.before(at, 1) {
            "" | ")" | ";" | "{" | "}" | "else" | "try" | "finally" | "do" | "catch" => true,
            ">" => self.before(at, 2) == "=",
            _ => false,
        }
    }

    fn word(&mut self, at: usize, declared: &mut BTreeSet<&'a str>) {
        let (before, text, after) = (self.before(at, 1), self.text(at), self.text(at + 1));
        let is_spread = before == "." && self.before(at, 2) == "." && self.before(at, 3) == ".";
        let place = self.words[at];
        if before == "." && !is_spread {
            return;
        }
        if self.open.last() == Some(&Context::Class)
            && (std::mem::take(&mut self.is_key) || matches!(before, "{" | ";" | "}"))
        {
            self.is_key = matches!(text, "async" | "get" | "set" | "static") && after != "(";
            return;
        }
        let in_object = self.open.last() == Some(&Context::Object);
        if in_object && (std::mem::take(&mut self.is_key) || matches!(before, "{" | ",")) {
            match after {
                ":" | "(" => return,
                "," | "}" | "=" => {
                    self.places.insert(place, true);
                    declared.insert(text);
                }
                _ => self.is_key = true,
            }
            return;
        }
        self.is_class |= text == "class";
        self.is_case |= matches!(text, "case" | "default");
        self.places.insert(place, false);
        let is_arrow = after == "=" && self.text(at + 2) == ">";
        let begins = matches!(before, "const" | "let" | "var" | "function");
        let listed = matches!(before, "(" | "," | "[" | ":" | ".")
            && matches!(after, "=" | "," | ")" | "]" | "}");
        if is_arrow || begins || listed {
            declared.insert(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::tokens;

    fn renamed(source: &str) -> String {
        let tokens = tokens(source).unwrap();
        let variables = Variables::new(source, &tokens, &vec![false; tokens.len()], &[]);
        let renamed = Renamed {
            variables: &variables,
            names: &Names::of(&variables, &Names::default()),
        };
        let text = |(at, token): (usize, &Token)| {
            let text = &source[token.start..token.end];
            renamed.token(at, text).unwrap_or_else(|| text.to_owned())
        };
        tokens.iter().enumerate().map(text).collect()
    }

    #[test]
    fn variables_get_short_names_and_properties_keep_theirs() {
        for (source, expected) in [
            (
                "const width = 1; f(width, top.width);",
                "const a = 1; f(a, top.width);",
            ),
            (
                "const {row, top: above} = place(); return {row, y: above.row};",
                "const {row:b, top: a} = place(); return {row:b, y: a.row};",
            ),
            (
                "const f = ({from, to = 1}, ...rest) => [...rest, {from}];",
                "const c = ({from:a, to:d = 1}, ...b) => [...b, {from:a}];",
            ),
            (
                "const text = `${one} of ${{one}.one}`; one => one;",
                "const b = `${a} of ${{one:a}.one}`; a => a;",
            ),
            (
                "const o = {get size() { return own; }, async ask(what) { return what; }, own}; let own;",
                "const c = {get size() { return a; }, async ask(b) { return b; }, own:a}; let a;",
            ),
            (
                "switch (kind) { case one: { const kind = 1; } default: {kind} }",
                "switch (a) { case one: { const a = 1; } default: {a} }",
            ),
            (
                "const x = on ? {on} : {of: on}; let on;",
                "const b = a ? {on:a} : {of: a}; let a;",
            ),
            (
                "for (const value of values) use(value?.value, document, Map)",
                "for (const a of values) use(a?.value, document, Map)",
            ),
        ] {
            assert_eq!(renamed(source), expected, "{source}");
        }
    }

    #[test]
    fn names_go_on_behind_z() {
        assert_eq!(
            [0, 25, 26, 51, 52, 701, 702].map(name),
            ["a", "z", "aa", "az", "ba", "zz", "aaa"]
        );
    }
}
