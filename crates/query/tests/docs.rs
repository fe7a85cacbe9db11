//! The table reference in docs/sql.md equals the one generated from the declarations.

use std::path::Path;

const MARK: &str = "<!-- made by UPDATE_DOCS=1 cargo test -p traceloom-query --test docs -->\n";

#[test]
fn the_reference_is_up_to_date() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/sql.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let (before, reference) = text.split_once(MARK).expect("the page has the mark");
    let made = format!("\n{}", traceloom_query::reference().trim_end()) + "\n";
    if reference != made && std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&page, [before, MARK, &made].concat()).unwrap();
        return;
    }
    assert!(
        reference == made,
        "docs/sql.md is out of date: run UPDATE_DOCS=1 cargo test -p traceloom-query --test docs"
    );
}
