//! Reads the packets of a graph.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use traceloom_trace::{ProcessId, StringId, TraceBuilder};

use super::super::super::wire::{Field as Wire, Fields};
use super::super::tasks;
use super::graph::{Class, Graph, NO_ROOT, Object, Primitive, Reference};
use super::types::Field;
use crate::profile::{NONE, push};

/// `ROOT_VM_INTERNAL`, and the heaps whose objects are not collected.
const VM_INTERNAL: u8 = 13;
const ZYGOTE: u8 = 2;
const BOOT_IMAGE: u8 = 3;

/// The size of an object that is referred to but is in no packet. As a signed number, it is -1.
const UNKNOWN: u64 = u64::MAX;

/// The memory for a reference while its object is read, bytes.
const OF_REFERENCE: usize = 60;

/// A `HeapGraphType`.
#[derive(Debug, Default)]
pub(super) struct Type {
    pub name: StringId,
    pub location: Option<u64>,
    pub size: u64,
    pub superclass: u64,
    pub classloader: u64,
    pub fields: Vec<u64>,
    pub kind: u8,
}

/// A graph that is still being read.
#[derive(Debug, Default)]
pub(super) struct Open {
    pub graph: Graph,
    pub ts: i64,
    pub upid: ProcessId,
    pub heap_size: Option<i64>,
    pub broken: u64,
    pub missing: u64,
    pub types: BTreeMap<u64, Type>,
    pub locations: FxHashMap<u64, StringId>,
    /// The object and kind of each root, in packet order.
    pub roots: Vec<(u64, u8)>,
    pub internal_roots: Vec<u64>,
    /// The native size in each `NativeAllocationRegistry`, by object row.
    pub registries: FxHashMap<u32, i64>,
    objects: FxHashMap<u64, u32>,
    classes: FxHashMap<u64, u32>,
    fields: FxHashMap<u64, u32>,
    is_begun: bool,
    index: Option<u64>,
    last_id: u64,
    last_heap: u8,
}

impl Open {
    /// Begins a graph.
    pub fn new(place: usize) -> Self {
        let mut open = Self::default();
        open.graph.place = place;
        open
    }

    /// Reads a packet, as long as it takes less than `room` bytes. Returns whether it is the last packet of the graph.
    pub fn packet(
        &mut self,
        ts: i64,
        fields: Fields<'_>,
        room: usize,
        out: &mut TraceBuilder,
    ) -> bool {
        let of = |number| fields.clone().filter(move |field| field.number == number);
        let pid = of(1).last().map_or(0, Wire::uint);
        let index = of(6).last().map_or(0, Wire::uint);
        let expected = self.index.map_or(0, |index| index.wrapping_add(1));
        self.missing += u64::from(index != expected);
        self.index = Some(index);
        self.heap_size = of(10).last().map(Wire::int).or(self.heap_size);
        let upid = tasks::process(pid, out);
        let most = self.bytes().saturating_add(room);
        if self.begin(ts, upid) {
            for object in of(2) {
                if self.bytes() > most {
                    self.broken += 1;
                    break;
                }
                let most = most.saturating_sub(self.bytes()) / OF_REFERENCE;
                self.object(object.fields(), most);
            }
            of(7).for_each(|root| self.root(root.fields()));
        }
        for field in fields.clone() {
            match field.number {
                4 | 8 | 9 if self.bytes() > most => self.broken += 1,
                4 => self.field_name(field.fields(), out),
                8 => self.location(field.fields(), out),
                9 => self.class(field.fields(), out),
                _ => {}
            }
        }
        !of(5).last().is_some_and(Wire::bool)
    }

    /// The memory of the graph's rows, bytes.
    pub fn bytes(&self) -> usize {
        self.graph.bytes()
            + (self.roots.len() + self.internal_roots.len()) * 16
            + self.types.len() * 350
            + self.locations.len() * 50
    }

    /// Begins the graph at its first packet. Returns whether the packet belongs to the graph, because a sequence has
    /// one graph at a time.
    fn begin(&mut self, ts: i64, upid: ProcessId) -> bool {
        if !self.is_begun {
            (self.ts, self.upid, self.is_begun) = (ts, upid, true);
        }
        let is_same = (self.ts, self.upid) == (ts, upid);
        self.broken += u64::from(!is_same);
        is_same
    }

    /// The row of an object. The object itself may come later.
    pub fn object_row(&mut self, id: u64) -> u32 {
        let objects = &mut self.graph.objects;
        *self.objects.entry(id).or_insert_with(|| {
            let blank = Object {
                size: UNKNOWN,
                class: NONE,
                references: NONE,
                data: NONE,
                root: NO_ROOT,
                heap: 0,
                is_reachable: false,
            };
            push(objects, blank)
        })
    }

    /// The row of an object, if it has one.
    pub fn known_object(&self, id: u64) -> Option<u32> {
        self.objects.get(&id).copied()
    }

    /// The row of a class.
    pub fn class_row(&mut self, id: u64) -> u32 {
        let classes = &mut self.graph.classes;
        *self.classes.entry(id).or_insert_with(|| {
            let blank = Class {
                name: StringId::NULL,
                location: StringId::NULL,
                superclass: NONE,
                classloader: NONE,
                kind: None,
            };
            push(classes, blank)
        })
    }

    /// The row of a field.
    pub fn field_row(&mut self, id: u64) -> u32 {
        let (fields, keys) = (&mut self.graph.fields, &mut self.graph.keys);
        *self.fields.entry(id).or_insert_with(|| {
            let blank = Field {
                name: StringId::NULL,
                kind: StringId::NULL,
            };
            keys.push(String::new());
            push(fields, blank)
        })
    }

    /// Reads a `HeapGraphObject`, with at most `most` references.
    fn object(&mut self, fields: Fields<'_>, most: usize) {
        let parts = Parts::read(fields, most);
        self.broken += u64::from(parts.is_cut);
        let heap = parts.heap.unwrap_or(self.last_heap);
        let id = match parts.delta {
            0 => parts.id,
            delta => self.last_id.wrapping_add(delta),
        };
        if !parts.fields.is_empty() && parts.fields.len() != parts.references.len() {
            self.broken += 1;
            return;
        }
        (self.last_id, self.last_heap) = (id, heap);
        let row = self.object_row(id);
        let class = self.class_row(parts.class);
        if matches!(heap, ZYGOTE | BOOT_IMAGE) {
            self.internal_roots.push(id);
        }
        let references = self.references(row, &parts);
        if let Some(size) = parts.registry {
            self.registries.insert(row, size);
        }
        let data = self.data(&parts.bitmap);
        if let Some(object) = self.graph.objects.get_mut(row as usize) {
            (object.size, object.class, object.heap) = (parts.size, class, heap);
            (object.references, object.data) = (references, data);
        }
    }

    /// Adds the references of an object. Returns the index of the first one.
    fn references(&mut self, owner: u32, parts: &Parts) -> u32 {
        let first = self.graph.references.len() as u32;
        for (at, id) in parts.references.iter().enumerate() {
            let owned = match id {
                0 => NONE,
                id => self.object_row(id.wrapping_add(parts.base)),
            };
            let field = parts.fields.get(at).map(|field| self.field_row(*field));
            self.graph.references.push(Reference {
                owner,
                owned,
                field: field.unwrap_or(NONE),
            });
        }
        for id in &parts.internal {
            let owned = self.object_row(*id);
            self.graph.references.push(Reference {
                owner,
                owned,
                field: INTERNAL,
            });
        }
        if self.graph.references.len() as u32 == first {
            return NONE;
        }
        first
    }

    /// Adds the properties of a bitmap. Returns their row.
    fn data(&mut self, bitmap: &[Option<i64>; 4]) -> u32 {
        const NAMES: [&str; 4] = [
            "android.graphics.Bitmap.mId",
            "android.graphics.Bitmap.mSourceId",
            "android.graphics.Bitmap.mWidth",
            "android.graphics.Bitmap.mHeight",
        ];
        let set = self.graph.primitives.len() as u32;
        let values = NAMES.iter().zip(bitmap).enumerate();
        let primitives = values.filter_map(|(at, (name, value))| {
            Some(Primitive {
                set,
                name,
                is_long: at < 2,
                value: (*value)?,
            })
        });
        self.graph.primitives.extend(primitives);
        if self.graph.primitives.len() as u32 == set {
            return NONE;
        }
        push(&mut self.graph.data, set)
    }

    /// A `HeapGraphRoot`.
    fn root(&mut self, fields: Fields<'_>) {
        let kind = fields.clone().filter(|field| field.number == 2).last();
        let kind = kind.map_or(0, Wire::uint);
        let kind = if kind > 14 { 0 } else { kind as u8 };
        let objects = fields.filter(|field| field.number == 1);
        let objects = objects.flat_map(Wire::numbers);
        self.roots.extend(objects.map(|object| (object, kind)));
    }

    /// Takes all roots. Internal roots of the runtime come last.
    pub fn take_roots(&mut self) -> Vec<(u64, u8)> {
        let mut roots = std::mem::take(&mut self.roots);
        let internal = std::mem::take(&mut self.internal_roots);
        roots.extend(internal.into_iter().map(|object| (object, VM_INTERNAL)));
        roots
    }

    /// A `HeapGraphType`.
    fn class(&mut self, fields: Fields<'_>, out: &mut TraceBuilder) {
        let (mut id, mut class) = (0, Type::default());
        for field in fields {
            match field.number {
                1 => id = field.uint(),
                2 => class.location = Some(field.uint()),
                3 => class.name = out.intern(field.bytes()),
                4 => class.size = field.uint(),
                5 => class.superclass = field.uint(),
                6 => class.fields.extend(field.numbers()),
                7 => class.kind = field.uint().min(255) as u8,
                8 => class.classloader = field.uint(),
                _ => {}
            }
        }
        self.types.insert(id, class);
    }

    /// Reads a field name. It consists of the type, a space, the class and the name. Some have no type.
    fn field_name(&mut self, fields: Fields<'_>, out: &mut TraceBuilder) {
        let (iid, text) = interned(fields);
        let space = text.iter().position(|byte| *byte == b' ');
        let (kind, name) = match space.and_then(|at| text.split_at_checked(at)) {
            Some((kind, name)) => (kind, name.get(1..).unwrap_or_default()),
            None => (&b""[..], text),
        };
        let named = Field {
            name: out.intern(name),
            kind: out.intern_unless_empty(kind),
        };
        let row = self.field_row(iid);
        if let Some(field) = self.graph.fields.get_mut(row as usize) {
            *field = named;
        }
        if let Some(key) = self.graph.keys.get_mut(row as usize) {
            *key = String::from_utf8_lossy(text).into_owned();
        }
    }

    fn location(&mut self, fields: Fields<'_>, out: &mut TraceBuilder) {
        let (iid, text) = interned(fields);
        let name = out.intern(text);
        self.locations.entry(iid).or_insert(name);
    }
}

/// Placeholder for the field of references that are internal to the runtime.
pub(super) const INTERNAL: u32 = NONE - 1;

/// An `InternedString`.
fn interned(fields: Fields<'_>) -> (u64, &[u8]) {
    fields.fold((0, &b""[..]), |(iid, text), field| match field.number {
        1 => (field.uint(), text),
        2 => (iid, field.bytes()),
        _ => (iid, text),
    })
}

/// The fields of an object.
#[derive(Debug, Default)]
struct Parts {
    id: u64,
    delta: u64,
    class: u64,
    size: u64,
    base: u64,
    heap: Option<u8>,
    fields: Vec<u64>,
    references: Vec<u64>,
    internal: Vec<u64>,
    /// Whether references were left out because of the memory limit.
    is_cut: bool,
    registry: Option<i64>,
    bitmap: [Option<i64>; 4],
}

/// Appends up to `most` numbers of a field. Returns whether there are more.
fn extend(numbers: &mut Vec<u64>, field: Wire<'_>, most: usize) -> bool {
    let mut found = field.numbers();
    numbers.extend(found.by_ref().take(most));
    found.next().is_some()
}

impl Parts {
    /// Reads an object, with at most `most` references.
    fn read(fields: Fields<'_>, most: usize) -> Self {
        let mut parts = Self::default();
        for field in fields {
            let room = most.saturating_sub(parts.references.len() + parts.internal.len());
            match field.number {
                1 => parts.id = field.uint(),
                2 => parts.class = field.uint(),
                3 => parts.size = field.uint(),
                4 => parts.is_cut |= extend(&mut parts.fields, field, most),
                5 => parts.is_cut |= extend(&mut parts.references, field, room),
                6 => parts.base = field.uint(),
                7 => parts.delta = field.uint(),
                8 => parts.registry = Some(field.int()),
                9 => parts.heap = Some(field.uint().min(255) as u8),
                10 => parts.is_cut |= extend(&mut parts.internal, field, room),
                number @ 11..=14 => {
                    if let Some(value) = parts.bitmap.get_mut(number as usize - 11) {
                        *value = Some(field.int());
                    }
                }
                _ => {}
            }
        }
        parts
    }
}
