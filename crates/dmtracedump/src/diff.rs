//! `-d`: two profiles side by side, then what only one of them has.
//!
//! *Run 1* is the `-d` file, *Run 2* the other. "Diff (%)" is run 2 in percent of run 1, a
//! difference below zero prints as an unsigned number, and where run 1 is zero neither is
//! computed: the original's ways, kept.

use std::collections::{HashMap, VecDeque};
use std::ffi::OsStr;
use std::io::{self, Write};

use super::account::Totals;
use super::args::Options;
use super::labels::escape;
use super::methods::{Method, MethodIndex};
use super::out::{Cell, Out};
use super::page;
use super::profile::Profile;

/// Prints the comparison.
pub(super) fn report<'a, W: Write>(
    options: &Options,
    old: &Profile<'a>,
    new: &Profile<'a>,
    out: &mut Out<W>,
) -> io::Result<()> {
    let mut pairing = pair(old, new);
    let mut report = Report {
        options,
        old,
        new,
        out,
    };
    // Both sorts are stable, and the second starts from what the first left.
    pairing
        .pairs
        .sort_by_key(|p| std::cmp::Reverse(p.exclusive.0));
    report.table(&EXCLUSIVE, &pairing.pairs)?;
    pairing
        .pairs
        .sort_by_key(|p| std::cmp::Reverse(p.inclusive.0));
    report.table(&INCLUSIVE, &pairing.pairs)?;
    report.missing(
        "<h3>Run 1 methods not found in Run 2</h3>",
        old,
        &pairing.only_old,
    )?;
    report.missing(
        "</table>\n<h3>Run 2 methods not found in Run 1</h3>",
        new,
        &pairing.only_new,
    )?;
    if options.html {
        report.out.text("</body></html\n");
    }
    report.out.row()
}

/// A difference in µs and the ratio in percent.
type Change = (i64, f64);

/// A method found in both runs.
struct Pair {
    old: MethodIndex,
    new: MethodIndex,
    exclusive: Change,
    inclusive: Change,
}

struct Pairing {
    pairs: Vec<Pair>,
    only_old: Vec<MethodIndex>,
    only_new: Vec<MethodIndex>,
}

/// Pairs methods in order of the old run's inclusive time, each with the first that fits in order
/// of the new run's.
fn pair<'a>(old: &Profile<'a>, new: &Profile<'a>) -> Pairing {
    let (mut old_order, mut new_order) = (old.methods.all(), new.methods.all());
    old.sort_inclusive(&mut old_order);
    new.sort_inclusive(&mut new_order);
    let mut candidates = Candidates::new(new, &new_order);
    let mut pairing = Pairing {
        pairs: Vec::new(),
        only_old: Vec::new(),
        only_new: Vec::new(),
    };
    for &method in &old_order {
        match candidates.take(old.methods.get(method)) {
            Some(place) => pairing
                .pairs
                .push(Pair::new(old, new, method, new_order[place])),
            None => pairing.only_old.push(method),
        }
    }
    let left = new_order.iter().zip(&candidates.taken);
    pairing.only_new = left
        .filter(|(_, taken)| !**taken)
        .map(|(&m, _)| m)
        .collect();
    pairing
}

impl Pair {
    fn new(old: &Profile<'_>, new: &Profile<'_>, a: MethodIndex, b: MethodIndex) -> Self {
        let (before, after) = (old.totals(a), new.totals(b));
        Pair {
            old: a,
            new: b,
            exclusive: change(before.exclusive, after.exclusive),
            inclusive: change(before.inclusive, after.inclusive),
        }
    }
}

fn change(before: u64, after: u64) -> Change {
    match before {
        0 => (0, 0.0),
        _ => (
            after.wrapping_sub(before) as i64,
            after as f64 / before as f64 * 100.0,
        ),
    }
}

/// The new run's methods by what they are matched on. Two methods with names match by name,
/// signature and class; if either has none, by class and id.
struct Candidates<'a> {
    by_name: HashMap<[&'a [u8]; 3], VecDeque<usize>>,
    by_id: HashMap<(&'a [u8], i64), VecDeque<usize>>,
    nameless_by_id: HashMap<(&'a [u8], i64), VecDeque<usize>>,
    taken: Vec<bool>,
}

impl<'a> Candidates<'a> {
    fn new(new: &Profile<'a>, order: &[MethodIndex]) -> Self {
        let mut candidates = Candidates {
            by_name: HashMap::new(),
            by_id: HashMap::new(),
            nameless_by_id: HashMap::new(),
            taken: vec![false; order.len()],
        };
        for (place, &method) in order.iter().enumerate() {
            let method = new.methods.get(method);
            let id = (method.class, method.id);
            candidates.by_id.entry(id).or_default().push_back(place);
            let same = match name_key(method) {
                Some(key) => candidates.by_name.entry(key).or_default(),
                None => candidates.nameless_by_id.entry(id).or_default(),
            };
            same.push_back(place);
        }
        candidates
    }

    /// Takes the first that fits.
    fn take(&mut self, method: &Method<'a>) -> Option<usize> {
        let id = (method.class, method.id);
        let taken = &self.taken;
        let place = match name_key(method) {
            None => first(self.by_id.get_mut(&id), taken),
            Some(key) => {
                let named = first(self.by_name.get_mut(&key), taken);
                let nameless = first(self.nameless_by_id.get_mut(&id), taken);
                named.into_iter().chain(nameless).min()
            }
        };
        if let Some(place) = place {
            self.taken[place] = true;
        }
        place
    }
}

fn name_key<'a>(method: &Method<'a>) -> Option<[&'a [u8]; 3]> {
    method
        .name
        .map(|name| [name, method.signature, method.class])
}

/// The first place in the queue that is not taken; those that are leave it for good.
fn first(queue: Option<&mut VecDeque<usize>>, taken: &[bool]) -> Option<usize> {
    let queue = queue?;
    while queue.front().is_some_and(|&place| taken[place]) {
        queue.pop_front();
    }
    queue.front().copied()
}

/// One of the two tables.
struct Table {
    anchor: &'static str,
    id: &'static str,
    title: &'static str,
    time: fn(&Totals) -> u64,
    change: fn(&Pair) -> Change,
}

const EXCLUSIVE: Table = Table {
    anchor: "exclusive",
    id: "exclusive",
    title: "Exclusive",
    time: |totals| totals.exclusive,
    change: |pair| pair.exclusive,
};

const INCLUSIVE: Table = Table {
    anchor: "inclusive",
    id: "inculisve",
    title: "Inclusive",
    time: |totals| totals.inclusive,
    change: |pair| pair.inclusive,
};

struct Report<'r, 'a, W> {
    options: &'r Options,
    old: &'r Profile<'a>,
    new: &'r Profile<'a>,
    out: &'r mut Out<W>,
}

impl<W: Write> Report<'_, '_, W> {
    fn table(&mut self, table: &Table, pairs: &[Pair]) -> io::Result<()> {
        if self.options.html {
            self.table_head(table)?;
        }
        for pair in pairs {
            self.pair(table, pair);
            self.out.row()?;
        }
        if self.options.html {
            self.out.text("</table>\n");
        }
        Ok(())
    }

    /// The whole page head stands before both tables.
    fn table_head(&mut self, table: &Table) -> io::Result<()> {
        page::header(self.options.sortable_url.as_deref(), self.out)?;
        if table.anchor == EXCLUSIVE.anchor {
            self.out.text("<h3>Table of Contents</h3>\n<ul>\n");
            self.out.text("<li><a href='#exclusive'>Exclusive</a>\n");
            self.out
                .text("<li><a href='#inclusive'>Inclusive</a>\n</ul>\n");
        }
        let run_1 = self.options.diff.as_deref().unwrap_or_default();
        for (run, path) in [("1", run_1), ("2", OsStr::new(&self.options.trace))] {
            self.out.text("Run ").text(run).text(": ");
            self.out.text(path.as_encoded_bytes()).text("<br>\n");
        }
        let Table {
            anchor, id, title, ..
        } = table;
        self.out.text(format!(
            "<a name=\"{anchor}\"></a><h3 id=\"{id}\">{title}</h3>\n\
             <table class='sortable' id='{anchor}_table'><tr>\n\
             <th>Method</th>\n<th>Run 1 (us)</th>\n<th>Run 2 (us)</th>\n\
             <th>Diff (us)</th>\n<th>Diff (%)</th>\n\
             <th>1: # calls</th>\n<th>2: # calls</th>\n</tr>\n"
        ));
        self.out.row()
    }

    fn pair(&mut self, table: &Table, pair: &Pair) {
        let (before, after) = (self.old.totals(pair.old), self.new.totals(pair.new));
        let (difference, ratio) = (table.change)(pair);
        let number = |n: u64| (Cell::unsigned(n), " ", "</td><td>");
        let calls = |t: &Totals| Cell::signed(t.calls[0]);
        self.method(self.old, pair.old);
        for (cell, end, next) in [
            number((table.time)(before)),
            number((table.time)(after)),
            number(difference as u64),
            (Cell::hundredths(ratio), "\n", "</td><td>\n"),
            (calls(before), "\n", "</td><td>\n"),
            (calls(after), "\n", "</td></tr>\n"),
        ] {
            self.cell(&cell, end, next);
        }
    }

    /// The methods that one run alone has.
    fn missing(
        &mut self,
        head: &str,
        run: &Profile<'_>,
        methods: &[MethodIndex],
    ) -> io::Result<()> {
        if self.options.html {
            self.out.text(head);
            self.out
                .text("<table class='sortable' id='?'>\n<th>Method</th>\n");
            self.out
                .text("<th>Exclusive</th>\n<th>Inclusive</th>\n<th># calls</th>\n");
        }
        for &method in methods {
            let totals = run.totals(method);
            self.method(run, method);
            self.cell(&Cell::unsigned(totals.exclusive), " ", "</td><td>");
            self.cell(&Cell::unsigned(totals.inclusive), " ", "</td><td>");
            self.cell(&Cell::signed(totals.calls[0]), "\n", "</td><td>\n");
            self.out.row()?;
        }
        Ok(())
    }

    /// `class.method `, escaped in text too; a missing name is C's `(null)`.
    fn method(&mut self, run: &Profile<'_>, method: MethodIndex) {
        let method = run.methods.get(method);
        let row = self.out.buffer();
        if self.options.html {
            row.text(b"<tr><td>\n");
        }
        escape(method.class, row);
        row.text(b".");
        escape(method.name.unwrap_or(b"(null)"), row);
        row.text(b" ");
        if self.options.html {
            row.text(b"</td><td>");
        }
    }

    fn cell(&mut self, cell: &Cell, end: &str, next_in_html: &str) {
        self.out.text(cell.bytes()).text(end);
        if self.options.html {
            self.out.text(next_in_html);
        }
    }
}
