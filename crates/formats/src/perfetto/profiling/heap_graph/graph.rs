//! A heap graph: its objects, references and classes.

use rustc_hash::FxHashMap;
use traceloom_trace::{ProcessId, StringId};

use super::types::Field;

/// An object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Object {
    pub size: u64,
    pub class: u32,
    /// The index of its first reference; [`NONE`](crate::profile::NONE) if it has none.
    pub references: u32,
    /// The row of its data.
    pub data: u32,
    /// The kind of root; [`NO_ROOT`] if it is not a root.
    pub root: u8,
    pub heap: u8,
    pub is_reachable: bool,
}

pub(super) const NO_ROOT: u8 = u8::MAX;

/// A reference. `owned` is [`NONE`] for null.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    pub owner: u32,
    pub owned: u32,
    /// The row of the field; [`NONE`] until it is known.
    pub field: u32,
}

/// A class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    pub name: StringId,
    pub location: StringId,
    pub superclass: u32,
    pub classloader: u32,
    pub kind: Option<u8>,
}

/// A number in an object. `is_long` means that the field has 64 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Primitive {
    pub set: u32,
    pub name: &'static str,
    pub is_long: bool,
    pub value: i64,
}

/// The objects of a process at a time.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(super) objects: Vec<Object>,
    pub(super) references: Vec<Reference>,
    pub(super) classes: Vec<Class>,
    pub(super) fields: Vec<Field>,
    /// A unique text for each field.
    pub(super) keys: Vec<String>,
    pub(super) native: FxHashMap<u32, i64>,
    pub(super) primitives: Vec<Primitive>,
    /// The first primitive of each row of data.
    pub(super) data: Vec<u32>,
    /// The row of the table of graphs.
    pub(super) head: u32,
    /// The position of the graph in the order in which graphs began.
    pub(super) place: usize,
}

/// A row of the table of graphs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub ts: i64,
    pub upid: ProcessId,
    pub is_oome: bool,
    pub heap_size: Option<i64>,
    pub is_truncated: bool,
}
