//! The HTML around the reports: byte for byte the original's, mistakes included, because scripts
//! and style sheets depend on it.

use std::ffi::OsStr;

use super::out::Out;

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

/// The page's head; without `-s` the URL is `(null)`, as in the original.
pub(super) fn header(sortable_url: Option<&OsStr>, out: &mut Out<'_>) {
    let url = sortable_url.map_or(&b"(null)"[..], OsStr::as_encoded_bytes);
    out.text(HEADER_BEFORE_URL).text(url).text(HEADER_AFTER_URL);
}

/// Links to the four sections.
pub(super) fn contents(out: &mut Out<'_>) {
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
}

/// The start of a section: in text a rule, in HTML an anchor and links.
pub(super) fn section_start(anchor: &str, out: &mut Out<'_>) {
    if !out.html {
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

/// The introduction and the column headings of a section's rows.
pub(super) fn rows_start(intro: &str, columns: &str, out: &mut Out<'_>) {
    out.text(intro).markup("<br><br>\n<pre>\n").text(columns);
}

/// `[rank]`, in HTML a link to the method's place in the inclusive section.
pub(super) fn rank_link(rank: u32, out: &mut Out<'_>) {
    if out.html {
        out.text("<a href=\"#m").number(rank).text("\">");
    }
    out.text("[").number(rank).text("]").markup("</a>");
}
