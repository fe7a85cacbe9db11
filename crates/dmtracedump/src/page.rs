//! The HTML around the reports, which existing scripts and style sheets know: byte for byte the
//! original's, slips included.

use std::ffi::OsStr;
use std::io::{self, Write};

use super::out::{Cell, Out};

/// Everything up to the URL in front of `sortable.js`.
const HEADER_BEFORE_URL: &str = r#"<html>
<head>
<script type="text/javascript" src=""#;

const HEADER_AFTER_URL: &str = r##"sortable.js"></script>
<script langugage="javascript">
function toggle(item) {
    obj=document.getElementById(item);
    visible=(obj.style.display!="none" && obj.style.display!="");
    key=document.getElementById("x" + item);
    if (visible) {
        obj.style.display="none";
        key.innerHTML="+";
    } else {
        obj.style.display="block";
        key.innerHTML="-";
    }
}
function onMouseOver(obj) {
    obj.style.background="lightblue";
}
function onMouseOut(obj) {
    obj.style.background="white";
}
</script>
<style type="text/css">
div { font-family: courier; font-size: 13 }
div.parent { margin-left: 15; display: none }
div.leaf { margin-left: 10 }
div.header { margin-left: 10 }
div.link { margin-left: 10; cursor: move }
span.parent { padding-right: 10; }
span.leaf { padding-right: 10; }
a img { border: 0;}
table.sortable th { border-width: 0px 1px 1px 1px; background-color: #ccc;}
a { text-decoration: none; }
a:hover { text-decoration: underline; }
table.sortable th, table.sortable td { text-align: left;}table.sortable tr.odd td { background-color: #ddd; }
table.sortable tr.even td { background-color: #fff; }
</style>
</head><body>

"##;

/// The page's head; without `-s` the URL reads `(null)`, as it does in the original.
pub(super) fn header<W: Write>(sortable_url: Option<&OsStr>, out: &mut Out<W>) -> io::Result<()> {
    let url = sortable_url.map_or(&b"(null)"[..], OsStr::as_encoded_bytes);
    out.text(HEADER_BEFORE_URL).text(url).text(HEADER_AFTER_URL);
    out.row()
}

/// Links to the four sections.
pub(super) fn contents<W: Write>(out: &mut Out<W>) -> io::Result<()> {
    out.text(
        r##"<a name="contents"></a>
<h2>Table of Contents</h2>
<ul>
  <li><a href="#exclusive">Exclusive profile</a></li>
  <li><a href="#inclusive">Inclusive profile</a></li>
  <li><a href="#class">Class/method profile</a></li>
  <li><a href="#method">Method/class profile</a></li>
</ul>

"##,
    );
    out.row()
}

pub(super) fn footer<W: Write>(out: &mut Out<W>) -> io::Result<()> {
    out.text("\n</body>\n</html>\n");
    out.row()
}

/// What stands before each section: in text a rule, in HTML an anchor and links.
pub(super) fn section_start<W: Write>(anchor: &str, html: bool, out: &mut Out<W>) {
    if !html {
        out.text("\n======================================================================\n");
        return;
    }
    out.text("<a name=\"").text(anchor).text("\"></a>\n<hr>\n");
    out.text(
        r##"<a href="#contents">[Top]</a>
<a href="#exclusive">[Exclusive]</a>
<a href="#inclusive">[Inclusive]</a>
<a href="#class">[Class]</a>
<a href="#method">[Method]</a>
<br><br>
"##,
    );
}

/// What stands above a section's rows: what they are, and their columns.
pub(super) fn rows_start<W: Write>(intro: &str, columns: &str, html: bool, out: &mut Out<W>) {
    out.text(intro);
    if html {
        out.text("<br><br>\n<pre>\n");
    }
    out.text(columns);
}

/// What stands below them.
pub(super) fn rows_end<W: Write>(html: bool, out: &mut Out<W>) -> io::Result<()> {
    if html {
        out.text("</pre>\n");
    }
    out.row()
}

/// A cell padded to `width` with spaces that do not collapse.
pub(super) fn right<W: Write>(cell: &Cell, width: usize, out: &mut Out<W>) {
    for _ in cell.bytes().len()..width {
        out.text("&nbsp;");
    }
    out.text(cell.bytes());
}

/// As [`right`], with the padding behind.
pub(super) fn left<W: Write>(cell: &Cell, width: usize, out: &mut Out<W>) {
    out.text(cell.bytes());
    for _ in cell.bytes().len()..width {
        out.text("&nbsp;");
    }
}
