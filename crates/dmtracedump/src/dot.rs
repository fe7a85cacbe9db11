//! `-g`: the call graph as DOT, and its picture through Graphviz.
//!
//! A caller's plain callees are drawn if the callee's whole inclusive time is at least the
//! threshold's share of the caller's. The DOT text that `-k` keeps is the original's byte for
//! byte, where labels hold whatever the trace says; `<init>` alone breaks a record label. What
//! Graphviz gets, on its standard input and without a shell, has its labels escaped.

use std::cmp::Reverse;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::process::{Command, Stdio};

use super::args::Options;
use super::methods::{MethodIndex, TOPLEVEL};
use super::profile::Profile;
use super::tell;

/// Draws the graph into `picture`. A missing or failing Graphviz is told and is no failure; a DOT
/// file that cannot be written is, with its path.
pub(super) fn draw(
    options: &Options,
    picture: &OsStr,
    profile: &mut Profile<'_>,
) -> Result<(), (OsString, io::Error)> {
    let ranks = profile.rank(&mut profile.methods.all());
    for method in profile.methods.all() {
        // The original's list has the callee found last at its front.
        let callees = profile.callees.of_mut(method, false);
        callees.sort_unstable_by_key(|callee| Reverse(callee.found));
    }
    let mut graph = Graph {
        threshold: i64::from(options.threshold),
        ranks: &ranks,
        profile,
    };
    if options.keep_dot {
        let mut path = picture.to_owned();
        path.push(".dot");
        std::fs::write(&path, graph.text(false)).map_err(|e| (path, e))?;
    }
    if let Err(error) = render(picture, &graph.text(true)) {
        tell(format!("dot: {error}\n").as_bytes());
    }
    Ok(())
}

fn render(picture: &OsStr, text: &[u8]) -> io::Result<()> {
    // In one argument, as a name may begin with a dash.
    let mut output = OsString::from("-o");
    output.push(picture);
    let mut dot = Command::new("dot")
        .arg("-Tpng")
        .arg(output)
        .stdin(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = dot.stdin.take() {
        // If dot gives up early it has said why.
        let _ = stdin.write_all(text);
    }
    dot.wait().map(|_| ())
}

struct Graph<'g, 'a> {
    threshold: i64,
    ranks: &'g [u32],
    profile: &'g mut Profile<'a>,
}

impl Graph<'_, '_> {
    fn text(&mut self, escaped: bool) -> Vec<u8> {
        let mut text = b"digraph g {\nnode [shape = record,height=.1];\n".to_vec();
        let (mut order, mut edges) = (Vec::new(), Vec::new());
        self.walk(|method| order.push(method), |a, b| edges.push((a, b)));
        for method in order {
            self.label(method, escaped, &mut text);
        }
        for (caller, callee) in edges {
            let (from, to) = (self.ranks[caller as usize], self.ranks[callee as usize]);
            text.extend_from_slice(format!("node{from} -> node{to}\n").as_bytes());
        }
        text.push(b'}');
        text
    }

    /// Depth first from the top, each method once. A stack of our own: a chain of calls in a trace
    /// may be longer than the machine's stack.
    fn walk(
        &mut self,
        mut method: impl FnMut(MethodIndex),
        mut edge: impl FnMut(MethodIndex, MethodIndex),
    ) {
        let mut seen = vec![false; self.ranks.len()];
        let mut path = vec![(TOPLEVEL, 0)];
        seen[TOPLEVEL as usize] = true;
        method(TOPLEVEL);
        while let Some((caller, next)) = path.last_mut() {
            let caller = *caller;
            let Some(callee) = self.profile.callees.of(caller, false).get(*next) else {
                path.pop();
                continue;
            };
            *next += 1;
            let callee = callee.method;
            if !self.is_drawn(caller, callee) {
                continue;
            }
            edge(caller, callee);
            if !std::mem::replace(&mut seen[callee as usize], true) {
                method(callee);
                path.push((callee, 0));
            }
        }
    }

    /// The share is cut to whole percents. Of no time at all, or of so little that it does not fit
    /// 64 bits, it is what the processor makes of that: the lowest number there is.
    fn is_drawn(&self, caller: MethodIndex, callee: MethodIndex) -> bool {
        let time = |m| self.profile.totals(m).inclusive as f64;
        let share = time(callee) / time(caller) * 100.0;
        share < i64::MAX as f64 && share as i64 >= self.threshold
    }

    fn label(&self, method: MethodIndex, escaped: bool, to: &mut Vec<u8>) {
        let rank = self.ranks[method as usize];
        let totals = self.profile.totals(method);
        let entry = self.profile.methods.get(method);
        to.extend_from_slice(format!("node{rank}[label = \"[{rank}] ").as_bytes());
        let name = entry.name.unwrap_or(b"(null)");
        for part in [entry.class, b".", name] {
            if escaped {
                escape(part, to);
            } else {
                to.extend_from_slice(part);
            }
        }
        let (inclusive, exclusive) = (totals.inclusive / 1000, totals.exclusive / 1000);
        let numbers = format!(" ({inclusive}, {exclusive}, {})\"]\n", totals.calls[0]);
        to.extend_from_slice(numbers.as_bytes());
    }
}

/// Escapes what means something in a quoted record label.
fn escape(text: &[u8], to: &mut Vec<u8>) {
    for &byte in text {
        if b"\\\"{}|<>".contains(&byte) {
            to.push(b'\\');
        }
        to.push(byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_labels_are_escaped() {
        let mut to = Vec::new();
        escape(b"A.<init>{|}\"\\", &mut to);
        assert_eq!(to, br#"A.\<init\>\{\|\}\"\\"#);
    }
}
