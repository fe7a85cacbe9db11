//! The third and fourth section: exclusive time summed by class, and by method name.

use std::io::{self, Write};
use std::ops::Range;

use super::exclusive;
use super::labels;
use super::methods::{MethodIndex, Methods};
use super::out::{Cell, Out};
use super::page;
use super::profile::Profile;

/// What a section groups by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Class,
    Name,
}

/// Methods that share a class or a name.
struct Group {
    /// Where they stand in [`Groups::members`].
    members: Range<usize>,
    exclusive: u64,
    calls: [i32; 2],
}

/// All groups, by falling exclusive time.
struct Groups {
    list: Vec<Group>,
    /// Each group's methods, by falling exclusive time.
    members: Vec<MethodIndex>,
}

/// Prints the section by class.
pub(super) fn by_class<W: Write>(
    profile: &Profile<'_>,
    ranks: &[u32],
    html: bool,
    out: &mut Out<W>,
) -> io::Result<()> {
    let order = profile.methods.order();
    let classes = order.class_ranks();
    let groups = Groups::new(profile, order.by_class(), [classes; 2], By::Class);
    page::section_start("class", html, out);
    if groups.list.is_empty() {
        out.text("\nNo classes.\n");
        out.text(if html { "<br><br>\n" } else { "" });
        return out.row();
    }
    out.text("\nExclusive elapsed time for each class, summed over all the methods\n");
    out.text("in the class.\n\n");
    section(profile, ranks, By::Class, &groups, html, out)
}

/// Prints the section by method name.
pub(super) fn by_name<W: Write>(
    profile: &Profile<'_>,
    ranks: &[u32],
    html: bool,
    out: &mut Out<W>,
) -> io::Result<()> {
    let methods = &profile.methods;
    let sorted = methods.order().by_bare_name(methods.list());
    let names = [methods.order().name_ranks(), &sorted.classes];
    let groups = Groups::new(profile, &sorted.order, names, By::Name);
    if groups.list.is_empty() {
        return Ok(());
    }
    page::section_start("method", html, out);
    out.text("\nExclusive elapsed time for each method, summed over all the classes\n");
    out.text("that contain a method with the same name.\n\n");
    section(profile, ranks, By::Name, &groups, html, out)
}

impl Groups {
    /// Runs of equal names in `order`, methods without a name left out. The methods stand
    /// in no perfect order of names, so a name may come up twice, as it does in the original. Only
    /// empty names (texts that begin with a NUL) make no group. `ranks` has for each method the rank
    /// of what groups it, then the rank that breaks ties between groups by their first method.
    fn new(
        profile: &Profile<'_>,
        order: &[MethodIndex],
        [ranks, ties]: [&[u32]; 2],
        by: By,
    ) -> Self {
        let methods = &profile.methods;
        let named = order.iter().copied();
        let mut members: Vec<MethodIndex> =
            named.filter(|&m| methods.get(m).name.is_some()).collect();
        let mut list = Vec::new();
        let mut start = 0;
        for run in members.chunk_by_mut(|&a, &b| ranks[a as usize] == ranks[b as usize]) {
            list.push(Group::new(profile, start, run));
            start += run.len();
        }
        if list.len() == 1 && by.key(methods, members[0]).is_empty() {
            list.clear();
        }
        list.sort_by_cached_key(|group: &Group| {
            let first = members[group.members.start];
            (!group.exclusive, ties[first as usize])
        });
        Groups { list, members }
    }
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
    /// The group of `members`, which stand from `start` on; puts them in order.
    fn new(profile: &Profile<'_>, start: usize, members: &mut [MethodIndex]) -> Self {
        let mut group = Group {
            members: start..start + members.len(),
            exclusive: 0,
            calls: [0; 2],
        };
        for &member in &*members {
            let totals = profile.totals(member);
            group.exclusive = group.exclusive.wrapping_add(totals.exclusive);
            for (sum, calls) in group.calls.iter_mut().zip(totals.calls) {
                *sum = sum.wrapping_add(calls);
            }
        }
        if members.len() > 1 {
            profile.sort_exclusive(members);
        }
        group
    }
}

fn section<W: Write>(
    profile: &Profile<'_>,
    ranks: &[u32],
    by: By,
    groups: &Groups,
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
    };
    let total = profile.total as f64;
    let mut sum = 0.0;
    for (place, group) in groups.list.iter().enumerate() {
        if group.exclusive == 0 {
            break;
        }
        sum += group.exclusive as f64;
        let members = &groups.members[group.members.clone()];
        section.head(place, group, members[0], 100.0 * sum / total);
        section.members(group.exclusive, members)?;
    }
    section.out.row()
}

struct Section<'s, 'a, W> {
    profile: &'s Profile<'a>,
    ranks: &'s [u32],
    by: By,
    html: bool,
    out: &'s mut Out<W>,
}

impl<W: Write> Section<'_, '_, W> {
    /// The group's own row; `cumulative` is a percentage.
    fn head(&mut self, place: usize, group: &Group, first: MethodIndex, cumulative: f64) {
        let share = 100.0 * group.exclusive as f64 / self.profile.total as f64;
        let shares = [share, cumulative];
        if self.html {
            self.fold_start(place as u64);
            page::right(&Cell::unsigned(group.exclusive), 9, self.out);
            self.numbers(shares, group.calls, " ");
        } else {
            self.out
                .text("---------------------------------------------\n");
            self.out.right_number::<9>(group.exclusive);
            self.numbers(shares, group.calls, " ");
        }
        let name = self.by.key(&self.profile.methods, first);
        labels::put(name, self.html, self.out.text(" ").buffer());
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

    /// The rows of a group's methods, which took `whole` µs together.
    fn members(&mut self, whole: u64, members: &[MethodIndex]) -> io::Result<()> {
        let whole = whole as f64;
        let mut sum = 0.0;
        for &member in members {
            let totals = *self.profile.totals(member);
            sum += totals.exclusive as f64;
            let times = [totals.exclusive, totals.inclusive];
            let shares = [100.0 * totals.exclusive as f64 / whole, 100.0 * sum / whole];
            let between = if self.html { "&nbsp;" } else { " " };
            if self.html {
                self.out
                    .text("<div class=\"leaf\"><span class=\"leaf\">&nbsp;</span>");
                page::right(&Cell::unsigned(times[0]), 9, self.out);
                self.out.text(between);
                page::right(&Cell::unsigned(times[1]), 9, self.out);
            } else {
                self.out
                    .right_number::<9>(times[0])
                    .text(" ")
                    .right_number::<9>(times[1]);
            }
            self.numbers(shares, totals.calls, between);
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
    fn numbers(&mut self, shares: [f64; 2], calls: [i32; 2], between: &str) {
        let out = &mut *self.out;
        if self.html {
            for share in shares {
                out.text(between);
                page::right(&Cell::tenths(share), 7, out);
            }
            let calls = calls.map(Cell::signed);
            out.text(between);
            page::right(&calls[0], 6, out);
            out.text("+");
            page::left(&calls[1], 6, out);
        } else {
            for share in shares {
                out.text(between).right_tenths::<7>(share);
            }
            out.text(between).right_signed::<6>(calls[0]).text("+");
            out.left_signed::<6>(calls[1]);
        }
    }

    /// Name and signature; with the class if the section is not by class already.
    fn name(&mut self, member: MethodIndex, between: &str) {
        let method = self.profile.methods.get(member);
        let to = self.out.buffer();
        if self.by == By::Class {
            labels::put(method.name.unwrap_or_default(), self.html, to);
            to.text(between.as_bytes());
            labels::put(method.signature, self.html, to);
        } else {
            labels::full_name(method, between.as_bytes(), self.html, to);
        }
    }
}
