//! Percentages.

/// `part` in percent of `whole`; 0 if there is no whole, or if it is 0.
pub fn percent(part: impl Into<Option<i64>>, whole: impl Into<Option<i64>>) -> f64 {
    match (part.into(), whole.into()) {
        (Some(part), Some(whole)) if whole > 0 => part as f64 * 100.0 / whole as f64,
        _ => 0.0,
    }
}
