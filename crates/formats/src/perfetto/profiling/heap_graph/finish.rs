//! Completes a graph with data that depends on all of its packets.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use traceloom_trace::{StringId, TraceBuilder};

use super::graph::{Graph, NO_ROOT};
use super::read::{INTERNAL, Open, Type};
use super::types::{Bare, Field};
use crate::profile::NONE;

/// The class kinds whose `referent` does not keep an object alive.
const WEAK: [u8; 3] = [9, 10, 11];

/// The class kinds without reference fields.
const WITHOUT_FIELDS: [u8; 3] = [2, 3, 4];

/// The root kinds that take precedence if an object is a root several times: sticky class, JNI global, JNI local.
const FIRST_ROOTS: [u8; 3] = [5, 1, 2];

/// The maximum length of a chain of superclasses.
const MOST_SUPERCLASSES: usize = 100;

impl Open {
    /// Completes the graph.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        let types = std::mem::take(&mut self.types);
        let rows: FxHashMap<u32, &Type> = types
            .iter()
            .map(|(id, class)| (self.describe(*id, class), class))
            .collect();
        self.sizes(&rows);
        self.field_names(&rows, &types);
        let internal = self.graph.fields.len() as u32;
        self.graph.fields.push(Field {
            name: out.intern(b"runtimeInternalObjects"),
            kind: StringId::NULL,
        });
        self.graph.keys.push("runtimeInternalObjects".to_owned());
        for reference in &mut self.graph.references {
            if reference.field == INTERNAL {
                reference.field = internal;
            }
        }
        let names = Known::new(out);
        for (id, kind) in self.take_roots() {
            if let Some(object) = self.known_object(id) {
                self.graph.mark_root(object, kind, names.referent);
            }
        }
        self.graph.superclasses(&names, out);
        self.native_sizes(&names, out);
    }

    /// Sets the properties of a class from its type. Returns the row of the class.
    fn describe(&mut self, id: u64, class: &Type) -> u32 {
        let row = self.class_row(id);
        let loader = match class.classloader {
            0 => NONE,
            loader => self.object_row(loader),
        };
        let location = class.location.and_then(|location| {
            let found = self.locations.get(&location).copied();
            self.broken += u64::from(found.is_none());
            found
        });
        if let Some(known) = self.graph.classes.get_mut(row as usize) {
            known.name = class.name;
            known.location = location.unwrap_or_default();
            known.classloader = loader;
            known.kind = Some(class.kind);
        }
        row
    }

    /// Sets the size of objects without a size to that of their class.
    fn sizes(&mut self, rows: &FxHashMap<u32, &Type>) {
        for object in self
            .graph
            .objects
            .iter_mut()
            .filter(|object| object.size == 0)
        {
            object.size = rows.get(&object.class).map_or(0, |class| class.size);
        }
    }

    /// Sets the fields of references that have none. They are in the order of the fields of the class and its
    /// superclasses.
    fn field_names(&mut self, rows: &FxHashMap<u32, &Type>, types: &BTreeMap<u64, Type>) {
        for row in 0..self.graph.objects.len() as u32 {
            let Some(object) = self.graph.objects.get(row as usize).copied() else {
                break;
            };
            let Some(class) = rows.get(&object.class) else {
                continue;
            };
            let count = self.graph.references_of(row).len();
            for (place, field) in fields_of(class, types).take(count).enumerate() {
                let field = self.field_row(field);
                let place = object.references as usize + place;
                if let Some(reference) = self.graph.references.get_mut(place)
                    && reference.field == NONE
                {
                    reference.field = field;
                }
            }
        }
    }

    /// Computes the native memory of objects. A cleaner refers to the object and, through its thunk, to a registry with
    /// the size.
    fn native_sizes(&mut self, names: &Known, out: &TraceBuilder) {
        /// The lowest bit is a flag for the allocator and not part of the size.
        const SIZE: i64 = !1;
        let strings = &out.trace().strings;
        let is_cleaner: Vec<bool> = self
            .graph
            .classes
            .iter()
            .map(|class| strings.get(class.name) == "sun.misc.Cleaner")
            .collect();
        let graph = &self.graph;
        let mut sizes: FxHashMap<u32, i64> = FxHashMap::default();
        for (row, object) in graph.objects.iter().enumerate() {
            if !is_cleaner
                .get(object.class as usize)
                .copied()
                .unwrap_or_default()
            {
                continue;
            }
            let row = row as u32;
            let is_done = graph.referred(row, names.next) == Some(row);
            let thunk = graph.referred(row, names.thunk).filter(|_| !is_done);
            let registry = thunk.and_then(|thunk| graph.referred(thunk, names.outer));
            let size = registry.and_then(|registry| self.registries.get(&registry));
            if let (Some(object), Some(size)) = (graph.referred(row, names.referent), size) {
                let sum = sizes.entry(object).or_default();
                *sum = sum.saturating_add(size & SIZE);
            }
        }
        self.graph.native = sizes;
    }
}

/// The fields of a class and of its superclasses.
fn fields_of<'a>(
    class: &'a Type,
    types: &'a BTreeMap<u64, Type>,
) -> impl Iterator<Item = u64> + 'a {
    let has_fields = !WITHOUT_FIELDS.contains(&class.kind);
    let chain = std::iter::successors(has_fields.then_some(class), |class| {
        types
            .get(&class.superclass)
            .filter(|_| class.superclass != 0)
    });
    chain
        .take(MOST_SUPERCLASSES)
        .flat_map(|class| class.fields.iter().copied())
}

/// The names of fields with special handling.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    referent: StringId,
    thunk: StringId,
    outer: StringId,
    next: StringId,
    superclass: StringId,
}

impl Known {
    fn new(out: &mut TraceBuilder) -> Self {
        Self {
            referent: out.intern(b"java.lang.ref.Reference.referent"),
            thunk: out.intern(b"sun.misc.Cleaner.thunk"),
            outer: out.intern(b"libcore.util.NativeAllocationRegistry$CleanerThunk.this$0"),
            next: out.intern(b"sun.misc.Cleaner.next"),
            superclass: out.intern(b"java.lang.Class.superClass"),
        }
    }
}

impl Graph {
    /// The name of a field.
    fn field_name(&self, field: u32) -> StringId {
        self.fields
            .get(field as usize)
            .map_or(StringId::NULL, |field| field.name)
    }

    /// The object to which a field of an object refers.
    fn referred(&self, object: u32, field: StringId) -> Option<u32> {
        let mut references = self.references_of(object).iter();
        let found = references.find(|reference| self.field_name(reference.field) == field)?;
        Some(found.owned).filter(|owned| *owned != NONE)
    }

    /// Makes an object a root, and marks the objects that it keeps alive.
    fn mark_root(&mut self, object: u32, kind: u8, referent: StringId) {
        let rank = |kind| {
            let place = FIRST_ROOTS.iter().position(|first| *first == kind);
            place.unwrap_or(FIRST_ROOTS.len())
        };
        let Some(root) = self.objects.get_mut(object as usize) else {
            return;
        };
        if root.root != NO_ROOT {
            if rank(kind) < rank(root.root) {
                root.root = kind;
            }
            return;
        }
        root.root = kind;
        self.mark_reachable(object, referent);
    }

    fn mark_reachable(&mut self, object: u32, referent: StringId) {
        let mut waiting = vec![object];
        while let Some(object) = waiting.pop() {
            let Some(found) = self.objects.get_mut(object as usize) else {
                continue;
            };
            if std::mem::replace(&mut found.is_reachable, true) {
                continue;
            }
            let class = self.classes.get(found.class as usize);
            let is_weak = class
                .and_then(|class| class.kind)
                .is_some_and(|kind| WEAK.contains(&kind));
            let references = self.references_of(object).iter();
            let kept = references.filter(|reference| {
                reference.owned != NONE
                    && !(is_weak && self.field_name(reference.field) == referent)
            });
            let unseen = kept.filter(|reference| {
                let owned = self.objects.get(reference.owned as usize);
                owned.is_some_and(|owned| !owned.is_reachable)
            });
            waiting.extend(unseen.map(|reference| reference.owned));
        }
    }

    /// Sets the superclass of each class, from the `java.lang.Class` objects.
    fn superclasses(&mut self, names: &Known, out: &mut TraceBuilder) {
        let stands: Vec<Option<StringId>> = self
            .classes
            .iter()
            .map(|class| {
                let name = out.trace().strings.get(class.name).to_owned();
                let bare = Bare::new(&name);
                bare.stands_for_class()
                    .then(|| out.intern(bare.name.as_bytes()))
            })
            .collect();
        let mut above: FxHashMap<(StringId, StringId), (StringId, StringId)> = FxHashMap::default();
        for (row, object) in self.objects.iter().enumerate() {
            let of = |class: u32| {
                let name = stands.get(class as usize).copied().flatten()?;
                Some((name, self.classes.get(class as usize)?.location))
            };
            let Some(class) = of(object.class) else {
                continue;
            };
            let found = self.referred(row as u32, names.superclass);
            let found = found.and_then(|found| self.objects.get(found as usize));
            if let Some(superclass) = found.and_then(|found| of(found.class)) {
                above.insert(class, superclass);
            }
        }
        let rows = self.classes.iter().enumerate();
        let rows: FxHashMap<_, _> = rows
            .map(|(row, class)| ((class.name, class.location), row as u32))
            .collect();
        for class in &mut self.classes {
            let superclass = above.get(&(class.name, class.location));
            let superclass = superclass.and_then(|key| rows.get(key));
            class.superclass = superclass.copied().unwrap_or(NONE);
        }
    }
}
