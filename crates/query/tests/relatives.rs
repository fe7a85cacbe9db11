//! Related slices, compared with plain SQL; and flows with answers worked out by hand.

mod made;

use made::{ask, session};
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{FlowRow, NO_NUMBER, SliceBegin, TraceBuilder};

fn rows(session: &mut Session, sql: &str) -> Vec<Vec<Value>> {
    let rows = ask(session, sql);
    rows.unwrap_or_else(|error| panic!("{sql}: {error}")).rows
}

#[test]
fn ancestors_and_descendants_are_those_of_plain_sql() {
    let mut session = session();
    let pairs = "WITH RECURSIVE pair(outer_id, inner_id) AS (
          SELECT parent_id, id FROM slice WHERE parent_id IS NOT NULL
          UNION ALL SELECT parent_id, inner_id FROM pair JOIN slice ON slice.id = outer_id WHERE parent_id IS NOT NULL)
        SELECT outer_id, inner_id FROM pair ORDER BY 1, 2";
    let expected = rows(&mut session, pairs);
    assert!(expected.len() > 100);
    for sql in [
        "SELECT it.id, slice.id FROM slice, ancestor_slice(slice.id) AS it ORDER BY 1, 2",
        "SELECT slice.id, it.id FROM slice, descendant_slice(slice.id) AS it ORDER BY 1, 2",
        "INCLUDE PERFETTO MODULE slices.hierarchy;
         SELECT it.id, slice.id FROM slice, _slice_ancestor_and_self(slice.id) AS it WHERE it.id != slice.id ORDER BY 1, 2",
        "INCLUDE PERFETTO MODULE slices.hierarchy;
         SELECT slice.id, it.id FROM slice, _slice_descendant_and_self(slice.id) AS it WHERE it.id != slice.id ORDER BY 1, 2",
    ] {
        assert_eq!(rows(&mut session, sql), expected, "{sql}");
    }
    let wrong = "SELECT count(*) FROM slice, ancestor_slice(slice.id) AS it
        WHERE NOT slice_is_ancestor(it.id, slice.id) OR slice_is_ancestor(slice.id, it.id) OR it.depth >= slice.depth";
    assert_eq!(rows(&mut session, wrong), [[Value::Integer(0)]]);
    assert!(rows(&mut session, "SELECT * FROM ancestor_slice(NULL)").is_empty());
    let error = ask(&mut session, "SELECT * FROM ancestor_slice(-1)").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("there is no slice with the id -1"),
        "{error}"
    );
}

/// ```text
/// track 1   0────────────────   3───
///             1─────  2──         ↑
/// track 2         ↓   ↓           │
///               4──  5─────       │
///                     6──→────────┘
/// ```
/// The flows are 1→4, 2→5, 6→3.
fn flows() -> Session {
    let mut out = TraceBuilder::new();
    let utids = [1, 2].map(|tid| out.thread(tid));
    let tracks = utids.map(|utid| out.thread_track(utid));
    let name = out.intern(b"x");
    let begin = |out: &mut TraceBuilder, track: usize, ts| {
        out.begin_slice(tracks[track], SliceBegin::named(ts, name))
    };
    begin(&mut out, 0, 0);
    let nested = [(5, 15), (30, 40)].map(|(ts, end)| {
        let slice = begin(&mut out, 0, ts);
        out.end_slice(tracks[0], end, None);
        slice
    });
    out.end_slice(tracks[0], 50, None);
    let last = out.whole_slice(tracks[0], SliceBegin::named(90, name), 5);
    let woken = out.whole_slice(tracks[1], SliceBegin::named(20, name), 5);
    let around = begin(&mut out, 1, 45);
    let within = begin(&mut out, 1, 50);
    out.end_slice(tracks[1], 55, None);
    out.end_slice(tracks[1], 65, None);
    for (slice_out, slice_in) in [(nested[0], woken), (nested[1], around), (within, last)] {
        out.flow(FlowRow {
            slice_out,
            slice_in,
            name,
            trace_id: NO_NUMBER,
        });
    }
    Session::open(out.finish(), Limits::default()).unwrap()
}

#[test]
fn flows_are_followed_through_the_slices_within() {
    let mut session = flows();
    let times = |function: &str, ts: i64| {
        format!(
            "SELECT start.ts, finish.ts FROM {function}((SELECT id FROM slice WHERE ts = {ts})) AS flow
             JOIN slice AS start ON start.id = slice_out JOIN slice AS finish ON finish.id = slice_in ORDER BY 1"
        )
    };
    for (function, ts, expected) in [
        ("following_flow", 0, vec![[5, 20], [30, 45], [50, 90]]),
        ("following_flow", 5, vec![[5, 20]]),
        ("following_flow", 45, vec![[50, 90]]),
        ("preceding_flow", 90, vec![[30, 45], [50, 90]]),
        ("preceding_flow", 50, vec![[30, 45]]),
        ("preceding_flow", 45, vec![[30, 45]]),
        ("directly_connected_flow", 45, vec![[30, 45]]),
        ("directly_connected_flow", 50, vec![[50, 90]]),
        ("directly_connected_flow", 0, vec![]),
    ] {
        let found = rows(&mut session, &times(function, ts));
        let expected: Vec<Vec<Value>> = expected
            .iter()
            .map(|row| row.map(Value::Integer).to_vec())
            .collect();
        assert_eq!(found, expected, "{function} from {ts}");
    }
    let names = ask(&mut session, "SELECT * FROM following_flow(NULL)")
        .unwrap()
        .names;
    assert_eq!(
        names,
        ["id", "slice_out", "slice_in", "trace_id", "arg_set_id"]
    );
}

#[test]
fn flat_slices_are_the_innermost_ones() {
    let sql = "INCLUDE PERFETTO MODULE slices.flat_slices;
        SELECT ts, dur, depth, root_id = slice_id, tid FROM _slice_flattened WHERE tid = 1 ORDER BY ts";
    let expected = [
        [0, 5, 0, 1, 1],
        [5, 10, 1, 0, 1],
        [15, 15, 0, 1, 1],
        [30, 10, 1, 0, 1],
        [40, 10, 0, 1, 1],
        [90, 5, 0, 1, 1],
    ];
    let expected = expected.map(|row| row.map(Value::Integer));
    assert_eq!(rows(&mut flows(), sql), expected);
}

#[test]
fn flows_are_followed_from_slice_to_slice() {
    let sql = "INCLUDE PERFETTO MODULE slices.flow;
        SELECT root.ts, node.ts, parent.ts FROM _slice_following_flow!((SELECT id FROM slice)) AS it
        JOIN slice AS root ON root.id = root_node_id JOIN slice AS node ON node.id = node_id
        LEFT JOIN slice AS parent ON parent.id = parent_node_id WHERE parent.ts IS NOT NULL ORDER BY 1";
    let expected = [[5, 20, 5], [30, 45, 30], [50, 90, 50]];
    let expected = expected.map(|row| row.map(Value::Integer));
    assert_eq!(rows(&mut flows(), sql), expected);
}

#[test]
fn stacks_are_the_same_where_all_names_are() {
    let mut session = session();
    // The category and the name of a slice, after those of all enclosing slices.
    let check = "INCLUDE PERFETTO MODULE slices.stack;
        WITH RECURSIVE
          frame AS (SELECT id, parent_id, hex(ifnull(category, '')) || '.' || hex(ifnull(name, '')) AS text FROM slice),
          path(id, text) AS (
            SELECT id, text FROM frame WHERE parent_id IS NULL
            UNION ALL
            SELECT frame.id, path.text || '/' || frame.text FROM path JOIN frame ON parent_id = path.id)
        SELECT count(*) = (SELECT count(*) FROM slice), count(DISTINCT text) = count(DISTINCT stack_id),
          count(DISTINCT stack_id || ' ' || text) = count(DISTINCT stack_id)
        FROM path JOIN slice_with_stack_id USING (id)";
    assert_eq!(rows(&mut session, check), [[1, 1, 1].map(Value::Integer)]);
    for (function, related) in [
        ("ancestor", "ancestor_slice"),
        ("descendant", "descendant_slice"),
    ] {
        let sql = format!(
            "WITH stack AS MATERIALIZED (
               SELECT stack_id AS it FROM slice_with_stack_id WHERE depth = 1 ORDER BY stack_id LIMIT 1),
             found AS MATERIALIZED (SELECT id FROM slice_with_stack_id WHERE stack_id = (SELECT it FROM stack)),
             expected AS (SELECT id FROM found UNION SELECT other.id FROM found, {related}(found.id) AS other),
             got AS (SELECT id FROM {function}_slice_by_stack((SELECT it FROM stack)))
             SELECT count(*) > 1, (SELECT count(*) FROM expected) = count(*), count(DISTINCT id) = count(*),
               sum(id NOT IN (SELECT id FROM expected)) FROM got"
        );
        assert_eq!(
            rows(&mut session, &sql),
            [[1, 1, 1, 0].map(Value::Integer)],
            "{function}"
        );
    }
}

/// ```text
/// track 0   aaaaa      c          row 0   aaaaaddddddc
///            aa                   row 1    aa   bb
/// track 1         bb
/// track 2        dddddd
/// ```
#[test]
fn slices_of_several_tracks_in_common_rows() {
    let mut out = TraceBuilder::new();
    let tracks = [0, 1, 2].map(|tid| {
        let utid = out.thread(tid + 7);
        out.thread_track(utid)
    });
    let mut slice = |track: usize, from: i64, to: i64, name: &str| {
        let name = out.intern(name.as_bytes());
        out.begin_slice(tracks[track], SliceBegin::named(from, name));
        to
    };
    let end = slice(0, 0, 5, "a");
    let inner = slice(0, 1, 3, "a within");
    out.end_slice(tracks[0], inner, None);
    out.end_slice(tracks[0], end, None);
    for (track, from, to, name) in [(0, 11, 12, "c"), (1, 6, 8, "b"), (2, 5, 11, "d")] {
        let name = out.intern(name.as_bytes());
        out.whole_slice(tracks[track], SliceBegin::named(from, name), to - from);
    }
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = "SELECT group_concat(name || ' ' || layout_depth) FROM (
          SELECT name, layout_depth FROM experimental_slice_layout((SELECT group_concat(DISTINCT track_id) FROM slice))
          JOIN slice USING (id) ORDER BY name)";
    let expected = "a 0,a within 1,b 1,c 0,d 0";
    assert_eq!(
        rows(&mut session, sql),
        [[Value::Text(expected.to_owned())]]
    );
    let sql = "SELECT count(*) FROM experimental_slice_layout('none, 99')";
    assert_eq!(rows(&mut session, sql), [[Value::Integer(0)]]);
    let error = ask(&mut session, "SELECT * FROM experimental_slice_layout(1)").unwrap_err();
    assert!(error.to_string().contains("as a text"), "{error}");
}
