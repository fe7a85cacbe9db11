//! The meaning of `--limit`.

/// The number of rows to print. A `limit` of 0 means all rows. Without a limit, `whole` (for CSV and JSON) prints all
/// rows, and a table has the `usual` number.
pub fn most_rows(limit: Option<usize>, whole: bool, usual: usize) -> usize {
    match limit {
        Some(0) => usize::MAX,
        Some(limit) => limit,
        None if whole => usize::MAX,
        None => usual,
    }
}
