//! Heap graphs, and the tables and modules about them.

use traceloom_query::{Limits, Session};
use traceloom_trace::{ArgValue, RecordId, TraceBuilder};

use super::{row, shown, text};

/// The root A (10 bytes) refers to B (20 bytes) twice, and B to A and to null. C (40 bytes) is garbage that refers to
/// A.
fn heap() -> Session {
    let mut out = TraceBuilder::new();
    let upid = out.process(7);
    let names = ["A", "B", "C"].map(|name| text(&mut out, name));
    let classes = names.map(|name| row(&mut out, "heap_graph_class", &[("name", name)]));
    let first = out.trace().records.len() as u32;
    let object = |number: u32| RecordId(first + number);
    let references = |number: u32| RecordId(first + 3 + number);
    let root = text(&mut out, "ROOT_JNI_LOCAL");
    for (number, size) in [(0, 10), (1, 20), (2, 40)] {
        let reachable = ArgValue::Int(i64::from(number < 2));
        let cells = [
            ("upid", upid.into()),
            ("type_id", classes[number as usize].into()),
            ("self_size", ArgValue::Int(size)),
            ("reachable", reachable),
            ("reference_set_id", references(number).into()),
            ("root_type", root),
        ];
        let cells = if number == 0 { &cells[..] } else { &cells[..5] };
        out.record(5, "heap_graph_object", cells);
    }
    let owned: [&[ArgValue]; 3] = [
        &[object(1).into(), object(1).into()],
        &[object(0).into(), ArgValue::Null],
        &[object(0).into()],
    ];
    for (number, owned) in (0..).zip(owned) {
        let mut cells = vec![("owner_id", object(number).into())];
        cells.extend(owned.iter().map(|owned| ("T X.f", *owned)));
        out.record(5, "_heap_graph_references", &cells);
    }
    let [key, name, kind] = ["T X.f", "X.f", "T"].map(|name| text(&mut out, name));
    let cells = [("key", key), ("name", name), ("type", kind)];
    row(&mut out, "_heap_graph_field", &cells);
    Session::open(out.finish(), Limits::default()).unwrap()
}

#[test]
fn references_are_the_cells_of_records() {
    let mut session = heap();
    let expected = [
        "0 0 0 1 X.f T NULL",
        "1 0 0 1 X.f T NULL",
        "2 2 1 0 X.f T NULL",
        "3 2 1 NULL X.f T NULL",
        "4 4 2 0 X.f T NULL",
    ];
    assert_eq!(
        shown(&mut session, "SELECT * FROM heap_graph_reference"),
        expected
    );
    let sql = "SELECT id, reference_set_id, graph_sample_ts, native_size, reachable, root_distance FROM heap_graph_object";
    let expected = ["0 0 5 0 1 -1", "1 2 5 0 1 -1", "2 4 5 0 0 -1"];
    assert_eq!(shown(&mut session, sql), expected);
    let sql = "SELECT id FROM __intrinsic_heap_graph_reference WHERE reference_set_id = 2 AND owned_id IS NULL";
    assert_eq!(shown(&mut session, sql), ["3"]);
}

#[test]
fn records_of_the_same_object_are_one_set() {
    let mut out = TraceBuilder::new();
    let object = row(&mut out, "heap_graph_object", &[]);
    for count in [2, 1] {
        let mut cells = vec![("owner_id", object.into())];
        cells.extend((0..count).map(|_| ("", object.into())));
        row(&mut out, "_heap_graph_references", &cells);
    }
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql =
        "SELECT id, reference_set_id, owner_id, owned_id, field_name FROM heap_graph_reference";
    let expected = ["0 0 0 0 NULL", "1 0 0 0 NULL", "2 0 0 0 NULL"];
    assert_eq!(shown(&mut session, sql), expected);
}

#[test]
fn a_heap_as_trees() {
    let mut session = heap();
    let sql = "INCLUDE PERFETTO MODULE android.memory.heap_graph.dominator_tree;
        SELECT id, idom_id, dominated_obj_count, dominated_size_bytes, depth FROM heap_graph_dominator_tree";
    assert_eq!(shown(&mut session, sql), ["0 NULL 2 30 1", "1 0 1 20 2"]);
    let sql = "INCLUDE PERFETTO MODULE android.memory.heap_graph.class_summary_tree;
        SELECT name, self_count, self_size, cumulative_count, cumulative_size
        FROM android_heap_graph_class_summary_tree ORDER BY cumulative_size DESC";
    assert_eq!(shown(&mut session, sql), ["A 1 10 2 30", "B 1 20 1 20"]);
    let sql = "SELECT depth, name, size, cumulative_size, cumulative_count
        FROM experimental_flamegraph('graph', 5, NULL, 1, NULL, NULL)";
    let expected = ["0 A [ROOT_JNI_LOCAL] 10 30 2", "1 B 20 20 1"];
    assert_eq!(shown(&mut session, sql), expected);
}

/// Objects that come before their parents, and two roots of one class.
fn deep_heap() -> Session {
    let mut out = TraceBuilder::new();
    let upid = out.process(7);
    let root = text(&mut out, "ROOT_JNI_LOCAL");
    let names = ["Leaf", "Root", "Other"].map(|name| text(&mut out, name));
    let classes = names.map(|name| row(&mut out, "heap_graph_class", &[("name", name)]));
    let first = out.trace().records.len() as u32;
    let object = |number: u32| RecordId(first + number);
    let references = |number: u32| RecordId(first + 4 + number);
    for (number, class) in [(0, 2), (1, 0), (2, 1), (3, 1)] {
        let cells = [
            ("upid", upid.into()),
            ("type_id", classes[class].into()),
            ("self_size", ArgValue::Int(10 << number)),
            ("reachable", ArgValue::Int(1)),
            ("reference_set_id", references(number).into()),
            ("root_type", root),
        ];
        let count = if number == 1 { 5 } else { 6 };
        out.record(5, "heap_graph_object", &cells[..count]);
    }
    let cells = [("owner_id", object(3).into()), ("T X.f", object(1).into())];
    for number in 0..4 {
        let owner = [("owner_id", object(number).into())];
        let cells = if number == 3 { &cells[..] } else { &owner[..] };
        out.record(5, "_heap_graph_references", cells);
    }
    let [key, name, kind] = ["T X.f", "X.f", "T"].map(|name| text(&mut out, name));
    let cells = [("key", key), ("name", name), ("type", kind)];
    row(&mut out, "_heap_graph_field", &cells);
    let cells = [("upid", upid.into()), ("truncated", ArgValue::Int(1))];
    out.record(9, "heap_graph", &cells);
    Session::open(out.finish(), Limits::default()).unwrap()
}

#[test]
fn the_classes_of_a_heap_are_in_the_order_of_their_objects() {
    let mut session = deep_heap();
    let frames = |focus: &str| {
        format!(
            "SELECT id, depth, name, count, cumulative_count, size, cumulative_size, parent_id
             FROM experimental_flamegraph('graph', 5, NULL, 1, NULL, {focus})"
        )
    };
    let expected = [
        "0 0 Other [ROOT_JNI_LOCAL] 1 1 10 10 NULL",
        "1 0 Root [ROOT_JNI_LOCAL] 2 3 120 140 NULL",
        "2 1 Leaf 1 1 20 20 1",
    ];
    assert_eq!(shown(&mut session, &frames("NULL")), expected);
    let focused = [
        "0 0 Root [ROOT_JNI_LOCAL] 2 3 120 140 NULL",
        "1 1 Leaf 1 1 20 20 0",
    ];
    assert_eq!(shown(&mut session, &frames("'leaf'")), focused);
    assert_eq!(shown(&mut session, &frames("'root [ro'")), focused);
    assert!(shown(&mut session, &frames("'none'")).is_empty());
}

#[test]
fn a_heap_without_its_beginning_says_so() {
    let sql = "SELECT depth, name, count, size FROM experimental_flamegraph('graph', 9, NULL, 1, NULL, NULL)";
    let expected = ["0 ERROR: INCOMPLETE GRAPH (try increasing buffer size) 1 1"];
    assert_eq!(shown(&mut deep_heap(), sql), expected);
}

#[test]
fn the_objects_of_each_class() {
    let sql = "INCLUDE PERFETTO MODULE android.memory.heap_graph.heap_graph_class_aggregation;
        SELECT type_name, obj_count, size_bytes, reachable_obj_count, reachable_size_bytes, dominated_obj_count,
        dominated_size_bytes FROM android_heap_graph_class_aggregation";
    let expected = ["A 1 10 1 10 2 30", "B 1 20 1 20 1 20", "C 1 40 0 0 0 0"];
    assert_eq!(shown(&mut heap(), sql), expected);
    let names = "INCLUDE PERFETTO MODULE android.memory.heap_graph.heap_graph_class_aggregation;
        SELECT group_concat(_is_libcore_or_array(column1)) FROM (VALUES ('java.lang.String'), ('java.lang.Class<A>'), ('int[]'),
        ('integer[]'), ('int'), ('android.util.SparseArray'), ('com.app.Main'))";
    assert_eq!(shown(&mut heap(), names), ["1,0,1,0,0,1,0"]);
}

/// `Button` descends from `View`, and `View` and `Task` from `Object`.
#[test]
fn classes_that_descend_from_others() {
    let mut out = TraceBuilder::new();
    let mut class = |name: &str, above: Option<RecordId>| {
        let name = text(&mut out, name);
        let above = above.map_or(ArgValue::Null, Into::into);
        row(
            &mut out,
            "heap_graph_class",
            &[("name", name), ("superclass_id", above)],
        )
    };
    let object = class("Object", None);
    let view = class("View", Some(object));
    class("Button", Some(view));
    class("Task", Some(object));
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = "INCLUDE PERFETTO MODULE android.memory.heap_graph.class_relationship;
        SELECT class.name, ancestor_class_name FROM android_heap_graph_class_find_descendants!((
          SELECT id FROM heap_graph_class WHERE name IN ('View', 'Task')))
        JOIN heap_graph_class AS class USING (id) ORDER BY 1";
    assert_eq!(
        shown(&mut session, sql),
        ["Button View", "Task Task", "View View"]
    );
}

/// A bitmap of 20 by 10 pixels of process 7, which received it from process 9.
#[test]
fn pictures_in_the_java_heap() {
    let mut out = TraceBuilder::new();
    let (receiver, sender) = (out.process(7), out.process(9));
    let name = out.intern(b"com.gallery");
    out.name_process(sender, name);
    let fields = [
        ("mWidth", "int_value", 20),
        ("mHeight", "int_value", 10),
        ("mId", "long_value", 71_000_005),
        ("mSourceId", "long_value", 93_000_004),
    ];
    for (name, value, number) in fields {
        let name = text(&mut out, &format!("android.graphics.Bitmap.{name}"));
        let cells = [
            ("field_set_id", ArgValue::Int(3)),
            ("field_name", name),
            (value, ArgValue::Int(number)),
        ];
        row(&mut out, "heap_graph_primitive", &cells);
    }
    let data = row(
        &mut out,
        "heap_graph_object_data",
        &[("field_set_id", ArgValue::Int(3))],
    );
    let name = text(&mut out, "android.graphics.Bitmap");
    let class = row(&mut out, "heap_graph_class", &[("name", name)]);
    let cells = [
        ("upid", receiver.into()),
        ("type_id", class.into()),
        ("self_size", ArgValue::Int(48)),
        ("object_data_id", data.into()),
    ];
    out.record(5, "heap_graph_object", &cells);
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = "INCLUDE PERFETTO MODULE android.memory.heap_graph.bitmap;
        SELECT width, height, density, bitmap_pid, bitmap_storage_type, source_id, source_pid, source_storage_type,
        source_process_name, self_size FROM heap_graph_bitmaps";
    let expected = ["20 10 NULL 7 heap 93000004 9 hardware com.gallery 48"];
    assert_eq!(shown(&mut session, sql), expected);
}

#[test]
fn arrays_of_heap_dumps_are_unknown() {
    let sql = "SELECT __intrinsic_heap_graph_array(NULL), __intrinsic_heap_graph_array_json(7),
                 (SELECT count(*) FROM __intrinsic_aggregate_sample)";
    assert_eq!(shown(&mut heap(), sql), ["NULL NULL 0"]);
}
