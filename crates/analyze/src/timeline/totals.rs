//! How often each name occurs in the whole trace.

use traceloom_trace::Trace;

use super::Timeline;
use super::names::NameId;
use super::range::{NameStats, RangeScope, by_name};

/// The numbers of all names over the whole trace, tracks of no thread included.
#[derive(Debug, Default)]
pub struct Totals {
    stats: Vec<NameStats>,
    /// The place of each name in `stats`.
    places: Vec<u32>,
}

impl Totals {
    pub(super) fn new(trace: &Trace, timeline: &Timeline) -> Self {
        let scope = RangeScope {
            all_tracks: true,
            ..RangeScope::default()
        };
        let found = by_name(trace, timeline, &scope, usize::MAX, &|| false);
        let (stats, _) = found.unwrap_or_default();
        let mut places = vec![u32::MAX; timeline.names.len()];
        for (place, stats) in stats.iter().enumerate() {
            places[stats.name.row()] = place as u32;
        }
        Self { stats, places }
    }

    /// A name's numbers; `None` for a name without slices.
    pub fn of(&self, name: NameId) -> Option<&NameStats> {
        let place = *self.places.get(name.row())?;
        self.stats.get(place as usize)
    }
}
