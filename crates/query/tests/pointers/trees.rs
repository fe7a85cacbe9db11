//! Trees and profiles as values.

use crate::made::{ask, session};
use traceloom_query::Value;

use crate::{read, rows, shown, values};

#[test]
fn trees_put_parents_first() {
    let mut session = session();
    let tree = values(
        "id, parent_id, self_size, native_size, self_count",
        "(7, 3, 5, 1, 1), (3, NULL, 2, 0, NULL), (4, 7, 1, 1, 1), (9, 3, 4, 0, 2)",
    );
    let collected = format!(
        "(SELECT __intrinsic_tree_from_table('id', id, 'parent_id', parent_id, 'self_size', self_size,
           'native_size', native_size, 'self_count', self_count) FROM {tree})"
    );
    let table = format!("__intrinsic_tree_to_table({collected})");
    let sql = read(&table, &["_tree_id", "_tree_parent_id", "id", "self_size"]);
    assert_eq!(
        shown(&mut session, &sql),
        ["0 NULL 3 2", "1 0 7 5", "2 0 9 4", "3 1 4 1"]
    );
    let table = format!("__intrinsic_tree_dominator_summary({collected})");
    let columns = [
        "id",
        "idom_id",
        "dominated_obj_count",
        "dominated_size_bytes",
        "dominated_native_size_bytes",
        "depth",
    ];
    let expected = [
        "3 NULL 4 12 2 1",
        "7 3 2 6 2 2",
        "9 3 2 4 0 2",
        "4 7 1 1 1 3",
    ];
    assert_eq!(shown(&mut session, &read(&table, &columns)), expected);
    for (rows, reason) in [
        ("(1, 2), (2, 1)", "its own ancestor"),
        ("(1, NULL), (1, NULL)", "the same id"),
        ("(1, 5)", "no node 5"),
        ("('a', NULL)", "whole number"),
    ] {
        let tree = values("id, parent_id", rows);
        let sql = format!(
            "SELECT __intrinsic_tree_to_table((SELECT __intrinsic_tree_from_table('id', id, 'parent_id', parent_id) FROM {tree}))"
        );
        let error = ask(&mut session, &sql).expect_err(&sql).to_string();
        assert!(error.contains(reason), "{sql}: {error}");
    }
}

#[test]
fn stacks_become_profiles() {
    let mut session = session();
    let sql = "SELECT cat_stacks('a', cat_stacks('b', NULL), 'c')";
    // The innermost frame comes first: entries (field 1) with a name (field 1).
    let stack = [10, 3, 10, 1, b'c', 10, 3, 10, 1, b'b', 10, 3, 10, 1, b'a'];
    assert_eq!(rows(&mut session, sql), [[Value::Blob(stack.to_vec())]]);
    let sql = "SELECT experimental_profile(cat_stacks('m', column1), 'time', 'ns', column2)
               FROM (VALUES ('a', 5), ('a', 300), (NULL, 1))";
    // Texts: "", time, ns, a, m. Locations and functions have the number of their name plus one.
    let expected: &[&[u8]] = &[
        &[10, 4, 8, 1, 16, 2],
        &[18, 8, 10, 2, 4, 5, 18, 2, 0xb1, 2],
        &[18, 6, 10, 1, 5, 18, 1, 1],
        &[34, 6, 8, 4, 34, 2, 8, 4],
        &[42, 4, 8, 4, 16, 3],
        &[34, 6, 8, 5, 34, 2, 8, 5],
        &[42, 4, 8, 5, 16, 4],
        &[50, 0],
        b"\x32\x04time",
        b"\x32\x02ns",
        b"\x32\x01a",
        b"\x32\x01m",
    ];
    assert_eq!(rows(&mut session, sql), [[Value::Blob(expected.concat())]]);
    for (sql, reason) in [
        ("SELECT experimental_profile('a')", "not a stack"),
        ("SELECT experimental_profile(x'0a05')", "not a stack"),
        (
            "SELECT experimental_profile(cat_stacks('a'), 'x')",
            "takes a stack",
        ),
        (
            "SELECT experimental_profile(cat_stacks('a'), 'x', 'y', 'z')",
            "whole numbers",
        ),
        ("SELECT cat_stacks(1)", "stacks and texts"),
        (
            "SELECT stack_from_stack_profile_frame(3)",
            "there is no frame 3",
        ),
    ] {
        let error = ask(&mut session, sql).expect_err(sql).to_string();
        assert!(error.contains(reason), "{sql}: {error}");
    }
}
