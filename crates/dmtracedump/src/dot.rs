//! `-g`: the call graph as DOT, and its picture through Graphviz.
//!
//! A call that is not recursive is drawn if the callee's whole inclusive time is at least the
//! threshold's share of the caller's. The DOT text that `-k` keeps equals the original's byte for
//! byte: labels are not escaped, although even `<init>` breaks a record label. Graphviz reads a
//! text with escaped labels from its standard input, without a shell.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use traceloom_host::resolve;

use super::args::Options;
use super::methods::{MethodIndex, TOPLEVEL};
use super::profile::Profile;

/// Draws the graph into `picture`. A missing or failing Graphviz is not a failure: the result is a line for standard
/// error. A DOT file that cannot be written is a failure.
pub(super) fn draw(
    options: &Options,
    picture: &OsStr,
    profile: &Profile<'_>,
) -> Result<Vec<u8>, (OsString, io::Error)> {
    let graph = Graph {
        threshold: i64::from(options.threshold),
        profile,
    };
    if options.keep_dot {
        let mut path = picture.to_owned();
        path.push(".dot");
        let written = resolve(Path::new(&path))
            .map_err(io::Error::other)
            .and_then(|place| std::fs::write(place, graph.text(false)));
        written.map_err(|error| (path, error))?;
    }
    let drawn = render(picture, &graph.text(true));
    Ok(drawn.map_or_else(|e| format!("dot: {e}\n").into_bytes(), |()| Vec::new()))
}

fn render(picture: &OsStr, text: &[u8]) -> io::Result<()> {
    // One argument, because a name may begin with a dash.
    let mut output = OsString::from("-o");
    output.push(picture);
    let mut dot = Command::new("dot")
        .arg("-Tpng")
        .arg(output)
        .stdin(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = dot.stdin.take() {
        // If dot exits early, it has printed the reason.
        let _ = stdin.write_all(text);
    }
    dot.wait().map(|_| ())
}

struct Graph<'g, 'a> {
    threshold: i64,
    profile: &'g Profile<'a>,
}

impl Graph<'_, '_> {
    fn text(&self, escaped: bool) -> Vec<u8> {
        let mut text = b"digraph g {\nnode [shape = record,height=.1];\n".to_vec();
        let (order, edges) = self.walk();
        for method in order {
            self.label(method, escaped, &mut text);
        }
        for (caller, callee) in edges {
            let (from, to) = (self.profile.rank_of(caller), self.profile.rank_of(callee));
            text.extend(format!("node{from} -> node{to}\n").bytes());
        }
        text.push(b'}');
        text
    }

    /// The methods, depth first from the top, and the edges that are drawn. Not recursive: a chain of calls in a trace
    /// may be longer than the machine's stack.
    fn walk(&self) -> (Vec<MethodIndex>, Vec<(MethodIndex, MethodIndex)>) {
        let (mut order, mut edges) = (vec![TOPLEVEL], Vec::new());
        let mut seen = vec![false; self.profile.ranks.len()];
        seen[TOPLEVEL as usize] = true;
        let callees = |method| self.profile.callees.of(method, false).into_iter();
        let mut path = vec![(TOPLEVEL, callees(TOPLEVEL))];
        while let Some((caller, left)) = path.last_mut() {
            let caller = *caller;
            let Some(callee) = left.next().map(|relative| relative.method) else {
                path.pop();
                continue;
            };
            if !self.is_drawn(caller, callee) {
                continue;
            }
            edges.push((caller, callee));
            if !std::mem::replace(&mut seen[callee as usize], true) {
                order.push(callee);
                path.push((callee, callees(callee)));
            }
        }
        (order, edges)
    }

    /// The share is truncated to whole percent. If it is not a number or does not fit into 64 bits, it counts as the
    /// lowest number, as on the original's processor.
    fn is_drawn(&self, caller: MethodIndex, callee: MethodIndex) -> bool {
        let time = |m| self.profile.totals(m).inclusive as f64;
        let share = time(callee) / time(caller) * 100.0;
        share < i64::MAX as f64 && share as i64 >= self.threshold
    }

    fn label(&self, method: MethodIndex, escaped: bool, to: &mut Vec<u8>) {
        let rank = self.profile.rank_of(method);
        let totals = self.profile.totals(method);
        let entry = self.profile.methods.get(method);
        let name = [entry.class, b".", entry.name.unwrap_or(b"(null)")].concat();
        let (inclusive, exclusive) = (totals.inclusive / 1000, totals.exclusive / 1000);
        to.extend(format!("node{rank}[label = \"[{rank}] ").bytes());
        to.extend(if escaped { escape(&name) } else { name });
        to.extend(format!(" ({inclusive}, {exclusive}, {})\"]\n", totals.calls[0]).bytes());
    }
}

/// Escapes the characters that have a meaning in a quoted record label.
fn escape(text: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::new();
    for &byte in text {
        if b"\\\"{}|<>".contains(&byte) {
            escaped.push(b'\\');
        }
        escaped.push(byte);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_labels_are_escaped() {
        assert_eq!(escape(b"A.<init>{|}\"\\"), br#"A.\<init\>\{\|\}\"\\"#);
    }
}
