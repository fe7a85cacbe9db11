//! How often each name occurs in the whole trace.

use super::names::NameId;
use super::stats::NameStats;

/// The statistics of all names over the whole trace, tracks without a thread included.
#[derive(Debug, Default)]
pub struct Totals {
    stats: Vec<NameStats>,
    /// The place of each name in `stats`.
    places: Vec<u32>,
}

impl Totals {
    /// Indexes statistics by name; `names` is the number of names.
    pub(super) fn new(stats: Vec<NameStats>, names: usize) -> Self {
        let mut places = vec![u32::MAX; names];
        for (place, stats) in stats.iter().enumerate() {
            places[stats.name.row()] = place as u32;
        }
        Self { stats, places }
    }

    /// The statistics of a name; `None` for a name without slices.
    pub fn stats(&self, name: NameId) -> Option<&NameStats> {
        let place = *self.places.get(name.row())?;
        self.stats.get(place as usize)
    }
}
