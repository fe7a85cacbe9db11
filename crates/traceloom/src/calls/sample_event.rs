//! Chooses the event whose samples are counted.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use traceloom_analyze::{RecordTables, SAMPLES};
use traceloom_trace::Trace;

use crate::print::plain;

/// The event with this name, or the only one whose name contains it. Empty for a trace without samples.
///
/// # Errors
/// If there is none, or more than one.
pub(super) fn sample_event<'t>(trace: &'t Trace, query: &str) -> Result<&'t str> {
    let tables = RecordTables::new(trace);
    if tables.of(trace, SAMPLES).is_empty() {
        return Ok("");
    }
    let events = tables.sample_events(trace);
    if let Some(event) = events.get(query) {
        return Ok(event);
    }
    let found = events.iter().copied().filter(|event| event.contains(query));
    let found: BTreeSet<_> = found.collect();
    match found.first() {
        Some(event) if found.len() == 1 => Ok(event),
        Some(_) => bail!(
            "--event {}: several events have this in their names: {}",
            plain(query),
            list(&found)
        ),
        None if events.is_empty() => {
            bail!("--event: the trace does not say at which events its samples were taken")
        }
        None => bail!(
            "--event {}: there is no such event, only {}",
            plain(query),
            list(&events)
        ),
    }
}

fn list(events: &BTreeSet<&str>) -> String {
    let events: Vec<_> = events.iter().map(|event| plain(event)).collect();
    events.join(", ")
}
