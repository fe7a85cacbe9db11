//! Chooses the event whose samples are counted.

use std::collections::BTreeSet;

use traceloom_trace::Trace;

use crate::record_tables::{RecordTables, SAMPLES};

/// Why [`RecordTables::sample_event`] finds no event.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SampleEventError {
    /// The events of the trace have no names.
    #[error("the trace does not say at which events its samples were taken")]
    Unnamed,
    /// No name contains the text. The names of all events.
    #[error("there is no such event, only {}", .0.join(", "))]
    Unknown(Vec<String>),
    /// Several names contain the text.
    #[error("several events have this in their names: {}", .0.join(", "))]
    Several(Vec<String>),
}

impl RecordTables {
    /// The event with this name, or the only event whose name contains the text. Returns an empty name if the trace has no
    /// samples.
    ///
    /// # Errors
    /// If there is none, or more than one.
    pub fn sample_event<'t>(
        &self,
        trace: &'t Trace,
        query: &str,
    ) -> Result<&'t str, SampleEventError> {
        if self.of(trace, SAMPLES).is_empty() {
            return Ok("");
        }
        let events = self.sample_events(trace);
        if let Some(event) = events.get(query) {
            return Ok(event);
        }
        let found = events.iter().copied().filter(|event| event.contains(query));
        let found: BTreeSet<_> = found.collect();
        match found.first() {
            Some(event) if found.len() == 1 => Ok(event),
            Some(_) => Err(SampleEventError::Several(names(&found))),
            None if events.is_empty() => Err(SampleEventError::Unnamed),
            None => Err(SampleEventError::Unknown(names(&events))),
        }
    }
}

fn names(events: &BTreeSet<&str>) -> Vec<String> {
    events.iter().map(|event| (*event).to_owned()).collect()
}
