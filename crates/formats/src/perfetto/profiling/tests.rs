//! Tests of whole traces with profiles.

use testkit::Proto;
use traceloom_trace::{ArgValue, IdKind, RecordId, RepairKind, Trace};

use super::super::tests::{packet, read};

/// The records of a table: the index of each among all records, and its cells as text.
pub(super) fn rows(trace: &Trace, table: &str) -> Vec<(u32, Vec<String>)> {
    let of_table = trace.records.rows().table.iter().enumerate();
    let of_table = of_table.filter(|(_, name)| trace.strings.get(*name) == table);
    let cells = |record: u32| {
        let cells = trace.records.cells(RecordId(record));
        cells
            .map(|(key, value)| {
                let key = trace.strings.get(key);
                format!("{key}={}", value.display(&trace.strings))
            })
            .collect()
    };
    of_table
        .map(|(record, _)| (record as u32, cells(record as u32)))
        .collect()
}

/// The cells of the only record of a table, as text.
pub(super) fn only(trace: &Trace, table: &str) -> String {
    let rows = rows(trace, table);
    assert_eq!(rows.len(), 1, "{table}: {rows:?}");
    rows[0].1.join(" ")
}

/// The record that a cell refers to.
fn referred(trace: &Trace, record: u32, column: &str) -> Option<u32> {
    match trace
        .records
        .cell(record as usize, trace.strings.lookup(column)?)
    {
        Some(ArgValue::Row(IdKind::Record, record)) => Some(record),
        _ => None,
    }
}

fn interned(iid: i64, text: &str) -> Proto {
    Proto::new().int(1, iid).text(2, text)
}

/// Interned data: the frames `main` and `work` of `/lib.so`, and their stack, which has the iid 1.
pub(super) fn stack() -> Proto {
    let frame = |iid, name, pc| Proto::new().int(1, iid).int(2, name).int(3, 1).int(4, pc);
    let mapping = Proto::new().int(1, 1).int(2, 1).int(7, 1);
    Proto::new()
        .message(5, interned(1, "main"))
        .message(5, interned(2, "work"))
        .message(6, frame(1, 1, 0x10))
        .message(6, frame(2, 2, 0x20))
        .message(7, Proto::new().int(1, 1).int(2, 1).int(2, 2))
        .message(16, interned(1, "id"))
        .message(17, interned(1, "lib.so"))
        .message(19, mapping)
}

/// A packet of a sequence that has just cleared its state.
fn with_state(ts: i64, number: u32, content: Proto) -> Proto {
    packet(ts, number, content)
        .int(10, 1)
        .int(13, 1)
        .message(12, stack())
}

#[test]
fn a_sample_of_perf_with_its_stack_and_counter() {
    let sample = Proto::new()
        .int(1, 3)
        .int(2, 7)
        .int(3, 8)
        .int(4, 1)
        .int(5, 2)
        .int(6, 99);
    let trace = read([with_state(5, 66, sample)]);
    let callsites = rows(&trace, "stack_profile_callsite");
    assert_eq!(callsites.len(), 2);
    let (inner, outer) = (callsites[1].0, callsites[0].0);
    assert_eq!(referred(&trace, inner, "parent_id"), Some(outer));
    let frame = referred(&trace, inner, "frame_id").unwrap();
    let frames = rows(&trace, "stack_profile_frame");
    let (_, cells) = frames.iter().find(|(row, _)| *row == frame).unwrap();
    assert!(cells.contains(&"name=work".to_owned()) && cells.contains(&"rel_pc=32".to_owned()));
    let mapping = only(&trace, "stack_profile_mapping");
    assert!(mapping.contains("build_id=6964") && mapping.contains("name=/lib.so"));
    let sample = rows(&trace, "__intrinsic_profiler_sample");
    assert_eq!(referred(&trace, sample[0].0, "callsite_id"), Some(inner));
    let place = only(&trace, "__intrinsic_profiler_execution_context");
    assert_eq!(place, "ucpu=3 cpu_mode=user");
    assert!(only(&trace, "__intrinsic_profiler_session").contains("timebase_unit=ns"));
    let counter = trace.counters.row(0);
    assert_eq!((counter.ts, counter.value), (5, 99.0));
    let track = trace.tracks.row(counter.track_id.0 as usize);
    assert_eq!(trace.strings.get(track.name), "cpu-clock");
}

#[test]
fn a_frame_without_a_function_has_no_name() {
    let frame = Proto::new().int(1, 1).int(3, 1).int(4, 32);
    let mapping = Proto::new().int(1, 1);
    let callstack = Proto::new().int(1, 1).int(2, 1);
    let state = Proto::new()
        .message(6, frame)
        .message(7, callstack)
        .message(19, mapping);
    let sample = Proto::new().int(2, 7).int(3, 8).int(4, 1);
    let sample = packet(5, 66, sample).int(10, 1).int(13, 1);
    let trace = read([sample.message(12, state)]);
    let frame = only(&trace, "stack_profile_frame");
    assert!(
        frame.contains("rel_pc=32") && !frame.contains("name="),
        "{frame}"
    );
}

#[test]
fn heap_profiles_have_what_changed_since_the_last_dump() {
    let dump = |allocated, freed| {
        let sample = Proto::new()
            .int(1, 1)
            .int(2, allocated)
            .int(3, freed)
            .int(5, 2)
            .int(6, 1);
        let heap = Proto::new().int(1, 7).text(11, "malloc").message(2, sample);
        Proto::new().message(5, heap)
    };
    let second = packet(9, 37, dump(150, 20).int(7, 1)).int(10, 1);
    let clocks = Proto::new()
        .message(1, Proto::new().int(1, 6).int(2, 0))
        .message(1, Proto::new().int(1, 4).int(2, 0));
    let clocks = Proto::new().int(10, 2).message(6, clocks);
    let trace = read([clocks, with_state(5, 37, dump(100, 20)), second]);
    let sizes: Vec<String> = rows(&trace, "heap_profile_allocation")
        .into_iter()
        .map(|(_, cells)| cells[3..].join(" "))
        .collect();
    assert_eq!(
        sizes,
        ["count=2 size=100", "count=-1 size=-20", "count=0 size=50"]
    );
}

/// A heap. The root 1 refers to 2 through the field `A.next`, and 3 is garbage.
fn heap() -> Proto {
    let object = |id, size| Proto::new().int(1, id).int(2, 1).int(3, size);
    let class = Proto::new()
        .int(1, 1)
        .int(2, 1)
        .text(3, "a")
        .packed(6, &[1]);
    Proto::new()
        .int(1, 7)
        .message(2, object(1, 16).packed(5, &[2]))
        .message(2, object(2, 24).packed(5, &[0]))
        .message(2, object(3, 32))
        .message(4, interned(1, "A a.next"))
        .message(7, Proto::new().packed(1, &[1]).int(2, 3))
        .message(8, interned(1, "/data/app/org.example-1/base.apk"))
        .message(9, class)
}

#[test]
fn a_heap_graph_with_names_before_r8() {
    let field = Proto::new().text(1, "next").text(2, "following");
    let class = Proto::new()
        .text(1, "a")
        .text(2, "org.example.Node")
        .message(3, field);
    let renaming = Proto::new().text(1, "org.example").message(3, class);
    let renaming = Proto::new().message(64, renaming);
    let trace = read([packet(5, 56, heap()), renaming]);
    let class = only(&trace, "heap_graph_class");
    assert!(
        class.contains("name=a deobfuscated_name=org.example.Node"),
        "{class}"
    );
    let objects = rows(&trace, "heap_graph_object");
    let reachable = |(_, cells): &(u32, Vec<String>)| cells.contains(&"reachable=1".to_owned());
    let reachable: Vec<bool> = objects.iter().map(reachable).collect();
    assert_eq!(reachable, [true, true, false]);
    assert!(
        objects[0]
            .1
            .contains(&"root_type=ROOT_JAVA_FRAME".to_owned())
    );
    // The second field is for internal references of the runtime.
    let field = rows(&trace, "_heap_graph_field")[0].1.join(" ");
    assert_eq!(
        field,
        "key=A a.next name=a.next type=A old_name=org.example.Node.following"
    );
    let references = rows(&trace, "_heap_graph_references");
    assert_eq!(
        referred(&trace, references[0].0, "A a.next"),
        Some(objects[1].0)
    );
    assert_eq!(
        referred(&trace, objects[0].0, "reference_set_id"),
        Some(references[0].0)
    );
}

#[test]
fn lines_tell_which_methods_r8_inlined() {
    let method = |new: &str, old: &str, line: i64| {
        Proto::new()
            .text(1, new)
            .text(2, old)
            .int(3, 1)
            .int(4, 1)
            .int(5, line)
    };
    let class = Proto::new()
        .text(1, "a")
        .text(2, "org.example.Main")
        .message(4, method("b", "inner", 20))
        .message(4, method("b", "outer", 10));
    let renaming = Proto::new().text(1, "org.example").message(3, class);
    let line = Proto::new().text(1, "a.b").text(2, "f").int(3, 1);
    let at = |address| Proto::new().int(1, address).message(2, line.clone());
    let symbols = Proto::new()
        .text(1, "/data/app/org.example-1/base.apk")
        .message(3, at(0x20))
        .message(3, at(0x30));
    let mapping = Proto::new().int(1, 1).int(7, 1);
    let frame = Proto::new().int(1, 1).int(2, 1).int(3, 1).int(4, 0x20);
    let interned = Proto::new()
        .message(5, interned(1, "a.b"))
        .message(6, frame)
        .message(7, Proto::new().int(1, 1).int(2, 1))
        .message(17, interned(1, "/data/app/org.example-1/base.apk"))
        .message(19, mapping);
    let sample = Proto::new().int(2, 7).int(3, 7).int(4, 1);
    let sample = packet(5, 66, sample)
        .int(10, 1)
        .int(13, 1)
        .message(12, interned);
    let trace = read([
        sample,
        Proto::new().message(61, symbols),
        Proto::new().message(64, renaming),
    ]);
    let figure = only(&trace, "stats");
    assert!(
        figure.contains("name=stackprofile_invalid_frame_id value=1"),
        "{figure}"
    );
    let frame = only(&trace, "stack_profile_frame");
    assert!(
        frame.contains("deobfuscated_name=org.example.Main.outer"),
        "{frame}"
    );
    let symbols: Vec<String> = rows(&trace, "stack_profile_symbol")
        .into_iter()
        .map(|(_, cells)| cells[1..].join(" "))
        .collect();
    assert_eq!(
        symbols,
        [
            "name=a.b source_file=f line_number=1",
            "name=org.example.Main.inner line_number=20 inlined=1",
            "name=org.example.Main.outer line_number=10 inlined=0",
        ]
    );
}

#[test]
fn what_refers_to_nothing_is_counted() {
    let sample = Proto::new().int(2, 7).int(3, 7).int(4, 77);
    let trace = read([with_state(5, 66, sample)]);
    assert_eq!(trace.repairs.count(RepairKind::BadField), 1);
    assert!(!only(&trace, "__intrinsic_profiler_sample").contains("callsite_id"));
    let trace = read([packet(5, 56, heap().int(6, 4))]);
    assert_eq!(trace.repairs.count(RepairKind::LostEvents), 1);
    assert!(only(&trace, "heap_graph").contains("truncated=1"));
}

#[test]
fn the_reason_of_a_heap_graph_may_come_before_or_after_it() {
    let graph = packet(5, 56, heap());
    let error = packet(5, 131, Proto::new().int(1, 7).int(5, 100));
    for packets in [[graph.clone(), error.clone()], [error, graph]] {
        let head = only(&read(packets), "heap_graph");
        assert!(head.contains("dump_reason=OOME"), "{head}");
    }
}

#[test]
fn the_memory_of_a_process_with_and_without_columns() {
    let entry = Proto::new()
        .text(1, "/lib.so (deleted)")
        .int(2, 20)
        .int(3, 4);
    let packed = Proto::new()
        .text(1, "/a.so")
        .text(1, "/b.so")
        .packed(2, &[1])
        .packed(4, &[8]);
    let smaps = Proto::new().int(1, 7).message(2, entry).message(3, packed);
    let trace = read([packet(5, 68, smaps)]);
    let shown: Vec<String> = rows(&trace, "profiler_smaps")
        .into_iter()
        .map(|(_, cells)| cells[1..].join(" "))
        .collect();
    assert_eq!(
        shown,
        [
            "path=/lib.so (deleted) path_trimmed=/lib.so is_deleted=1 size_kb=20 private_dirty_kb=4",
            "path=/b.so path_trimmed=/b.so size_kb=8",
        ]
    );
}

#[test]
fn an_incomplete_heap_profile_says_why() {
    let dump = |flag, value| {
        let dump = Proto::new().int(1, 7).int(flag, value);
        Proto::new().message(5, dump)
    };
    let later = |ts, index, dump: Proto| packet(ts, 37, dump.int(7, index)).int(10, 1);
    let trace = read([
        with_state(5, 37, dump(10, 1)),
        later(6, 1, dump(14, 1)),
        later(7, 2, dump(7, 1)),
        later(8, 3, dump(7, 0)),
    ]);
    let stats: Vec<String> = rows(&trace, "stats")
        .into_iter()
        .map(|(_, cells)| cells.join(" "))
        .collect();
    for (name, value) in [
        ("heapprofd_hit_guardrail", 1),
        ("heapprofd_client_error", 1),
        ("heapprofd_buffer_overran", 2),
    ] {
        let figure = format!("name={name} value={value} machine_id=0 idx=7");
        assert!(stats.contains(&figure), "{figure} in {stats:?}");
    }
    assert_eq!(trace.repairs.count(RepairKind::LostEvents), 3);
    // No snapshot contains the clock of the dumps.
    assert_eq!(trace.repairs.count(RepairKind::Unplaced), 4);
}
