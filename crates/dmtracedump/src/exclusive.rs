//! The first section: methods by exclusive time.

use std::io;

use super::methods::MethodIndex;
use super::out::Out;
use super::page;
use super::profile::Profile;

/// Prints the section and leaves `order` sorted by exclusive time.
pub(super) fn section(
    profile: &Profile<'_>,
    order: &mut [MethodIndex],
    out: &mut Out<'_>,
) -> io::Result<()> {
    profile.sort(order, |&m| (profile.totals(m).exclusive, m));
    page::section_start("exclusive", out);
    out.text("Total cycles: ")
        .number(profile.total)
        .text("\n\n");
    out.markup("<br><br>\n");
    page::rows_start(
        "Exclusive elapsed times for each method, not including time spent in\n\
         children, sorted by exclusive time.\n\n",
        "    Usecs  self %  sum %  Method\n",
        out,
    );
    let total = profile.total as f64;
    let mut sum = 0.0;
    for &method in &*order {
        let exclusive = profile.totals(method).exclusive;
        if exclusive == 0 {
            break;
        }
        sum += exclusive as f64;
        out.right(9, exclusive).text("  ");
        out.fraction(6, 2, 100.0 * exclusive as f64 / total)
            .text(" ");
        out.fraction(6, 2, 100.0 * sum / total).text("  ");
        page::rank_link(profile.rank_of(method), out);
        out.text(" ").method(profile.methods.get(method), " ");
        out.text("\n").end_row()?;
    }
    out.markup("</pre>\n").end_row()
}
