//! The first section: methods by exclusive time.

use std::io::{self, Write};

use super::labels::Labels;
use super::methods::MethodIndex;
use super::out::Out;
use super::page;
use super::profile::Profile;

/// Prints the section and leaves `order` sorted by exclusive time.
pub(super) fn section<W: Write>(
    profile: &Profile<'_>,
    labels: &Labels,
    ranks: &[u32],
    order: &mut [MethodIndex],
    html: bool,
    out: &mut Out<W>,
) -> io::Result<()> {
    profile.sort_exclusive(order);
    head(profile.total, html, out);
    let total = profile.total as f64;
    let mut sum = 0.0;
    for &method in order.iter() {
        let exclusive = profile.totals(method).exclusive;
        if exclusive == 0 {
            break;
        }
        sum += exclusive as f64;
        out.right_number::<9>(exclusive).text("  ");
        out.right_hundredths::<6>(100.0 * exclusive as f64 / total);
        out.text(" ");
        out.right_hundredths::<6>(100.0 * sum / total);
        out.text("  ");
        link(ranks[method as usize], html, out);
        labels.put(method, out.text(" ").buffer());
        out.row()?;
    }
    page::rows_end(html, out)
}

fn head<W: Write>(total: u64, html: bool, out: &mut Out<W>) {
    page::section_start("exclusive", html, out);
    out.text("Total cycles: ").number(total).text("\n\n");
    if html {
        out.text("<br><br>\n");
    }
    page::rows_start(
        "Exclusive elapsed times for each method, not including time spent in\n\
         children, sorted by exclusive time.\n\n",
        "    Usecs  self %  sum %  Method\n",
        html,
        out,
    );
}

/// `[rank]`, in HTML with a link to the method's place in the inclusive section.
pub(super) fn link<W: Write>(rank: u32, html: bool, out: &mut Out<W>) {
    let rank = u64::from(rank);
    if html {
        out.text("<a href=\"#m").number(rank).text("\">");
    }
    out.text("[").number(rank).text("]");
    if html {
        out.text("</a>");
    }
}
