//! Finds slices by name.

use std::ops::Range;

use serde::Deserialize;
use traceloom_trace::{CHUNK_ROWS, RowId, SliceId, Trace};

use super::Timeline;
use super::names::NameId;
use crate::parallel;
use crate::partition::first_index_not;
use crate::tree::TimeRange;

/// How to match a text in names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindMode {
    /// Anywhere in the name.
    #[serde(rename = "smart")]
    Part,
    /// At the start of the name.
    Prefix,
    /// As whole words: no letter, digit or underscore next to it.
    Word,
    /// The whole name.
    Exact,
}

/// A text to find. The search ignores case unless the text has a capital letter.
#[derive(Clone, Debug)]
pub struct Finder {
    text: String,
    mode: FindMode,
    /// Whether case is ignored.
    folds: bool,
}

impl Finder {
    /// Prepares a search for `text`. An empty text matches nothing.
    pub fn new(text: &str, mode: FindMode) -> Self {
        Self {
            text: text.to_owned(),
            mode,
            folds: !text.chars().any(char::is_uppercase),
        }
    }

    /// Whether `name` matches.
    pub fn finds(&self, name: &str) -> bool {
        match self.folds {
            true if name.is_ascii() => {
                self.in_bytes(name.as_bytes(), &|a, b| a.eq_ignore_ascii_case(&b))
            }
            true => self.in_bytes(name.to_lowercase().as_bytes(), &|a, b| a == b),
            false => self.in_bytes(name.as_bytes(), &|a, b| a == b),
        }
    }

    fn in_bytes(&self, name: &[u8], same: &dyn Fn(u8, u8) -> bool) -> bool {
        let text = self.text.as_bytes();
        let Some(last) = name
            .len()
            .checked_sub(text.len())
            .filter(|_| !text.is_empty())
        else {
            return false;
        };
        let is_word = |at: Option<&u8>| {
            at.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii())
        };
        let stands_at = |at: usize| {
            same(name[at], text[0]) && name[at..].iter().zip(text).all(|(a, b)| same(*a, *b))
        };
        match self.mode {
            FindMode::Part => (0..=last).any(stands_at),
            FindMode::Prefix => stands_at(0),
            FindMode::Exact => last == 0 && stands_at(0),
            FindMode::Word => (0..=last).any(|at| {
                let before = at.checked_sub(1).and_then(|at| name.get(at));
                stands_at(at) && !is_word(before) && !is_word(name.get(at + text.len()))
            }),
        }
    }
}

/// The slices found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Hits {
    /// The first slices, in order of time.
    pub first: Vec<SliceId>,
    /// The number of matches on each track.
    pub per_track: Vec<u64>,
}

impl Hits {
    /// The number of matches.
    pub fn total(&self) -> u64 {
        self.per_track.iter().sum()
    }
}

impl Timeline {
    /// The names that match.
    pub fn find_names(&self, trace: &Trace, finder: &Finder) -> Vec<NameId> {
        let mut found = Vec::new();
        for name in (0..self.names.len() as u32).map(NameId) {
            if finder.finds(&self.names.label(trace, name)) {
                found.push(name);
            }
        }
        found
    }

    /// Finds the slices with these names that overlap the range, on some tracks, and returns the first `limit`. `None`
    /// if `cancelled`.
    pub fn slices_of(
        &self,
        trace: &Trace,
        names: &[NameId],
        range: TimeRange,
        tracks: Option<&[bool]>,
        limit: usize,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Option<Hits> {
        let mut wanted = vec![false; self.names.len()];
        for name in names {
            if let Some(wanted) = wanted.get_mut(name.row()) {
                *wanted = true;
            }
        }
        let slices = &trace.slices;
        let is_wanted = |row: usize| wanted.get(self.names.of_slice(row).row()) == Some(&true);
        let is_whole = range == TimeRange::ALL;
        let is_in =
            |row: usize| is_whole || range.overlaps(slices.ts.get(row), self.end_of(trace, row));
        let part = |rows: Range<usize>| {
            let mut hits = Hits {
                first: Vec::new(),
                per_track: vec![0; trace.tracks.len()],
            };
            for chunk in rows.start / CHUNK_ROWS..rows.end.div_ceil(CHUNK_ROWS) {
                if cancelled() {
                    break;
                }
                let (first, track) = (chunk * CHUNK_ROWS, slices.track_id.chunk(chunk));
                let own = first.max(rows.start)..rows.end.min(first + CHUNK_ROWS);
                for row in own.filter(|&row| is_wanted(row) && !slices.is_instant(row)) {
                    let track = track.get(row - first).row();
                    if tracks.is_none_or(|tracks| tracks[track]) && is_in(row) {
                        hits.per_track[track] += 1;
                        if hits.first.len() < limit {
                            hits.first.push(SliceId::from_row(row));
                        }
                    }
                }
            }
            hits
        };
        let rows = if names.is_empty() {
            0
        } else {
            first_index_not(trace.slices.len(), |&row| {
                trace.slices.ts.get(row) < range.to_ns
            })
        };
        let all = parallel::merge_ranges(rows, &part, |all: &mut Hits, part: Hits| {
            let room = limit - all.first.len();
            all.first.extend(part.first.into_iter().take(room));
            all.per_track
                .iter_mut()
                .zip(part.per_track)
                .for_each(|(sum, more)| *sum += more);
        });
        (!cancelled()).then_some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smart_case_and_modes() {
        let finds = |text: &str, mode, name: &str| Finder::new(text, mode).finds(name);
        use FindMode::{Exact, Part, Prefix, Word};
        assert!(finds("doframe", Part, "Choreographer#doFrame"));
        assert!(finds("doFrame", Part, "Choreographer#doFrame"));
        assert!(!finds("DoFrame", Part, "Choreographer#doFrame"));
        assert!(finds("äpfel", Part, "Grüne ÄPFEL") && !finds("", Part, "x"));
        assert!(finds("chor", Prefix, "Choreographer") && !finds("hor", Prefix, "Choreographer"));
        assert!(finds("draw", Word, "View.draw()") && !finds("draw", Word, "drawing"));
        assert!(finds("draw", Exact, "Draw") && !finds("draw", Exact, "draws"));
        assert!(!finds("longer than it", Part, "short"));
    }
}
