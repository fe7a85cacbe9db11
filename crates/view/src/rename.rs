//! Short names for the variables of a script.
//!
//! Each use of a variable is that of the innermost scope which declares its spelling; all uses of
//! one variable get the same new name, which nothing bears that is used in its scope. So what a use
//! means stays as it was. A spelling is left alone everywhere if any use of it may be something
//! else: a global (outside of all scopes that declare it), or a place of which the tokens do not
//! tell whether a variable or a property stands there. Properties keep their names: `{a}` becomes
//! `{a:b}`.

use std::collections::{HashMap, HashSet};

use crate::tokens::{Kind, Open, Token, tokens};

// Named, as `build/main.rs` has this module from another folder.
#[path = "rename/code.rs"]
mod code;
#[path = "rename/scopes.rs"]
mod scopes;

use code::{Code, KEYWORDS, Use};
use scopes::Range;

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

impl<'a> Code<'a> {
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
        let is_kept = |at: &usize| uses[*at] != Use::Other && variables[*at].is_none();
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
