//! Real traces.

use std::collections::BTreeSet;
use std::path::Path;

use testkit::Corpus;
use traceloom_trace::RepairKind;

use crate::trip::trip;

/// The categories that hold ftrace text.
const CATEGORIES: &[&str] = &["ftrace-text", "systrace-html", "atrace-compressed"];

#[test]
fn real_traces_reach_a_fixed_point() {
    let Some(corpus) = Corpus::find() else { return };
    let mut found = BTreeSet::new();
    let mut checked = 0;
    for file in corpus.files(CATEGORIES) {
        let Some(trip) = trip(&file.read(), "ftrace") else {
            continue;
        };
        checked += 1;
        for (table, difference) in trip.differences() {
            println!("{} {table}: {difference}", file.name);
            found.insert((file.name.clone(), table));
        }
    }
    println!("{checked} real traces checked");
    assert!(checked > 30);
    assert!(found.is_empty(), "{found:?}");
}

/// Their kernel omitted a switch.
#[test]
fn examples_reach_a_fixed_point() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in ["linux.ftrace", "linux.html"] {
        let file = std::fs::read(folder.join(name)).unwrap();
        let trip = trip(&file, "ftrace").unwrap();
        assert!(trip.differences().is_empty(), "{:?}", trip.differences());
        for trace in &trip.tables {
            assert_eq!(trace.repairs.count(RepairKind::InferredSwitch), 1, "{name}");
        }
    }
}
