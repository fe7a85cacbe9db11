//! The third and fourth section: exclusive time summed by class, and by method name.

use std::cmp::Reverse;
use std::io::{self, Write};

use super::exclusive;
use super::labels;
use super::methods::{MethodIndex, Methods};
use super::order;
use super::out::{Cell, Out};
use super::page;
use super::profile::Profile;

/// What a section groups by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Class,
    Name,
}

/// Methods that share a class or a name, by falling exclusive time.
struct Group {
    members: Vec<MethodIndex>,
    exclusive: u64,
    calls: [i32; 2],
}

/// Prints the section by class and leaves `order` sorted by class.
pub(super) fn by_class<W: Write>(
    profile: &Profile<'_>,
    ranks: &[u32],
    order: &mut [MethodIndex],
    html: bool,
    out: &mut Out<W>,
) -> io::Result<()> {
    let methods = &profile.methods;
    order.sort_by(|&a, &b| order::by_class(methods.get(a), methods.get(b)));
    let groups = groups(profile, order, By::Class);
    page::section_start("class", html, out);
    if groups.is_empty() {
        out.text("\nNo classes.\n");
        out.text(if html { "<br><br>\n" } else { "" });
        return out.row();
    }
    out.text("\nExclusive elapsed time for each class, summed over all the methods\n");
    out.text("in the class.\n\n");
    section(profile, ranks, By::Class, &groups, html, out)
}

/// Prints the section by method name; takes `order` sorted by class and leaves it sorted by name.
pub(super) fn by_name<W: Write>(
    profile: &Profile<'_>,
    ranks: &[u32],
    order: &mut [MethodIndex],
    html: bool,
    out: &mut Out<W>,
) -> io::Result<()> {
    order::sort_by_bare_name(profile.methods.list(), order);
    let groups = groups(profile, order, By::Name);
    if groups.is_empty() {
        return Ok(());
    }
    page::section_start("method", html, out);
    out.text("\nExclusive elapsed time for each method, summed over all the classes\n");
    out.text("that contain a method with the same name.\n\n");
    section(profile, ranks, By::Name, &groups, html, out)
}

/// Runs of equal classes or names in `order`, methods without a name left out. The methods stand
/// in no perfect order of names, so a name may come up twice, as it does in the original. Only
/// empty names (texts that begin with a NUL) make no group.
fn groups(profile: &Profile<'_>, order: &[MethodIndex], by: By) -> Vec<Group> {
    let methods = &profile.methods;
    let named: Vec<MethodIndex> = order
        .iter()
        .copied()
        .filter(|&m| methods.get(m).name.is_some())
        .collect();
    let key = |m: MethodIndex| by.key(methods, m);
    let mut groups: Vec<Group> = named
        .chunk_by(|&a, &b| key(a) == key(b))
        .map(|members| Group::new(profile, members))
        .collect();
    if let [only] = &groups[..]
        && key(only.members[0]).is_empty()
    {
        return Vec::new();
    }
    groups.sort_by_key(|group| {
        let first = methods.get(group.members[0]);
        (Reverse(group.exclusive), first.class, first.id)
    });
    groups
}

impl By {
    fn key<'a>(self, methods: &Methods<'a>, method: MethodIndex) -> &'a [u8] {
        let method = methods.get(method);
        match self {
            By::Class => method.class,
            By::Name => method.name.unwrap_or_default(),
        }
    }

    /// The word over the last column, and the letter of the page's element ids.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            By::Class => ("Class", "d"),
            By::Name => ("Method", "e"),
        }
    }
}

impl Group {
    fn new(profile: &Profile<'_>, members: &[MethodIndex]) -> Self {
        let mut group = Group {
            members: members.to_vec(),
            exclusive: 0,
            calls: [0; 2],
        };
        for &member in members {
            let totals = profile.totals(member);
            group.exclusive = group.exclusive.wrapping_add(totals.exclusive);
            for (sum, calls) in group.calls.iter_mut().zip(totals.calls) {
                *sum = sum.wrapping_add(calls);
            }
        }
        profile.sort_exclusive(&mut group.members);
        group
    }
}

fn section<W: Write>(
    profile: &Profile<'_>,
    ranks: &[u32],
    by: By,
    groups: &[Group],
    html: bool,
    out: &mut Out<W>,
) -> io::Result<()> {
    let word = by.words().0;
    if html {
        out.text("<br><br>\n<div class=\"header\"><span class=\"parent\">&nbsp;</span>");
        out.text("&nbsp;&nbsp;&nbsp;Cycles %/total Cumul.% &nbsp;Calls+Recur&nbsp; ");
        out.text(word).text("</div>\n");
    } else {
        out.text("   Cycles %/total Cumul.%  Calls+Recur  ");
        out.text(word).text("\n");
    }
    let mut section = Section {
        profile,
        ranks,
        by,
        html,
        out,
        scratch: Vec::new(),
    };
    let total = profile.total as f64;
    let mut sum = 0.0;
    for (place, group) in groups.iter().enumerate() {
        if group.exclusive == 0 {
            break;
        }
        sum += group.exclusive as f64;
        section.head(place, group, 100.0 * sum / total);
        section.members(group)?;
    }
    section.out.row()
}

struct Section<'s, 'a, W> {
    profile: &'s Profile<'a>,
    ranks: &'s [u32],
    by: By,
    html: bool,
    out: &'s mut Out<W>,
    scratch: Vec<u8>,
}

impl<W: Write> Section<'_, '_, W> {
    /// The group's own row; `cumulative` is a percentage.
    fn head(&mut self, place: usize, group: &Group, cumulative: f64) {
        let share = Cell::tenths(100.0 * group.exclusive as f64 / self.profile.total as f64);
        let cells = [share, Cell::tenths(cumulative)];
        if self.html {
            self.fold_start(place as u64);
            page::right(&Cell::unsigned(group.exclusive), 9, self.out);
            self.numbers(&cells, group.calls, " ");
        } else {
            self.out
                .text("---------------------------------------------\n");
            self.out.right(&Cell::unsigned(group.exclusive), 9);
            self.numbers(&cells, group.calls, " ");
        }
        self.scratch.clear();
        let name = self.by.key(&self.profile.methods, group.members[0]);
        labels::put(name, self.html, &mut self.scratch);
        self.out.text(" ").text(&self.scratch);
        if self.html {
            let letter = self.by.words().1;
            self.out.text("</div>\n<div class=\"parent\" id=\"");
            self.out.text(letter).number(place as u64).text("\">\n");
        } else {
            self.out.text("\n");
        }
    }

    /// The start of a row that unfolds.
    fn fold_start(&mut self, place: u64) {
        let letter = self.by.words().1;
        let out = &mut *self.out;
        out.text("<div class=\"link\" onClick=\"javascript:toggle('");
        out.text(letter).number(place);
        out.text("')\" onMouseOver=\"javascript:onMouseOver(this)\" ");
        out.text("onMouseOut=\"javascript:onMouseOut(this)\"><span class=\"parent\" id=\"x");
        out.text(letter).number(place).text("\">+</span>");
    }

    fn members(&mut self, group: &Group) -> io::Result<()> {
        let whole = group.exclusive as f64;
        let mut sum = 0.0;
        for &member in &group.members {
            let totals = *self.profile.totals(member);
            sum += totals.exclusive as f64;
            let times = [totals.exclusive, totals.inclusive].map(Cell::unsigned);
            let shares = [100.0 * totals.exclusive as f64 / whole, 100.0 * sum / whole];
            let between = if self.html { "&nbsp;" } else { " " };
            if self.html {
                self.out
                    .text("<div class=\"leaf\"><span class=\"leaf\">&nbsp;</span>");
                page::right(&times[0], 9, self.out);
                self.out.text(between);
                page::right(&times[1], 9, self.out);
            } else {
                self.out.right(&times[0], 9).text(" ").right(&times[1], 9);
            }
            self.numbers(&shares.map(Cell::tenths), totals.calls, between);
            self.out.text(between);
            exclusive::link(self.ranks[member as usize], self.html, self.out);
            self.out.text(between);
            self.name(member, between);
            self.out.text(if self.html { "</div>\n" } else { "\n" });
            self.out.row()?;
        }
        if self.html {
            self.out.text("</div>\n");
        }
        Ok(())
    }

    /// The two percentages and the calls, each with `between` before it.
    fn numbers(&mut self, shares: &[Cell; 2], calls: [i32; 2], between: &str) {
        let calls = calls.map(Cell::signed);
        let out = &mut *self.out;
        if self.html {
            for share in shares {
                out.text(between);
                page::right(share, 7, out);
            }
            out.text(between);
            page::right(&calls[0], 6, out);
            out.text("+");
            page::left(&calls[1], 6, out);
        } else {
            for share in shares {
                out.text(between).right(share, 7);
            }
            out.text(between).right(&calls[0], 6).text("+");
            out.left(&calls[1], 6);
        }
    }

    /// Name and signature; with the class if the section is not by class already.
    fn name(&mut self, member: MethodIndex, between: &str) {
        let method = self.profile.methods.get(member);
        self.scratch.clear();
        if self.by == By::Class {
            labels::put(
                method.name.unwrap_or_default(),
                self.html,
                &mut self.scratch,
            );
            self.scratch.extend_from_slice(between.as_bytes());
            labels::put(method.signature, self.html, &mut self.scratch);
        } else {
            labels::full_name(method, between.as_bytes(), self.html, &mut self.scratch);
        }
        self.out.text(&self.scratch);
    }
}
