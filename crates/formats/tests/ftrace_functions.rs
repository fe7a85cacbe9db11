//! Calls of functions whose begins or ends are lost.

mod common;

use common::{read, slices};
use traceloom_trace::RepairKind;

#[test]
fn an_end_closes_the_call_of_its_name() {
    let trace = read(
        "\
a-1 [000] .... 1.000001: funcgraph_entry:                   |  outer() {
a-1 [000] .... 1.000002: funcgraph_entry:                   |    inner() {
a-1 [000] .... 1.000004: funcgraph_exit:         3.000 us   |    } /* earlier */
a-1 [000] .... 1.000006: funcgraph_exit:         5.000 us   |  } /* outer */
a-1 [000] .... 1.000007: funcgraph_entry:                   |  next() {
a-1 [000] .... 1.000008: funcgraph_exit:         1.000 us   |  }
",
    );
    assert_eq!(
        slices(&trace),
        [
            "t1:functions/0 outer 1000001+5",
            "t1:functions/1 inner 1000002+4",
            "t1:functions/0 next 1000007+1",
        ]
    );
    assert_eq!(trace.repairs.count(RepairKind::MissingExit), 1);
    assert_eq!(trace.repairs.count(RepairKind::UnmatchedEnd), 1);
}
