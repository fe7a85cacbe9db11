//! Scans of graphs: values move along the edges, and a query changes them at each step.
//!
//! The query reads a table of nodes with the values that arrived there. The rows that it returns become part of the
//! result, and their values move on along the edges of each node:
//!
//! ```text
//! plain          a table for each number of edges from a start; a node may be in several
//! aggregating    a table for each height above the ends of the graph, the highest first: all values of a node are
//!                in the same table
//! ```

use rusqlite::types::ValueRef;

use super::names;
use crate::operators::failure::Failure;
use crate::operators::graph::edges::Graph;
use crate::operators::meter::Meter;
use crate::operators::rows::{Rows, table, value, write};

/// The number of columns of `__intrinsic_table_ptr`.
pub(crate) const MOST_COLUMNS: usize = 32;

/// How a scan combines values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Plain,
    Aggregating,
}

/// A scan in progress.
#[derive(Debug)]
pub(crate) struct Scan {
    kind: Kind,
    graph: Graph,
    /// The columns: `id` and others.
    names: Vec<String>,
    /// The names, encoded as the beginning of a table.
    head: Vec<u8>,
    /// The height of each node, if the kind of scan needs it.
    heights: Vec<usize>,
    /// The tables of the steps still to come, by height.
    waiting: Vec<Vec<u8>>,
    result: Vec<u8>,
    /// The maximum number of steps in a graph without a cycle.
    steps: usize,
}

impl Scan {
    /// A scan of `(graph, starts, query, names)`. The starts are part of the result.
    ///
    /// # Errors
    /// If an argument is wrong, an aggregating scan finds a cycle, or a limit is reached.
    pub fn new(kind: Kind, arguments: &[ValueRef<'_>], meter: &mut Meter) -> Result<Self, Failure> {
        let mut columns = vec!["id".to_owned()];
        columns.extend(names::names(arguments.get(3))?);
        if columns.len() > MOST_COLUMNS {
            let message = format!("a scan has {MOST_COLUMNS} columns at most");
            return Err(Failure::refused(message));
        }
        let graph = Graph::new(arguments.first(), &[], meter)?;
        let head = table(&columns, &[])?;
        let mut scan = Self {
            kind,
            heights: vec![0; graph.names.len()],
            steps: graph.names.len() + 1,
            graph,
            names: columns,
            result: head.clone(),
            head,
            waiting: vec![Vec::new()],
        };
        scan.start(arguments.get(1).copied(), meter)?;
        Ok(scan)
    }

    fn start(&mut self, table: Option<ValueRef<'_>>, meter: &mut Meter) -> Result<(), Failure> {
        let mut rows = Rows::of(table.unwrap_or(ValueRef::Null))?;
        let mut row = Vec::new();
        let mut starts: Vec<Vec<ValueRef<'_>>> = Vec::new();
        while rows.next_row(&mut row)? {
            if starts.is_empty() && names::of_row(&row)? != self.names {
                let names = self.names.join(", ");
                let message = format!("the starts of a scan must have the columns {names}");
                return Err(Failure::refused(message));
            }
            meter.grow(64 * row.len())?;
            starts.push(names::values(&row).map(value).collect());
        }
        if self.kind == Kind::Aggregating {
            let ids = starts.iter().filter_map(|start| start.first());
            let ids = ids.filter_map(|id| id.as_i64().ok());
            let nodes: Vec<u32> = ids.filter_map(|id| self.graph.number(id)).collect();
            self.find_heights(&nodes, meter)?;
        }
        for start in starts {
            self.add(&start, meter)?;
        }
        Ok(())
    }

    /// The longest path from each node that can be reached to an end of the graph.
    fn find_heights(&mut self, starts: &[u32], meter: &mut Meter) -> Result<(), Failure> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let after: Vec<Vec<u32>> = (0..self.graph.names.len() as u32)
            .map(|node| self.graph.after(node).collect())
            .collect();
        let mut states = vec![State::New; after.len()];
        // The nodes on the path, each with the number of its edges that have been tried.
        let mut way: Vec<(usize, usize)> = Vec::new();
        for start in starts {
            way.extend((states[*start as usize] == State::New).then_some((*start as usize, 0)));
            while let Some((node, tried)) = way.last_mut() {
                meter.tick()?;
                states[*node] = State::Open;
                let (node, next) = (*node, after[*node].get(*tried).map(|next| *next as usize));
                *tried += 1;
                match next.map(|next| (next, states[next])) {
                    Some((next, State::New)) => way.push((next, 0)),
                    Some((_, State::Open)) => return Err(circle()),
                    Some((_, State::Done)) => {}
                    None => {
                        let heights = after[node]
                            .iter()
                            .map(|next| self.heights[*next as usize] + 1);
                        self.heights[node] = heights.max().unwrap_or(0);
                        states[node] = State::Done;
                        way.pop();
                    }
                }
            }
        }
        let highest = self.heights.iter().copied().max().unwrap_or(0);
        self.waiting.resize_with(highest + 1, Vec::new);
        Ok(())
    }

    /// The query of a step, which reads its table as the parameter `?1`.
    pub fn sql(&self, step: &str) -> String {
        let quoted = |name: &String, quote: char| {
            let doubled = format!("{quote}{quote}");
            format!("{quote}{}{quote}", name.replace(quote, &doubled))
        };
        let names = self.names.iter().enumerate();
        let columns = names
            .clone()
            .map(|(at, name)| format!("c{at} AS {}", quoted(name, '"')));
        let columns: Vec<String> = columns.collect();
        let bound = names
            .map(|(at, name)| format!("__intrinsic_table_ptr_bind(c{at}, {})", quoted(name, '\'')));
        let bound: Vec<String> = bound.collect();
        let table = format!(
            "(SELECT {} FROM __intrinsic_table_ptr(?1) WHERE {})",
            columns.join(", "),
            bound.join(" AND ")
        );
        format!("SELECT * FROM {}", step.replace("$table", &table))
    }

    /// Checks the columns of the query.
    ///
    /// # Errors
    /// If they differ from the columns of the scan.
    pub fn check(&self, found: &[&str]) -> Result<(), Failure> {
        if found == self.names {
            return Ok(());
        }
        Err(Failure::refused(format!(
            "the query of a scan must have the columns {}, but has {}",
            self.names.join(", "),
            found.join(", ")
        )))
    }

    /// The table of the next step; `None` at the end.
    ///
    /// # Errors
    /// If the values go in a cycle.
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        if self.kind == Kind::Plain {
            let table = self.waiting.first_mut().map(std::mem::take);
            let table = table.filter(|table| !table.is_empty());
            self.steps = match (self.steps.checked_sub(1), &table) {
                (Some(steps), _) => steps,
                (None, None) => 0,
                (None, Some(_)) => return Err(circle()),
            };
            return Ok(table);
        }
        while let Some(table) = self.waiting.pop() {
            if !table.is_empty() {
                return Ok(Some(table));
            }
        }
        Ok(None)
    }

    /// Adds a row to the result, and passes on its values.
    ///
    /// # Errors
    ///
    /// If `id` is not a whole number, or a limit is reached.
    pub fn add(&mut self, row: &[ValueRef<'_>], meter: &mut Meter) -> Result<(), Failure> {
        let Some((ValueRef::Integer(id), values)) = row.split_first() else {
            return Err(Failure::refused("id of a scan must be a whole number"));
        };
        append(&mut self.result, &self.head, *id, values, meter)?;
        let Some(node) = self.graph.number(*id) else {
            return Ok(());
        };
        for next in self.graph.after(node) {
            let name = self.graph.name(next).unwrap_or_default();
            let height = self.heights.get(next as usize).copied().unwrap_or(0);
            if let Some(table) = self.waiting.get_mut(height) {
                append(table, &self.head, name, values, meter)?;
            }
        }
        Ok(())
    }

    /// The result.
    pub fn finish(self) -> Vec<u8> {
        self.result
    }
}

/// Appends a row to a table.
fn append(
    table: &mut Vec<u8>,
    head: &[u8],
    id: i64,
    values: &[ValueRef<'_>],
    meter: &mut Meter,
) -> Result<(), Failure> {
    if table.is_empty() {
        table.extend(head);
    }
    let before = table.len();
    write(ValueRef::Integer(id), table)?;
    for value in values {
        write(*value, table)?;
    }
    meter.grow(table.len() - before)
}

fn circle() -> Failure {
    Failure::refused("the graph of a scan has a circle")
}
