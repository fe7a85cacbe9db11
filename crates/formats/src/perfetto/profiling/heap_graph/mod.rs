//! `HeapGraph`: the objects of a Java heap and their references.
//!
//! A graph takes many packets. The types, field names and locations come after the objects.
//!
//! ```text
//! read     packets to a [`Graph`], object by object
//! finish   names of fields, sizes, reachability, superclasses, native memory
//! emit     the rows of the tables
//! ```

mod emit;
mod finish;
mod graph;
mod read;
mod types;

use std::collections::BTreeMap;

use traceloom_trace::TraceBuilder;

use super::super::sequence::State;
use super::super::wire::Fields;
use crate::profile::NONE;
pub(super) use emit::emit;
use graph::Reference;
pub(super) use graph::{Graph, Head};
pub(super) use types::Renamed;

/// The heap graphs of a trace.
#[derive(Debug, Default)]
pub(super) struct HeapGraphs {
    open: BTreeMap<(u32, u32), read::Open>,
    begun: usize,
    pub graphs: Vec<Graph>,
    pub heads: Vec<Head>,
    /// The number of packets, or parts of packets, that cannot be read.
    pub broken: u64,
    /// The number of missing packets.
    pub missing: u64,
}

impl HeapGraphs {
    /// Reads a packet.
    pub fn packet(
        &mut self,
        ts: i64,
        fields: Fields<'_>,
        state: State,
        room: usize,
        out: &mut TraceBuilder,
    ) {
        let key = (state.machine, state.sequence);
        let mut open = self.open.remove(&key).unwrap_or_else(|| {
            self.begun += 1;
            read::Open::new(self.begun)
        });
        let is_last = open.packet(ts, fields, room, out);
        if is_last {
            self.close(open, out);
        } else {
            self.open.insert(key, open);
        }
    }

    /// Ends all graphs. Open graphs are incomplete.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        for open in std::mem::take(&mut self.open).into_values() {
            self.broken += 1;
            self.close(open, out);
        }
        self.graphs.sort_by_key(|graph| graph.place);
    }

    fn close(&mut self, mut open: read::Open, out: &mut TraceBuilder) {
        open.finish(out);
        self.broken += open.broken;
        self.missing += open.missing;
        let head = Head {
            ts: open.ts,
            upid: open.upid,
            is_oome: false,
            heap_size: open.heap_size,
            is_truncated: open.missing > 0,
        };
        open.graph.head = self.head(head);
        self.graphs.push(open.graph);
    }

    /// The row for the graph of a process at a time. Adds it if it is new, otherwise merges `head` into it.
    pub fn head(&mut self, head: Head) -> u32 {
        let is_same = |known: &Head| (known.ts, known.upid) == (head.ts, head.upid);
        if let Some(place) = self.heads.iter().position(is_same)
            && let Some(known) = self.heads.get_mut(place)
        {
            known.heap_size = head.heap_size.or(known.heap_size);
            known.is_truncated |= head.is_truncated;
            known.is_oome |= head.is_oome;
            return place as u32;
        }
        crate::profile::push(&mut self.heads, head)
    }

    /// The memory of all rows here and in the tables, bytes.
    pub fn bytes(&self) -> usize {
        let open = self.open.values().map(read::Open::bytes);
        self.graphs.iter().map(Graph::bytes).chain(open).sum()
    }
}

impl Graph {
    fn bytes(&self) -> usize {
        self.objects.len() * 150
            + self.references.len() * 25
            + self.classes.len() * 200
            + self.fields.len() * 200
            + self.primitives.len() * 120
    }

    /// The row of the graph.
    pub fn head<'h>(&self, heads: &'h [Head]) -> Option<&'h Head> {
        heads.get(self.head as usize)
    }

    /// The references of an object.
    fn references_of(&self, object: u32) -> &[Reference] {
        let first = self
            .objects
            .get(object as usize)
            .map_or(NONE, |object| object.references);
        let rest = self.references.get(first as usize..).unwrap_or_default();
        let end = rest.iter().position(|reference| reference.owner != object);
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }
}
