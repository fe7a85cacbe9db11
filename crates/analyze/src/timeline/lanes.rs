//! The slices of each track and level, in order of time, except instants.

use std::ops::Range;

use traceloom_trace::{RowId, SliceId, Trace, TrackId};

use super::downsample::Spans;
use super::ends::Ends;
use super::reach::Reach;
use crate::parallel;
use crate::partition::first_index_not;

/// Slices sorted by (track, level, time):
///
/// ```text
/// track 0      |   track 1                       first_lane: 0 2 5
/// level 0   1  |   0     1     2                 (lanes: one a track and level)
/// [ 0 3 ][ 1 ] | [ 2 6 ][ 4 ][ 5 ]               starts: 0 2 3 5 6 7
/// ```
/// Within a lane, ids increase because slices are sorted by time. Usually the slices of a lane do
/// not overlap, and the children of a slice are those of the next level up to its next sibling. If
/// time stepped back in the input, neither is guaranteed; such lanes and tracks are marked, and
/// lookups in them are slower.
#[derive(Debug, Default)]
pub struct Lanes {
    first_lane: Vec<u32>,
    starts: Vec<u32>,
    ids: Vec<u32>,
    ts: Vec<i64>,
    /// The latest ends in lanes whose slices overlap.
    reach: Reach,
    /// Tracks on which a slice does not directly follow its parent, or ends after it.
    tangled: Vec<bool>,
}

impl Lanes {
    /// Sorts by counting, in three passes over the slices.
    pub fn new(trace: &Trace, ends: &Ends) -> Self {
        let tracks = trace.tracks.len();
        let mut first_lane = Vec::with_capacity(tracks + 1);
        let mut lanes = 0u32;
        for track in 0..tracks {
            first_lane.push(lanes);
            // A track cannot have more levels than slices.
            let span = ends.span(track);
            lanes += span.levels.min(span.slices);
        }
        first_lane.push(lanes);
        let spans = trace.slices.span_count();
        let mut this = Self {
            first_lane,
            starts: vec![0; lanes as usize + 1],
            ids: vec![0; spans],
            ts: vec![0; spans],
            reach: Reach::default(),
            tangled: vec![false; tracks],
        };
        this.count(trace);
        this.fill(trace, ends);
        this
    }

    #[inline]
    fn lane_of(&self, trace: &Trace, row: usize) -> (usize, u32) {
        let track = trace.slices.track_id.get(row).row();
        (
            track,
            lane_of(&self.first_lane, track, trace.slices.depth.get(row)),
        )
    }

    fn count(&mut self, trace: &Trace) {
        for row in trace.slices.spans() {
            let (_, lane) = self.lane_of(trace, row);
            self.starts[lane as usize + 1] += 1;
        }
        for lane in 1..self.starts.len() {
            self.starts[lane] += self.starts[lane - 1];
        }
    }

    fn fill(&mut self, trace: &Trace, ends: &Ends) {
        for lane in self.put(trace, ends) {
            let (start, end) = (self.starts[lane as usize], self.starts[lane as usize + 1]);
            let rows = &self.ids[start as usize..end as usize];
            self.reach.push(lane, rows, &|row| ends.end_of(trace, row));
        }
    }

    /// Puts slices into their lanes. Each thread handles some of the tracks. Returns the lanes in
    /// which slices overlap.
    fn put(&mut self, trace: &Trace, ends: &Ends) -> Vec<u32> {
        let shares = self.shares(parallel::split(trace.slices.len(), usize::MAX).len());
        let (mut ids, mut ts) = (&mut self.ids[..], &mut self.ts[..]);
        let mut tangled = &mut self.tangled[..];
        let shares = shares.into_iter().map(|tracks| {
            let lanes = [tracks.start, tracks.end].map(|track| self.first_lane[track] as usize);
            let [from, to] = lanes.map(|lane| self.starts[lane] as usize);
            Share {
                first_lane: &self.first_lane,
                starts: &self.starts,
                ids: ids.split_off_mut(..to - from).unwrap_or_default(),
                ts: ts.split_off_mut(..to - from).unwrap_or_default(),
                tangled: tangled.split_off_mut(..tracks.len()).unwrap_or_default(),
                tracks,
            }
        });
        parallel::map(shares.collect(), &|share: Share<'_>| {
            share.fill(trace, ends)
        })
        .concat()
    }

    /// Splits the tracks into `parts` parts with about the same number of slices.
    fn shares(&self, parts: usize) -> Vec<Range<usize>> {
        let tracks = self.tangled.len();
        let first_slice = |&track: &usize| self.starts[self.first_lane[track] as usize] as usize;
        let cut = |part: usize| {
            if part == parts {
                tracks
            } else {
                first_index_not(tracks, |track| {
                    first_slice(track) < self.ids.len() / parts * part
                })
            }
        };
        (0..parts).map(|part| cut(part)..cut(part + 1)).collect()
    }

    /// The number of levels of a track.
    pub fn levels(&self, track: TrackId) -> u32 {
        self.first_lane[track.row() + 1] - self.first_lane[track.row()]
    }

    /// The slices of one level; empty for a level that the track does not have.
    pub fn lane<'t>(
        &'t self,
        trace: &'t Trace,
        ends: &'t Ends,
        track: TrackId,
        level: u32,
    ) -> Lane<'t> {
        let lane = self.first_lane[track.row()].saturating_add(level);
        let (start, end) = if lane < self.first_lane[track.row() + 1] {
            (self.starts[lane as usize], self.starts[lane as usize + 1])
        } else {
            (0, 0)
        };
        let places = start as usize..end as usize;
        Lane {
            trace,
            ends,
            ids: &self.ids[places.clone()],
            ts: &self.ts[places],
            reach: self.reach.of_group(lane).filter(|_| start < end),
        }
    }

    /// Whether children must be searched by their parent's number.
    pub fn is_tangled(&self, track: TrackId) -> bool {
        self.tangled[track.row()]
    }

    /// All slices of a track, level by level.
    pub fn rows_of(&self, track: TrackId) -> &[u32] {
        let lanes = [track.row(), track.row() + 1].map(|track| self.first_lane[track] as usize);
        let [start, end] = lanes.map(|lane| self.starts[lane] as usize);
        &self.ids[start..end]
    }

    /// The level of a slice on its track.
    pub fn level_of(&self, trace: &Trace, row: usize) -> u32 {
        let (track, lane) = self.lane_of(trace, row);
        lane - self.first_lane[track]
    }

    /// The slices directly inside `row`, in order of time.
    pub fn children<'t>(
        &'t self,
        trace: &'t Trace,
        ends: &'t Ends,
        row: usize,
    ) -> impl Iterator<Item = u32> + 't {
        let track = trace.slices.track_id.get(row);
        let level = self.level_of(trace, row);
        let below = self.lane(trace, ends, track, level + 1).ids;
        let mut candidates = below;
        if !self.is_tangled(track) {
            let own = self.lane(trace, ends, track, level).ids;
            let next = own.partition_point(|&id| id as usize <= row);
            let until = own.get(next).copied().unwrap_or(u32::MAX);
            let first = below.partition_point(|&id| (id as usize) < row);
            let last = below.partition_point(|&id| id < until);
            candidates = &below[first..last.max(first)];
        }
        let is_child = move |id: &u32| trace.slices.parent_id.get(*id as usize).row() == row;
        candidates.iter().copied().filter(is_child)
    }

    /// Memory used, bytes.
    pub fn heap_bytes(&self) -> usize {
        (self.first_lane.capacity() + self.starts.capacity() + self.ids.capacity()) * 4
            + self.ts.capacity() * 8
            + self.tangled.capacity()
            + self.reach.heap_bytes()
    }
}

/// Some tracks while their slices are put into lanes.
struct Share<'a> {
    tracks: Range<usize>,
    first_lane: &'a [u32],
    starts: &'a [u32],
    /// The part of the array that belongs to these tracks.
    ids: &'a mut [u32],
    ts: &'a mut [i64],
    tangled: &'a mut [bool],
}

impl Share<'_> {
    /// Goes through all slices, because those of one track are not contiguous. Returns the lanes in
    /// which slices overlap.
    fn fill(self, trace: &Trace, ends: &Ends) -> Vec<u32> {
        let lanes = [self.tracks.start, self.tracks.end].map(|track| self.first_lane[track]);
        let [first, end] = lanes.map(|lane| lane as usize);
        let starts = self.starts[first..end].iter();
        let mut next: Vec<u32> = starts.map(|start| start - self.starts[first]).collect();
        let mut last = vec![Last::NONE; end - first];
        // For each track, the number of levels on which the newest slice contains the next one.
        let mut open = vec![0u32; self.tangled.len()];
        for row in trace.slices.spans() {
            let track = trace.slices.track_id.get(row).row();
            if !self.tracks.contains(&track) {
                continue;
            }
            let lane = lane_of(self.first_lane, track, trace.slices.depth.get(row));
            let (ts, end) = (trace.slices.ts.get(row), ends.end_of(trace, row));
            let (at, id) = (lane as usize - first, SliceId(row as u32));
            let place = next[at] as usize;
            next[at] += 1;
            (self.ids[place], self.ts[place]) = (id.0, ts);
            let Last {
                reach, overlaps, ..
            } = last[at];
            last[at] = Last {
                id,
                end,
                reach: reach.max(end),
                overlaps: overlaps | (ts < reach),
            };
            let parent = trace.slices.parent_id.get(row);
            let level = lane - self.first_lane[track];
            let is_within = match level {
                0 => parent == SliceId::NONE,
                _ => last[at - 1].id == parent && end <= last[at - 1].end,
            };
            let track = track - self.tracks.start;
            self.tangled[track] |= !is_within || level > open[track];
            open[track] = level + 1;
        }
        let lanes = last.iter().zip(first as u32..);
        let overlapping = lanes.filter(|(last, _)| last.overlaps);
        overlapping.map(|(_, lane)| lane).collect()
    }
}

/// The lane of a track at a depth. A track that has only instants has no lanes.
#[inline]
fn lane_of(first_lane: &[u32], track: usize, depth: u32) -> u32 {
    let first = first_lane[track];
    first + depth.min((first_lane[track + 1] - first).saturating_sub(1))
}

/// The newest slice of a lane.
#[derive(Clone, Copy)]
struct Last {
    id: SliceId,
    end: i64,
    /// The latest end so far.
    reach: i64,
    /// Whether a slice began before the end of an earlier one.
    overlaps: bool,
}

impl Last {
    const NONE: Self = Self {
        id: SliceId::NONE,
        end: i64::MIN,
        reach: i64::MIN,
        overlaps: false,
    };
}

/// The slices of one level of a track.
#[derive(Clone, Copy)]
pub struct Lane<'t> {
    trace: &'t Trace,
    ends: &'t Ends,
    ids: &'t [u32],
    ts: &'t [i64],
    reach: Option<&'t [i64]>,
}

impl<'t> Lane<'t> {
    /// Slices each of which ends before the next one starts: their rows and starts.
    pub(super) fn in_turn(trace: &'t Trace, ends: &'t Ends, ids: &'t [u32], ts: &'t [i64]) -> Self {
        Self {
            trace,
            ends,
            ids,
            ts,
            reach: None,
        }
    }

    /// The slices' rows in order of time.
    pub fn ids(&self) -> &'t [u32] {
        self.ids
    }

    /// The number of slices from index `from` on that start before `ts`.
    pub fn count_before(&self, ts: i64, from: usize) -> usize {
        let rest = self.ts.get(from..).unwrap_or(&[]);
        rest.partition_point(|start| *start < ts)
    }

    /// Whether a slice begins before an earlier one ends.
    pub fn overlaps(&self) -> bool {
        self.reach.is_some()
    }

    /// The index of a slice in its lane.
    pub fn place_of(&self, row: usize) -> Option<usize> {
        self.ids.binary_search(&(row as u32)).ok()
    }
}

impl Spans for Lane<'_> {
    fn count(&self) -> usize {
        self.ids.len()
    }

    fn start(&self, at: usize) -> i64 {
        self.ts[at]
    }

    fn end(&self, at: usize) -> i64 {
        self.ends.end_of(self.trace, self.ids[at] as usize)
    }

    fn reach(&self, at: usize) -> Option<i64> {
        self.reach.map(|reach| reach[at])
    }
}
