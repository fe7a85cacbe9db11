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

/// The slices to find.
#[derive(Clone, Copy, Debug)]
pub struct SliceQuery<'a> {
    /// Their names.
    pub names: &'a [NameId],
    /// The range that they overlap.
    pub range: TimeRange,
    /// Whether to search each track, by its id; all of them if `None`. Tracks after the last are not searched.
    pub tracks: Option<&'a [bool]>,
    /// The maximum number of slices in [`Hits::first`].
    pub limit: usize,
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

    fn add(&mut self, row: usize, track: usize, limit: usize) {
        if let Some(count) = self.per_track.get_mut(track) {
            *count += 1;
        }
        if self.first.len() < limit {
            self.first.push(SliceId::from_row(row));
        }
    }

    /// Adds the matches of later rows.
    fn append(&mut self, later: Hits, limit: usize) {
        let room = limit - self.first.len();
        self.first.extend(later.first.into_iter().take(room));
        for (count, more) in self.per_track.iter_mut().zip(later.per_track) {
            *count += more;
        }
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

    /// Finds slices. `None` if `cancelled`.
    pub fn slices_of(
        &self,
        trace: &Trace,
        query: &SliceQuery<'_>,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Option<Hits> {
        let search = Search {
            timeline: self,
            trace,
            query,
            is_wanted: self.marks_of(query.names),
            cancelled,
        };
        let all = parallel::merge_ranges(
            search.rows(),
            &|rows| search.hits_in(rows),
            |all: &mut Hits, part| all.append(part, query.limit),
        );
        (!cancelled()).then_some(all)
    }

    /// Whether each name is one of `names`.
    fn marks_of(&self, names: &[NameId]) -> Vec<bool> {
        let mut marks = vec![false; self.names.len()];
        for name in names {
            if let Some(mark) = marks.get_mut(name.row()) {
                *mark = true;
            }
        }
        marks
    }
}

/// A search through the slices of a trace.
struct Search<'a> {
    timeline: &'a Timeline,
    trace: &'a Trace,
    query: &'a SliceQuery<'a>,
    /// Whether slices with this name are wanted.
    is_wanted: Vec<bool>,
    cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl Search<'_> {
    /// The number of slices that begin before the end of the range. Others cannot match.
    fn rows(&self) -> usize {
        if self.query.names.is_empty() {
            return 0;
        }
        let slices = &self.trace.slices;
        first_index_not(slices.len(), |&row| {
            slices.ts.get(row) < self.query.range.to_ns
        })
    }

    fn hits_in(&self, rows: Range<usize>) -> Hits {
        let mut hits = Hits {
            first: Vec::new(),
            per_track: vec![0; self.trace.tracks.len()],
        };
        for chunk in rows.start / CHUNK_ROWS..rows.end.div_ceil(CHUNK_ROWS) {
            if (self.cancelled)() {
                break;
            }
            let first = chunk * CHUNK_ROWS;
            let own = first.max(rows.start)..rows.end.min(first + CHUNK_ROWS);
            self.add_chunk(chunk, own, &mut hits);
        }
        hits
    }

    /// Adds the matches of rows that belong to one chunk.
    fn add_chunk(&self, chunk: usize, rows: Range<usize>, hits: &mut Hits) {
        let slices = &self.trace.slices;
        let tracks = slices.track_id.chunk(chunk);
        for row in rows.filter(|&row| self.has_name(row) && !slices.is_instant(row)) {
            let track = tracks.get(row % CHUNK_ROWS).row();
            if self.has_track(track) && self.is_in_range(row) {
                hits.add(row, track, self.query.limit);
            }
        }
    }

    fn has_name(&self, row: usize) -> bool {
        let name = self.timeline.names.of_slice(row);
        self.is_wanted.get(name.row()) == Some(&true)
    }

    fn has_track(&self, track: usize) -> bool {
        let tracks = self.query.tracks;
        tracks.is_none_or(|tracks| tracks.get(track) == Some(&true))
    }

    fn is_in_range(&self, row: usize) -> bool {
        let range = self.query.range;
        let end_ns = || self.timeline.end_of(self.trace, row);
        range == TimeRange::ALL || range.overlaps(self.trace.slices.ts.get(row), end_ns())
    }
}

#[cfg(test)]
mod tests {
    use traceloom_trace::{SliceBegin, TraceBuilder};

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

    /// A trace with a slice of 10 ns on each of two threads.
    fn two_tracks() -> Trace {
        let mut builder = TraceBuilder::new();
        let name = builder.intern(b"work");
        for (tid, ts) in [(1, 100), (2, 200)] {
            let thread = builder.thread(tid);
            let track = builder.thread_track(thread);
            builder.whole_slice(track, SliceBegin::named(ts, name), 10);
        }
        builder.finish()
    }

    #[test]
    fn a_short_list_of_tracks_is_no_panic() {
        let trace = two_tracks();
        let timeline = Timeline::new(&trace);
        let names = timeline.find_names(&trace, &Finder::new("work", FindMode::Exact));
        let total = |tracks| {
            let query = SliceQuery {
                names: &names,
                range: TimeRange::ALL,
                tracks,
                limit: 1,
            };
            let hits = timeline.slices_of(&trace, &query, &|| false).unwrap();
            (hits.total(), hits.first.len())
        };
        assert_eq!(total(None), (2, 1));
        assert_eq!(total(Some(&[])), (0, 0));
        let all = vec![true; trace.tracks.len()];
        assert_eq!(total(Some(&all)), (2, 1));
        assert_eq!(total(Some(&all[..all.len() - 1])), (1, 1));
    }
}
