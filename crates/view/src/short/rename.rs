//! Short names for the variables of a script.
//!
//! Each use of a variable is that of the innermost scope which declares its spelling; all uses of
//! one variable get the same new name, which nothing bears that is used in its scope. So what a use
//! means stays as it was. A spelling is left alone everywhere if any use of it may be something
//! else: a global (outside of all scopes that declare it), or a place of which the tokens do not
//! tell whether a variable or a property stands there. Properties keep their names: `{a}` becomes
//! `{a:b}`.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::code::{Code, KEYWORDS, Use};
use super::scopes::Range;
use crate::tokens::Open;

/// The variables of a script.
pub(crate) struct Variables {
    /// Where each name is declared, and where it is known.
    pub declared: Vec<(usize, Range)>,
    /// What each token is.
    pub uses: Vec<Use>,
    /// The variable that each token names: the number of the first that declares it.
    pub of: Vec<Option<usize>>,
}

/// The script with short names.
pub(crate) fn renamed(script: &str) -> Result<String, Open> {
    let code = Code::new(script)?;
    let variables = code.variables();
    let names = variables.short_names(&code);
    Ok(code.with_names(&variables.uses, |at| names[at].clone()))
}

impl Code<'_> {
    /// What each name in the script means.
    pub fn variables(&self) -> Variables {
        let declared = self.declared();
        let uses: Vec<Use> = (0..self.tokens.len()).map(|at| self.use_of(at)).collect();
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
        let of = (0..self.tokens.len()).map(variable).collect();
        Variables { declared, uses, of }
    }

    /// The script with other names for some tokens that name variables.
    pub fn with_names(&self, uses: &[Use], name: impl Fn(usize) -> Option<String>) -> String {
        let mut out = String::with_capacity(self.source.len());
        let mut done = 0;
        for (at, token) in self.tokens.iter().enumerate() {
            let Some(name) = name(at) else {
                continue;
            };
            out += &self.source[done..token.start];
            if uses[at] == Use::Both {
                out += self.text(at);
                out.push(':');
            }
            out += &name;
            done = token.end;
        }
        out + &self.source[done..]
    }
}

impl Variables {
    /// A short name for each token that names a variable which may have one. Outer variables come
    /// first; a name is free for a variable if nothing is called so that is used in its scope.
    fn short_names(&self, code: &Code<'_>) -> Vec<Option<String>> {
        let open = |at: &usize| self.uses[*at] != Use::Other && self.of[*at].is_none();
        let kept: HashSet<&str> = (0..self.of.len())
            .filter(open)
            .map(|at| code.text(at))
            .collect();
        let of = |at: usize| self.of[at].filter(|_| !kept.contains(code.text(at)));
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); self.declared.len()];
        for at in 0..self.of.len() {
            if let Some(variable) = of(at) {
                places[variable].push(at);
            }
        }
        let ranges: Vec<Range> = self
            .declared
            .iter()
            .map(|&(_, range)| code.with_head(range))
            .collect();
        let is_outer = |variable: usize| ranges[variable] == code.whole();
        let mut order: Vec<usize> = (0..places.len())
            .filter(|&v| !places[v].is_empty())
            .collect();
        // Alike functions get alike names: parameters in their order, then what is used most.
        order.sort_by_key(|&variable| {
            let (from, to) = ranges[variable];
            let name = self.declared[variable].0;
            let in_order =
                is_outer(variable) || code.parents[name].is_some_and(|open| code.text(open) == "(");
            let uses = if in_order {
                usize::MAX
            } else {
                places[variable].len()
            };
            (
                !is_outer(variable),
                to - from,
                from,
                Reverse(uses),
                variable,
            )
        });
        let is_word = |name: &str| kept.contains(name) || KEYWORDS.binary_search(&name).is_ok();
        let spellings: Vec<String> = (0..)
            .map(spelling)
            .filter(|name| !is_word(name))
            .take(order.len())
            .collect();
        let mut names: Vec<Option<usize>> = vec![None; places.len()];
        for (number, &variable) in order.iter().enumerate() {
            if is_outer(variable) {
                names[variable] = Some(number);
                continue;
            }
            let (from, to) = ranges[variable];
            let used = (from..=to.min(self.of.len() - 1)).filter_map(of);
            let is_apart = |other: usize| {
                let (first, last) = ranges[other];
                let is_inner = first >= from && last <= to && (first, last) != (from, to);
                is_inner
                    && !places[variable]
                        .iter()
                        .any(|at| (first..=last).contains(at))
            };
            let taken: HashSet<usize> = used
                .filter(|&other| !is_apart(other))
                .filter_map(|other| names[other])
                .collect();
            names[variable] = (0..).find(|name| !taken.contains(name));
        }
        let name = |at: usize| Some(spellings[names[of(at)?]?].clone());
        (0..self.of.len()).map(name).collect()
    }
}

/// The `number`th spelling: `e`, `t` … `Z`, then `ee`, `et` …
fn spelling(number: usize) -> String {
    // Letters that are frequent anyway take fewer bits.
    const LETTERS: &[u8; 52] = b"etnsoiraldcupmhfgbvwykxqjzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let last = char::from(LETTERS[number % 52]);
    match number / 52 {
        0 => last.to_string(),
        more => spelling(more - 1) + &last.to_string(),
    }
}

#[cfg(test)]
mod tests;
