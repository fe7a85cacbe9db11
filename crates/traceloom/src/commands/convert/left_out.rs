//! Reports data that a format cannot hold.

use traceloom_formats::{Omission, Writer, Written};

use crate::print::thousands;

/// The message about data that the format cannot hold.
pub fn left_out(written: &Written, writer: &dyn Writer) -> Option<String> {
    let words =
        |&(kind, count): &(Omission, u64)| format!("{} {}", thousands(count), kind.words(count));
    let list: Vec<String> = written.omitted.iter().map(words).collect();
    let ending = writer.extensions().first()?;
    (!list.is_empty()).then(|| {
        format!(
            "left out, because .{ending} cannot hold it: {}",
            list.join(", ")
        )
    })
}
