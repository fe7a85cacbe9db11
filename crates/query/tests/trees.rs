//! Trees as values: created from tables, and converted back to tables.

mod made;

use made::{ask, session};
use traceloom_query::Value;

#[test]
fn a_tree_has_the_nodes_of_its_table() {
    let sql = "INCLUDE PERFETTO MODULE std.trees.table_conversion;
      SELECT _tree_id, _tree_parent_id, id, parent_id, name, size FROM _tree_to_table!(
        _tree_from_table!((
          SELECT column1 AS id, column2 AS parent_id, column3 AS name, column4 AS size
          FROM (VALUES (10, NULL, 'root', 1), (30, 10, 'leaf', 2), (20, 10, 'branch', 3), (40, 20, 'twig', 4))
        ), (name, size)),
        (name, size)) ORDER BY id";
    let rows = ask(&mut session(), sql).unwrap().rows;
    let places: Vec<&Value> = rows.iter().map(|row| &row[0]).collect();
    for (row, parent) in rows.iter().zip([None, Some(0), Some(0), Some(1)]) {
        // The second column is the position of the parent.
        let expected = parent.map_or(Value::Null, |at: usize| places[at].clone());
        assert_eq!(row[1], expected);
    }
    let named: Vec<&[Value]> = rows.iter().map(|row| &row[2..]).collect();
    let node = |id, parent, name: &str, size| {
        [
            Value::Integer(id),
            parent,
            Value::Text(name.to_owned()),
            Value::Integer(size),
        ]
    };
    let below = Value::Integer;
    let expected = [
        node(10, Value::Null, "root", 1),
        node(20, below(10), "branch", 3),
        node(30, below(10), "leaf", 2),
        node(40, below(20), "twig", 4),
    ];
    assert_eq!(named, expected);
}
