//! The memory limit. It applies to the whole process, so this test has its own program.

mod made;

use made::{Rows, trace};
use traceloom_query::{Limits, QueryError, Session};

#[test]
fn a_query_cannot_use_more_memory_than_allowed() {
    let limit = 20_000_000;
    let limits = Limits {
        memory: Some(limit),
        ..Limits::default()
    };
    let mut session = Session::open(trace(), limits).unwrap();
    let sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 100000000) \
               SELECT x FROM n ORDER BY -x";
    let error = session.run("test", sql, &[], &mut Rows::default());
    let error = error.expect_err("the query is stopped");
    assert!(
        matches!(error, QueryError::Memory { limit: 20_000_000 }),
        "{error}"
    );
    let mut rows = Rows::default();
    session
        .run("test", "SELECT count(*) FROM slice", &[], &mut rows)
        .unwrap();
    assert_eq!(rows.rows.len(), 1);
}
