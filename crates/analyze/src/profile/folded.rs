//! Collapsed stacks: one line `thread;outer;inner N` for each path with exclusive time.

use crate::tree::{CallTree, Measure, NodeId};

impl CallTree {
    /// Calls `line` with each path that has exclusive time, and that time in ns. Names are joined
    /// by `;`; a `;` or a control character in a name becomes `:` or a space.
    ///
    /// # Errors
    /// The first error of `line`, which stops the walk.
    pub fn folded<E>(
        &self,
        measure: Measure,
        mut line: impl FnMut(&str, i64) -> Result<(), E>,
    ) -> Result<(), E> {
        let names: Vec<String> = self.functions.iter().map(|f| clean(&f.label())).collect();
        for thread in &self.threads {
            let mut path = clean(&thread.name);
            let mut open: Vec<(NodeId, usize)> = Vec::new();
            for row in self.rows_of(thread) {
                while let Some((end, length)) = open.last().copied() {
                    if end.row() > row {
                        break;
                    }
                    path.truncate(length);
                    open.pop();
                }
                let node = NodeId(row as u32);
                let function = self.nodes.function(node).0 as usize;
                if let Some(name) = names.get(function) {
                    open.push((self.nodes.end(node), path.len()));
                    path.push(';');
                    path.push_str(name);
                }
                let own = self.nodes.exclusive(node, measure);
                if own > 0 {
                    line(&path, own)?;
                }
            }
        }
        Ok(())
    }
}

fn clean(name: &str) -> String {
    let clean = |letter: char| match letter {
        ';' => ':',
        letter if letter.is_control() => ' ',
        letter => letter,
    };
    name.chars().map(clean).collect()
}
