//! Writes the rows of a graph.

use traceloom_trace::{ArgValue, StringId, TraceBuilder};

use super::super::names;
use super::super::paths::package;
use super::graph::{Class, Graph, Head, NO_ROOT, Object, Reference};
use super::types::{Bare, Renamed};
use crate::profile::NONE;
use crate::profile::{Rows, add, text, word};

/// The positions of a graph's rows among the records.
struct Places {
    classes: Rows,
    objects: Rows,
    primitives: Rows,
    data: Rows,
    references: Rows,
}

/// Adds the rows of a graph. `fallback` is the package of the process.
pub(crate) fn emit(
    graph: &Graph,
    head: &Head,
    renamed: &Renamed,
    fallback: StringId,
    out: &mut TraceBuilder,
) {
    let starts = sets(graph).scan(0, |end, set| {
        Some(std::mem::replace(end, *end + set.len() as u32))
    });
    let sets: Vec<u32> = starts.collect();
    let mut first = Rows::next(out);
    let mut places = || -> Option<Places> {
        Some(Places {
            classes: first.take(graph.classes.len())?,
            objects: first.take(graph.objects.len())?,
            primitives: first.take(graph.primitives.len())?,
            data: first.take(graph.data.len())?,
            references: first.after(graph.keys.len())?.take(sets.len())?,
        })
    };
    let Some(places) = places() else {
        return;
    };
    for class in &graph.classes {
        emit_class(class, &places, renamed, fallback, out);
    }
    for (row, object) in graph.objects.iter().enumerate() {
        let native = graph.native.get(&(row as u32)).copied().unwrap_or(0);
        let set = match object.references {
            NONE => NONE,
            first => (sets.partition_point(|set| *set <= first) as u32).wrapping_sub(1),
        };
        emit_object(object, (native, set), head, &places, out);
    }
    emit_data(graph, &places, out);
    emit_references(graph, head, &places, renamed, out);
}

/// The maximum number of references per record. An object with more references has several records.
const MOST_CELLS: usize = 1 << 16;

/// The references of each record.
fn sets(graph: &Graph) -> impl Iterator<Item = &[Reference]> {
    let objects = graph
        .references
        .chunk_by(|one, next| one.owner == next.owner);
    objects.flat_map(|references| references.chunks(MOST_CELLS))
}

fn emit_class(
    class: &Class,
    places: &Places,
    renamed: &Renamed,
    fallback: StringId,
    out: &mut TraceBuilder,
) {
    let cells = [
        ("name", text(class.name)),
        ("deobfuscated_name", old_name(class, renamed, fallback, out)),
        ("location", text(class.location)),
        ("superclass_id", places.classes.cell(class.superclass)),
        ("classloader_id", places.objects.cell(class.classloader)),
        (
            "kind",
            class
                .kind
                .map_or(ArgValue::Null, |kind| word(names::class_kind(kind), out)),
        ),
    ];
    add("heap_graph_class", cells, out);
}

/// The original name of a class before R8. If its location has no package, the package of the process is used.
fn old_name(
    class: &Class,
    renamed: &Renamed,
    fallback: StringId,
    out: &mut TraceBuilder,
) -> ArgValue {
    let strings = &out.trace().strings;
    let bare = Bare::new(strings.get(class.name));
    let of_location = package(strings.get(class.location)).and_then(|name| strings.lookup(name));
    let package = of_location.unwrap_or(fallback);
    let found = strings.lookup(bare.name);
    let found = found.and_then(|name| renamed.classes.get(&(package, name)));
    match found.map(|old| bare.with(old)) {
        Some(old) => word(&old, out),
        None => ArgValue::Null,
    }
}

fn emit_object(
    object: &Object,
    (native, set): (i64, u32),
    head: &Head,
    places: &Places,
    out: &mut TraceBuilder,
) {
    let heap = word(names::heap_type(object.heap), out);
    let root = match object.root {
        NO_ROOT => ArgValue::Null,
        root => word(names::root_type(root), out),
    };
    let unless_zero = |value| match value {
        0 => ArgValue::Null,
        value => ArgValue::Int(value),
    };
    let cells = [
        ("upid", head.upid.into()),
        ("self_size", ArgValue::Int(object.size as i64)),
        ("native_size", unless_zero(native)),
        ("reference_set_id", places.references.cell(set)),
        ("reachable", unless_zero(object.is_reachable.into())),
        ("heap_type", heap),
        ("type_id", places.classes.cell(object.class)),
        ("root_type", root),
        ("object_data_id", places.data.cell(object.data)),
    ];
    let cells = cells
        .into_iter()
        .filter(|(_, cell)| *cell != ArgValue::Null);
    let cells: Vec<_> = cells.collect();
    out.record(head.ts, "heap_graph_object", &cells);
}

/// Adds a record for each field, and records with the references of each object.
fn emit_references(
    graph: &Graph,
    head: &Head,
    places: &Places,
    renamed: &Renamed,
    out: &mut TraceBuilder,
) {
    for (field, key) in graph.fields.iter().zip(&graph.keys) {
        let old = renamed.fields.get(&field.name).copied();
        let cells = [
            ("key", word(key, out)),
            ("name", text(field.name)),
            ("type", text(field.kind)),
            ("old_name", text(old.unwrap_or_default())),
        ];
        add("_heap_graph_field", cells, out);
    }
    let mut cells = Vec::new();
    for references in sets(graph) {
        let owner = references.first().map_or(NONE, |first| first.owner);
        cells.clear();
        cells.push(("owner_id", places.objects.cell(owner)));
        cells.extend(references.iter().map(|reference| {
            let key = graph.keys.get(reference.field as usize);
            let owned = places.objects.cell(reference.owned);
            (key.map_or("", String::as_str), owned)
        }));
        out.record(head.ts, "_heap_graph_references", &cells);
    }
}

fn emit_data(graph: &Graph, places: &Places, out: &mut TraceBuilder) {
    for primitive in &graph.primitives {
        let (kind, column) = if primitive.is_long {
            ("long", "long_value")
        } else {
            ("int", "int_value")
        };
        let cells = [
            ("field_set_id", places.primitives.cell(primitive.set)),
            ("field_name", word(primitive.name, out)),
            ("field_type", word(kind, out)),
            (column, ArgValue::Int(primitive.value)),
        ];
        add("heap_graph_primitive", cells, out);
    }
    for set in &graph.data {
        let cells = [("field_set_id", places.primitives.cell(*set))];
        add("heap_graph_object_data", cells, out);
    }
}
