//! docs/trace-model.md lists every repair, in the words the program uses.

use std::path::Path;

use traceloom_trace::RepairKind;

#[test]
fn the_documented_repairs_are_those_of_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/trace-model.md");
    let text = std::fs::read_to_string(path).unwrap();
    let documented: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("| `") && line.matches('|').count() == 4)
        .collect();
    let expected: Vec<String> = RepairKind::ALL
        .iter()
        .map(|kind| {
            format!(
                "| `{}` | {} | {} |",
                kind.name(),
                kind.severity().name(),
                kind.explanation()
            )
        })
        .collect();
    assert_eq!(
        documented,
        expected,
        "write this into docs/trace-model.md:\n{}",
        expected.join("\n")
    );
}
