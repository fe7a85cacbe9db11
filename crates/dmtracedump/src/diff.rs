//! `-d`: two profiles side by side, then the methods that only one of them has.
//!
//! *Run 1* is the `-d` file, *Run 2* the other. "Diff (%)" is run 2 in percent of run 1, a
//! difference below zero is printed as an unsigned number, and if run 1 is zero neither is
//! computed. All of this is as in the original.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::ffi::OsStr;
use std::io;

use super::args::Options;
use super::methods::{Method, MethodIndex};
use super::out::Out;
use super::page;
use super::profile::Profile;
use super::sums::Totals;

/// Prints the comparison.
pub(super) fn report(
    options: &Options,
    old: &Profile<'_>,
    new: &Profile<'_>,
    out: &mut Out<'_>,
) -> io::Result<()> {
    let mut matches = match_methods(old, new);
    for table in [&EXCLUSIVE, &INCLUSIVE] {
        if out.html {
            table.head(options, out);
        }
        // Both sorts are stable, and the second starts from the result of the first.
        let time = |p: &Profile<'_>, method| (table.1)(p.totals(method));
        let change = |&(a, b): &Pair| change(time(old, a), time(new, b));
        matches.pairs.sort_by_key(|pair| Reverse(change(pair).0));
        for &(a, b) in &matches.pairs {
            let (before, after) = (old.totals(a), new.totals(b));
            let (difference, ratio) = change(&(a, b));
            method(old.methods.get(a), out);
            for time in [(table.1)(before), (table.1)(after), difference as u64] {
                out.number(time).text(" ").markup("</td><td>");
            }
            out.fraction(0, 2, ratio).text("\n").markup("</td><td>\n");
            out.number(before.calls[0]).text("\n").markup("</td><td>\n");
            out.number(after.calls[0]).text("\n").markup("</td></tr>\n");
            out.end_row()?;
        }
        out.markup("</table>\n");
    }
    out.markup("<h3>Run 1 methods not found in Run 2</h3>");
    unmatched(old, &matches.only_old, out)?;
    out.markup("</table>\n<h3>Run 2 methods not found in Run 1</h3>");
    unmatched(new, &matches.only_new, out)?;
    out.markup("</body></html\n").end_row()
}

/// The difference in µs and the ratio in percent.
fn change(before: u64, after: u64) -> (i64, f64) {
    if before == 0 {
        return (0, 0.0);
    }
    let difference = after.wrapping_sub(before) as i64;
    (difference, after as f64 / before as f64 * 100.0)
}

/// A method of the old run and the same method of the new one.
type Pair = (MethodIndex, MethodIndex);

struct Matches {
    pairs: Vec<Pair>,
    only_old: Vec<MethodIndex>,
    only_new: Vec<MethodIndex>,
}

/// Goes through the old run's methods by inclusive time, and matches each with the first equal method of the new run.
fn match_methods(old: &Profile<'_>, new: &Profile<'_>) -> Matches {
    let mut candidates = Candidates::new(new);
    let (mut pairs, mut only_old) = (Vec::new(), Vec::new());
    for &method in &old.by_inclusive {
        match candidates.take(old.methods.get(method)) {
            Some(place) => pairs.push((method, new.by_inclusive[place])),
            None => only_old.push(method),
        }
    }
    let all = new.by_inclusive.iter().zip(&candidates.taken);
    let left = all.filter(|(_, taken)| !**taken);
    Matches {
        pairs,
        only_old,
        only_new: left.map(|(&method, _)| method).collect(),
    }
}

/// Two methods with names match by class, name and signature; if either has no name, by class and
/// id.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Named(&'a [u8], &'a [u8], &'a [u8]),
    /// A method with or without a name.
    Any(&'a [u8], i64),
    Nameless(&'a [u8], i64),
}

/// The new run's methods, as indexes of the list in order of inclusive time.
struct Candidates<'a> {
    by_key: HashMap<Key<'a>, VecDeque<usize>>,
    taken: Vec<bool>,
}

impl<'a> Candidates<'a> {
    fn new(new: &Profile<'a>) -> Self {
        let mut by_key: HashMap<Key<'a>, VecDeque<usize>> = HashMap::new();
        for (place, &method) in new.by_inclusive.iter().enumerate() {
            let method = new.methods.get(method);
            let own = match method.name {
                Some(name) => Key::Named(method.class, name, method.signature),
                None => Key::Nameless(method.class, method.id),
            };
            for key in [own, Key::Any(method.class, method.id)] {
                by_key.entry(key).or_default().push_back(place);
            }
        }
        Candidates {
            by_key,
            taken: vec![false; new.by_inclusive.len()],
        }
    }

    /// Takes the first fitting method.
    fn take(&mut self, method: &Method<'a>) -> Option<usize> {
        let place = match method.name {
            None => self.first(&Key::Any(method.class, method.id)),
            Some(name) => {
                let named = self.first(&Key::Named(method.class, name, method.signature));
                let nameless = self.first(&Key::Nameless(method.class, method.id));
                named.into_iter().chain(nameless).min()
            }
        }?;
        self.taken[place] = true;
        Some(place)
    }

    /// The first index with this key that is not taken. Removes taken ones from the queue.
    fn first(&mut self, key: &Key<'a>) -> Option<usize> {
        let queue = self.by_key.get_mut(key)?;
        while queue.front().is_some_and(|&place| self.taken[place]) {
            queue.pop_front();
        }
        queue.front().copied()
    }
}

/// One of the two tables: its heading, and the time it compares.
struct Table(&'static str, fn(&Totals) -> u64);

const EXCLUSIVE: Table = Table("Exclusive", |totals| totals.exclusive);
const INCLUSIVE: Table = Table("Inclusive", |totals| totals.inclusive);

impl Table {
    /// Prints the HTML before the rows. Each table has the head of a whole page.
    fn head(&self, options: &Options, out: &mut Out<'_>) {
        let title = self.0;
        // The original misspells the second id.
        let (anchor, id) = match title {
            "Exclusive" => ("exclusive", "exclusive"),
            _ => ("inclusive", "inculisve"),
        };
        page::header(options.sortable_url.as_deref(), out);
        if anchor == "exclusive" {
            out.text("<h3>Table of Contents</h3>\n<ul>\n");
            out.text("<li><a href='#exclusive'>Exclusive</a>\n");
            out.text("<li><a href='#inclusive'>Inclusive</a>\n</ul>\n");
        }
        let run_1 = options.diff.as_deref().unwrap_or_default();
        for (run, path) in [("1", run_1), ("2", OsStr::new(&options.trace))] {
            out.text("Run ").text(run).text(": ");
            out.text(path.as_encoded_bytes()).text("<br>\n");
        }
        out.text(format!(
            "<a name=\"{anchor}\"></a><h3 id=\"{id}\">{title}</h3>\n\
             <table class='sortable' id='{anchor}_table'><tr>\n\
             <th>Method</th>\n<th>Run 1 (us)</th>\n<th>Run 2 (us)</th>\n\
             <th>Diff (us)</th>\n<th>Diff (%)</th>\n\
             <th>1: # calls</th>\n<th>2: # calls</th>\n</tr>\n"
        ));
    }
}

/// Prints the methods that only one run has.
fn unmatched(run: &Profile<'_>, methods: &[MethodIndex], out: &mut Out<'_>) -> io::Result<()> {
    out.markup("<table class='sortable' id='?'>\n<th>Method</th>\n");
    out.markup("<th>Exclusive</th>\n<th>Inclusive</th>\n<th># calls</th>\n");
    for &index in methods {
        let totals = run.totals(index);
        method(run.methods.get(index), out);
        for time in [totals.exclusive, totals.inclusive] {
            out.number(time).text(" ").markup("</td><td>");
        }
        out.number(totals.calls[0]).text("\n").markup("</td><td>\n");
        out.end_row()?;
    }
    Ok(())
}

/// Prints `class.method `, escaped in text too; a missing name is C's `(null)`.
fn method(method: &Method<'_>, out: &mut Out<'_>) {
    out.markup("<tr><td>\n").escaped(method.class).text(".");
    out.escaped(method.name.unwrap_or(b"(null)")).text(" ");
    out.markup("</td><td>");
}
