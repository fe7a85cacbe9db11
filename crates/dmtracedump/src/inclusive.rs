//! The second section: methods by inclusive time, each with its callers and callees.

use std::io;

use super::methods::{MethodIndex, Methods};
use super::out::Out;
use super::page;
use super::profile::Profile;
use super::relatives::{Relative, Side};

/// Separates plain and recursive relatives.
const RECURSIVE_RULE: &str = "               +++++++++++++++++++++++++\n";

/// Prints the section and leaves `order` sorted by inclusive time.
pub(super) fn section(
    profile: &Profile<'_>,
    order: &mut [MethodIndex],
    out: &mut Out<'_>,
) -> io::Result<()> {
    profile.sort(order, |&m| (profile.totals(m).inclusive, m));
    page::section_start("inclusive", out);
    page::rows_start(
        "\nInclusive elapsed times for each method and its parents and children,\n\
         sorted by inclusive time.\n\n",
        "index  %/total %/self  index     calls         usecs name\n",
        out,
    );
    let mut names = Names {
        list: vec![None; profile.methods.list.len()],
    };
    for (place, &method) in (0u32..).zip(&*order) {
        if profile.totals(method).inclusive == 0 {
            break;
        }
        if out.html {
            // For methods that are equal in everything, the place and the rank may differ.
            let rank = profile.rank_of(method);
            out.text("<a name=\"m").number(rank).text("\"></a>");
        }
        out.text("----------------------------------------------------\n");
        relatives(profile, &mut names, method, Side::Callers, out)?;
        method_rows(profile, place, method, out);
        relatives(profile, &mut names, method, Side::Callees, out)?;
    }
    out.markup("</pre>\n").end_row()
}

/// Methods' names as they were printed the first time. A wide call graph prints a name thousands of times.
struct Names {
    /// By method.
    list: Vec<Option<Vec<u8>>>,
}

impl Names {
    fn print(&mut self, methods: &Methods<'_>, method: MethodIndex, out: &mut Out<'_>) {
        let known = &mut self.list[method as usize];
        if let Some(name) = known {
            out.text(name);
            return;
        }
        let start = out.len();
        out.method(methods.get(method), " ");
        *known = Some(out.since(start).to_vec());
    }
}

/// The two rows about the method itself.
fn method_rows(profile: &Profile<'_>, place: u32, method: MethodIndex, out: &mut Out<'_>) {
    let totals = profile.totals(method);
    let inclusive = totals.inclusive as f64;
    let exclusive = totals.plain_exclusive();
    out.text("[").number(place).text("]");
    out.pad(7, rank_width(place));
    out.fraction(5, 1, 100.0 * inclusive / profile.total as f64);
    out.text("%                ");
    out.right(6, totals.calls[0]).text("+");
    out.left(6, totals.calls[1]).text(" ");
    out.right(9, totals.inclusive).text(" ");
    out.method(profile.methods.get(method), " ").text("\n");
    out.text("               ");
    out.fraction(5, 1, 100.0 * exclusive as f64 / inclusive);
    out.text("%   excl               ");
    out.right(9, exclusive).text("\n");
}

/// The width of `[rank]`, at most that of its column.
fn rank_width(rank: u32) -> usize {
    let digits = rank.checked_ilog10().map_or(1, |log| log as usize + 1);
    (digits + 2).min(6)
}

fn relatives(
    profile: &Profile<'_>,
    names: &mut Names,
    method: MethodIndex,
    side: Side,
    out: &mut Out<'_>,
) -> io::Result<()> {
    let totals = profile.totals(method);
    // The calls that a row's calls are a part of. `None` means the relative's own calls.
    let (relatives, all_calls) = match (side, totals.all_calls()) {
        (Side::Callees, _) => (&profile.callees, None),
        (Side::Callers, 0) => (&profile.callers, None),
        (Side::Callers, calls) => (&profile.callers, Some(calls)),
    };
    for is_recursive in [false, true] {
        let mut group = relatives.of(method, is_recursive);
        if is_recursive && !group.is_empty() {
            out.text(RECURSIVE_RULE);
        }
        profile.sort(&mut group, |relative| (relative.inclusive, relative.method));
        for relative in &group {
            if is_recursive {
                out.text("                      ");
            } else {
                let share = 100.0 * relative.inclusive as f64 / totals.inclusive as f64;
                out.text("               ").fraction(5, 1, share).text("% ");
            }
            row(profile, names, relative, all_calls, out)?;
        }
    }
    Ok(())
}

/// The part of a relative's row after its percentage.
fn row(
    profile: &Profile<'_>,
    names: &mut Names,
    relative: &Relative,
    all_calls: Option<i32>,
    out: &mut Out<'_>,
) -> io::Result<()> {
    let rank = profile.rank_of(relative.method);
    let own_calls = || profile.totals(relative.method).all_calls();
    out.pad(6, rank_width(rank));
    page::rank_link(rank, out);
    out.text(" ").right(6, relative.calls as i32).text("/");
    out.left(6, all_calls.unwrap_or_else(own_calls)).text(" ");
    out.right(9, relative.inclusive).text(" ");
    names.print(&profile.methods, relative.method, out);
    out.text("\n").end_row()
}
