//! The third and fourth section: exclusive time summed by class, and by method name.

use std::cmp::Reverse;
use std::io;

use super::methods::{MethodIndex, Methods};
use super::out::Out;
use super::page;
use super::profile::Profile;

/// The key of a section's groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Class,
    Name,
}

impl By {
    fn key<'a>(self, methods: &Methods<'a>, method: MethodIndex) -> &'a [u8] {
        let method = methods.get(method);
        match self {
            By::Class => method.class,
            By::Name => method.name.unwrap_or_default(),
        }
    }

    /// The heading of the last column, and the letter of the page's element ids.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            By::Class => ("Class", "d"),
            By::Name => ("Method", "e"),
        }
    }
}

/// Methods that share a class or a name.
struct Group<'m> {
    /// By falling exclusive time.
    members: &'m [MethodIndex],
    exclusive: u64,
    calls: [i32; 2],
}

/// Prints the section by class.
pub(super) fn by_class(profile: &Profile<'_>, out: &mut Out<'_>) -> io::Result<()> {
    let mut members = profile.order.by_class.clone();
    let groups = groups(profile, &mut members, By::Class);
    page::section_start("class", out);
    if groups.is_empty() {
        return out.text("\nNo classes.\n").markup("<br><br>\n").end_row();
    }
    out.text("\nExclusive elapsed time for each class, summed over all the methods\n");
    out.text("in the class.\n\n");
    section(profile, By::Class, &groups, out)
}

/// Prints the section by method name.
pub(super) fn by_name(profile: &Profile<'_>, out: &mut Out<'_>) -> io::Result<()> {
    let mut members = profile.order.by_bare_name(&profile.methods.list);
    let groups = groups(profile, &mut members, By::Name);
    if groups.is_empty() {
        return Ok(());
    }
    page::section_start("method", out);
    out.text("\nExclusive elapsed time for each method, summed over all the classes\n");
    out.text("that contain a method with the same name.\n\n");
    section(profile, By::Name, &groups, out)
}

/// Groups consecutive methods with the same key, sorted by decreasing exclusive time. Methods without a name are left
/// out. The order of names is not total, so a name may appear twice, as in the original. If the only group has an empty
/// key (a text that begins with a NUL), it is left out.
fn groups<'m>(profile: &Profile<'_>, members: &'m mut Vec<MethodIndex>, by: By) -> Vec<Group<'m>> {
    let methods = &profile.methods;
    members.retain(|&method| methods.get(method).name.is_some());
    let key = |method| by.key(methods, method);
    let runs = members.chunk_by_mut(|&a, &b| key(a) == key(b));
    let mut groups: Vec<Group<'m>> = runs.map(|run| group(profile, run)).collect();
    if groups.len() == 1 && key(groups[0].members[0]).is_empty() {
        groups.clear();
    }
    groups.sort_by_key(|group| {
        let first = methods.get(group.members[0]);
        (Reverse(group.exclusive), first.class, first.id)
    });
    groups
}

fn group<'m>(profile: &Profile<'_>, members: &'m mut [MethodIndex]) -> Group<'m> {
    let (mut exclusive, mut calls) = (0u64, [0i32; 2]);
    for &member in &*members {
        let totals = profile.totals(member);
        exclusive = exclusive.wrapping_add(totals.exclusive);
        calls = [0, 1].map(|kind| calls[kind].wrapping_add(totals.calls[kind]));
    }
    profile.sort(members, |&m| (profile.totals(m).exclusive, m));
    Group {
        members,
        exclusive,
        calls,
    }
}

fn section(
    profile: &Profile<'_>,
    by: By,
    groups: &[Group<'_>],
    out: &mut Out<'_>,
) -> io::Result<()> {
    if out.html {
        out.blank = "&nbsp;";
        out.text("<br><br>\n<div class=\"header\"><span class=\"parent\">&nbsp;</span>");
        out.text("&nbsp;&nbsp;&nbsp;Cycles %/total Cumul.% &nbsp;Calls+Recur&nbsp; ");
        out.text(by.words().0).text("</div>\n");
    } else {
        out.text("   Cycles %/total Cumul.%  Calls+Recur  ");
        out.text(by.words().0).text("\n");
    }
    let total = profile.total as f64;
    let mut sum = 0.0;
    for (place, group) in (0u32..).zip(groups) {
        if group.exclusive == 0 {
            break;
        }
        sum += group.exclusive as f64;
        let id = format!("{}{place}", by.words().1);
        if out.html {
            out.text(format!(
                "<div class=\"link\" onClick=\"javascript:toggle('{id}')\" \
                 onMouseOver=\"javascript:onMouseOver(this)\" \
                 onMouseOut=\"javascript:onMouseOut(this)\">\
                 <span class=\"parent\" id=\"x{id}\">+</span>"
            ));
        } else {
            out.text("---------------------------------------------\n");
        }
        out.right(9, group.exclusive);
        let shares = [group.exclusive as f64, sum].map(|time| 100.0 * time / total);
        numbers(shares, group.calls, " ", out);
        out.text(" ")
            .name(by.key(&profile.methods, group.members[0]));
        let parent = format!("</div>\n<div class=\"parent\" id=\"{id}\">");
        out.markup(&parent).text("\n");
        members(profile, by, group, out)?;
    }
    out.blank = " ";
    out.end_row()
}

/// The rows of a group's methods.
fn members(profile: &Profile<'_>, by: By, group: &Group<'_>, out: &mut Out<'_>) -> io::Result<()> {
    let between = out.blank;
    let whole = group.exclusive as f64;
    let mut sum = 0.0;
    for &member in group.members {
        let totals = profile.totals(member);
        sum += totals.exclusive as f64;
        let shares = [totals.exclusive as f64, sum].map(|time| 100.0 * time / whole);
        out.markup("<div class=\"leaf\"><span class=\"leaf\">&nbsp;</span>");
        out.right(9, totals.exclusive).text(between);
        out.right(9, totals.inclusive);
        numbers(shares, totals.calls, between, out);
        out.text(between);
        page::rank_link(profile.rank_of(member), out);
        out.text(between);
        let method = profile.methods.get(member);
        match by {
            By::Class => {
                let name = method.name.unwrap_or_default();
                out.name(name).text(between).name(method.signature)
            }
            By::Name => out.method(method, between),
        };
        out.markup("</div>").text("\n").end_row()?;
    }
    out.markup("</div>\n");
    Ok(())
}

/// Two percentages and the calls, each with `between` before it.
fn numbers(shares: [f64; 2], calls: [i32; 2], between: &str, out: &mut Out<'_>) {
    for share in shares {
        out.text(between).fraction(7, 1, share);
    }
    out.text(between).right(6, calls[0]);
    out.text("+").left(6, calls[1]);
}
