//! The second section: methods by inclusive time, each with its callers and callees.

use std::io::{self, Write};

use super::exclusive;
use super::labels::Labels;
use super::methods::MethodIndex;
use super::out::{Cell, Out};
use super::page;
use super::profile::Profile;
use super::relatives::{Relative, Side};

/// Stands between plain and recursive relatives.
const RECURSIVE_RULE: &str = "               +++++++++++++++++++++++++\n";

/// Prints the section and leaves `order` sorted by inclusive time.
pub(super) fn section<W: Write>(
    profile: &mut Profile<'_>,
    labels: &Labels,
    ranks: &[u32],
    order: &mut [MethodIndex],
    html: bool,
    out: &mut Out<W>,
) -> io::Result<()> {
    profile.sort_inclusive(order);
    page::section_start("inclusive", html, out);
    out.text("\nInclusive elapsed times for each method and its parents and children,\n");
    out.text("sorted by inclusive time.\n\n");
    if html {
        out.text("<br><br>\n<pre>\n");
    }
    out.text("index  %/total %/self  index     calls         usecs name\n");
    let mut section = Section {
        cells: Cells::new(profile, ranks, html),
        profile,
        labels,
        ranks,
        html,
        out,
    };
    for (place, &method) in order.iter().enumerate() {
        if section.profile.totals(method).inclusive == 0 {
            break;
        }
        section.method(place as u64, method)?;
    }
    if html {
        out.text("</pre>\n");
    }
    out.row()
}

/// The parts of a relative's row that are the same wherever the method shows up.
struct Cells {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Cells {
    /// For each method: its `[rank]` cell, then ` calls` as the denominator of a callee's row.
    fn new(profile: &Profile<'_>, ranks: &[u32], html: bool) -> Self {
        let mut ends = Vec::with_capacity(ranks.len() * 2);
        let mut cells = Out::new(Vec::new());
        let mut text = Vec::new();
        for (method, &rank) in ranks.iter().enumerate() {
            let digits = Cell::unsigned(u64::from(rank)).bytes().len();
            cells.text(&b"      "[(digits + 2).min(6)..]);
            exclusive::link(rank, html, &mut cells);
            cells.text(" ");
            ends.push(cells.take(&mut text));
            let calls = Cell::signed(profile.totals[method].all_calls());
            cells.text("/").left(&calls, 6).text(" ");
            ends.push(cells.take(&mut text));
        }
        Cells { text, ends }
    }

    #[inline]
    fn part(&self, part: usize) -> &[u8] {
        let start = if part == 0 { 0 } else { self.ends[part - 1] };
        &self.text[start..self.ends[part]]
    }

    #[inline]
    fn link(&self, method: MethodIndex) -> &[u8] {
        self.part(method as usize * 2)
    }

    #[inline]
    fn of_calls(&self, method: MethodIndex) -> &[u8] {
        self.part(method as usize * 2 + 1)
    }
}

struct Section<'s, 'a, W> {
    profile: &'s mut Profile<'a>,
    labels: &'s Labels,
    ranks: &'s [u32],
    cells: Cells,
    html: bool,
    out: &'s mut Out<W>,
}

impl<W: Write> Section<'_, '_, W> {
    fn method(&mut self, place: u64, method: MethodIndex) -> io::Result<()> {
        if self.html {
            // Of methods that tie in everything, rank and place may differ.
            let rank = u64::from(self.ranks[method as usize]);
            self.out.text("<a name=\"m").number(rank).text("\"></a>");
        }
        self.out
            .text("----------------------------------------------------\n");
        self.relatives(method, Side::Callers)?;
        self.itself(place, method);
        self.relatives(method, Side::Callees)
    }

    fn itself(&mut self, place: u64, method: MethodIndex) {
        let totals = self.profile.totals(method);
        let inclusive = totals.inclusive as f64;
        let out = &mut *self.out;
        let rank = Cell::unsigned(place);
        out.text("[").text(rank.bytes()).text("]");
        out.text(&b"      "[(rank.bytes().len() + 2).min(6)..])
            .text(" ");
        let share = 100.0 * inclusive / self.profile.total as f64;
        out.right(&Cell::tenths(share), 5);
        out.text("%                ");
        out.right(&Cell::signed(totals.calls[0]), 6).text("+");
        out.left(&Cell::signed(totals.calls[1]), 6).text(" ");
        out.right(&Cell::unsigned(totals.inclusive), 9).text(" ");
        out.text(self.labels.of(method)).text("\n               ");
        let own = 100.0 * totals.top_exclusive as f64 / inclusive;
        out.right(&Cell::tenths(own), 5);
        out.text("%   excl               ");
        out.right(&Cell::unsigned(totals.top_exclusive), 9)
            .text("\n");
    }

    fn relatives(&mut self, method: MethodIndex, side: Side) -> io::Result<()> {
        let profile = &mut *self.profile;
        let totals = profile.totals[method as usize];
        let calls = match side {
            Side::Callers => Some(totals.all_calls()).filter(|&calls| calls != 0),
            Side::Callees => None,
        };
        let relatives = match side {
            Side::Callers => &mut profile.callers,
            Side::Callees => &mut profile.callees,
        };
        for recursive in [false, true] {
            let group = relatives.of(method, recursive);
            if recursive && !group.is_empty() {
                self.out.text(RECURSIVE_RULE);
            }
            let methods = &profile.methods;
            methods.order().sort_relatives(methods.list(), group);
            let rows = Rows {
                whole: (!recursive).then_some(totals.inclusive as f64),
                of_calls: calls.map(Cell::signed),
                labels: self.labels,
                cells: &self.cells,
            };
            rows.print(group, self.out)?;
        }
        Ok(())
    }
}

/// A run of relatives' rows.
struct Rows<'r> {
    /// What percentages are of, µs; none for recursive calls.
    whole: Option<f64>,
    /// The calls that a row's calls are part of, if not the relative's own.
    of_calls: Option<Cell>,
    labels: &'r Labels,
    cells: &'r Cells,
}

impl Rows<'_> {
    fn print<W: Write>(&self, group: &[Relative], out: &mut Out<W>) -> io::Result<()> {
        for relative in group {
            let inclusive = relative.inclusive;
            match self.whole {
                Some(whole) => {
                    out.text("               ");
                    let share = 100.0 * inclusive as f64 / whole;
                    out.right(&Cell::tenths(share), 5).text("% ");
                }
                None => {
                    out.text("                      ");
                }
            }
            out.text(self.cells.link(relative.method));
            out.right(&Cell::signed(relative.calls as i32), 6);
            match &self.of_calls {
                Some(calls) => out.text("/").left(calls, 6).text(" "),
                None => out.text(self.cells.of_calls(relative.method)),
            };
            out.right(&Cell::unsigned(inclusive), 9).text(" ");
            out.text(self.labels.of(relative.method)).text("\n");
            out.row()?;
        }
        Ok(())
    }
}
