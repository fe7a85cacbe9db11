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
    let names = Naming::new(&code, &variables).names();
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

/// Who gives names to variables.
struct Naming<'a> {
    code: &'a Code<'a>,
    /// Spellings that mean something else somewhere.
    kept: HashSet<&'a str>,
    /// The variable that each token names, if it may have a new name.
    of: Vec<Option<usize>>,
    /// Where each variable is named.
    places: Vec<Vec<usize>>,
    /// Where each is known: in a function's body also where its parameters stand.
    ranges: Vec<Range>,
    /// Where each is declared.
    declared: Vec<usize>,
}

impl<'a> Naming<'a> {
    fn new(code: &'a Code<'a>, variables: &Variables) -> Self {
        let Variables { declared, uses, of } = variables;
        let is_open = |at: &usize| uses[*at] != Use::Other && of[*at].is_none();
        let open = (0..of.len()).filter(is_open).map(|at| code.text(at));
        let kept: HashSet<&str> = open.collect();
        let mut places = vec![Vec::new(); declared.len()];
        let may = |at: usize| of[at].filter(|_| !kept.contains(code.text(at)));
        let of: Vec<Option<usize>> = (0..of.len()).map(may).collect();
        for (at, variable) in of.iter().enumerate() {
            if let Some(variable) = *variable {
                places[variable].push(at);
            }
        }
        let range = |&(_, range): &(usize, Range)| code.with_head(range);
        Self {
            ranges: declared.iter().map(range).collect(),
            declared: declared.iter().map(|&(name, _)| name).collect(),
            code,
            kept,
            of,
            places,
        }
    }

    /// A short name for each token that names a variable which may have one.
    fn names(&self) -> Vec<Option<String>> {
        let order = self.order();
        let is_free = |name: &String| {
            !self.kept.contains(name.as_str()) && KEYWORDS.binary_search(&name.as_str()).is_err()
        };
        let spellings = (0..).map(spelling).filter(is_free);
        let spellings: Vec<String> = spellings.take(order.len()).collect();
        let mut names: Vec<Option<usize>> = vec![None; self.places.len()];
        for (number, &variable) in order.iter().enumerate() {
            names[variable] = if self.is_outer(variable) {
                Some(number)
            } else {
                let taken = self.taken(variable, &names);
                (0..).find(|name| !taken.contains(name))
            };
        }
        let name = |variable: &Option<usize>| Some(spellings[names[(*variable)?]?].clone());
        self.of.iter().map(name).collect()
    }

    fn is_outer(&self, variable: usize) -> bool {
        self.ranges[variable] == self.code.whole()
    }

    /// Who gets a name first: outer variables, which all differ; then those of small scopes, so
    /// that alike functions get alike names: parameters in their order, then what is used most.
    fn order(&self) -> Vec<usize> {
        let is_used = |&variable: &usize| !self.places[variable].is_empty();
        let mut order: Vec<usize> = (0..self.places.len()).filter(is_used).collect();
        order.sort_by_key(|&variable| {
            let (from, to) = self.ranges[variable];
            let parent = self.code.parents[self.declared[variable]];
            let is_parameter = parent.is_some_and(|open| self.code.text(open) == "(");
            let uses = if is_parameter || self.is_outer(variable) {
                usize::MAX
            } else {
                self.places[variable].len()
            };
            let size = to - from;
            (
                !self.is_outer(variable),
                size,
                from,
                Reverse(uses),
                variable,
            )
        });
        order
    }

    /// Names that others bear who are used where this variable is known. Not those of inner scopes
    /// that do not use it: they may hide it.
    fn taken(&self, variable: usize, names: &[Option<usize>]) -> HashSet<usize> {
        let (from, to) = self.ranges[variable];
        let may_hide = |other: usize| {
            let (first, last) = self.ranges[other];
            let is_inner = first >= from && last <= to && (first, last) != (from, to);
            let mut places = self.places[variable].iter();
            is_inner && !places.any(|at| (first..=last).contains(at))
        };
        let used = self.of[from..=to.min(self.of.len() - 1)].iter().flatten();
        let others = used.filter(|&&other| !may_hide(other));
        others.filter_map(|&other| names[other]).collect()
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
