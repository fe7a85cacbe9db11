//! Notes on SQL that is not wrong.

use traceloom_query::advice;

use crate::print::message;

/// Prints advice on SQL that finds less than its author expects.
pub(super) fn advise(sql: &str) {
    for sentence in advice(sql) {
        message!("note: {sentence}");
    }
}
