//! The events that pass a filter. The list is cached for the next question about it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use traceloom_analyze::events::{EventFilter, EventName, event_names, field_keys};
use traceloom_trace::{StringId, Trace};

use crate::ask::Ask;
use crate::error::Answered;

/// The maximum number of fields that get a column.
const MOST_KEYS: usize = 40;
/// The number of rows between two checks whether the answer is still needed.
const STRIDE: usize = 1 << 16;

/// The names of events, and the list of the filter used last.
#[derive(Debug, Default)]
pub(crate) struct EventLists {
    names: OnceLock<Vec<EventName>>,
    last: Mutex<Option<(EventFilter, Arc<EventList>)>>,
}

/// The events that pass a filter, in order of time.
#[derive(Debug)]
pub(crate) struct EventList {
    /// Their rows in the event table; `None` if they are all rows from `first` on.
    rows: Option<Vec<u32>>,
    first: usize,
    /// The total number of events.
    pub total: usize,
    /// The fields of the events.
    pub keys: Vec<StringId>,
}

impl EventLists {
    /// The names of all events, counted at the first call.
    pub fn names(&self, trace: &Trace) -> &[EventName] {
        let count = || event_names(trace, &EventFilter::default());
        self.names.get_or_init(count)
    }

    /// The events that pass a filter.
    pub fn list(&self, trace: &Trace, ask: &Ask, filter: EventFilter) -> Answered<Arc<EventList>> {
        let kept = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, list)) = &*kept()
            && *of == filter
        {
            return Ok(Arc::clone(list));
        }
        let list = Arc::new(EventList::new(trace, ask, &filter)?);
        *kept() = Some((filter, Arc::clone(&list)));
        Ok(list)
    }

    /// Drops the list. Returns false if there is none.
    pub fn forget(&self) -> bool {
        let mut kept = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        kept.take().is_some()
    }
}

impl EventList {
    fn new(trace: &Trace, ask: &Ask, filter: &EventFilter) -> Answered<Self> {
        let keys = field_keys(trace, filter.rows(trace), MOST_KEYS);
        let span = filter.span(trace);
        if filter.takes_all() {
            let (first, total) = (span.start, span.len());
            let rows = None;
            return Ok(Self {
                rows,
                first,
                total,
                keys,
            });
        }
        let mut rows = Vec::new();
        for start in span.clone().step_by(STRIDE) {
            ask.check()?;
            let part = start..span.end.min(start + STRIDE);
            rows.extend(
                part.filter(|&row| filter.accepts(trace, row))
                    .map(|row| row as u32),
            );
        }
        Ok(Self {
            total: rows.len(),
            rows: Some(rows),
            first: 0,
            keys,
        })
    }

    /// The row of the event table at an index of the list.
    pub fn row(&self, place: usize) -> Option<u32> {
        match &self.rows {
            Some(rows) => rows.get(place).copied(),
            None => (place < self.total).then(|| (self.first + place) as u32),
        }
    }

    /// The index of a row of the event table in the list.
    pub fn place(&self, row: u32) -> Option<usize> {
        let place = match &self.rows {
            Some(rows) => rows.binary_search(&row).ok()?,
            None => (row as usize).checked_sub(self.first)?,
        };
        (place < self.total).then_some(place)
    }
}
