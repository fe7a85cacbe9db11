//! Asynchronous slices whose cookie is reused at the time at which they end. The end is written before the next begin,
//! because an end closes the slice that began last.

use rustc_hash::FxHashSet;
use traceloom_trace::{ArgSetId, ArgValue, NO_DURATION, RowId, SliceId, StringId, Trace, TrackId};

use crate::ftrace::marker::{BEGIN_COUNT, COOKIE, LAST_BEGIN};

/// The values that a begin and its end share.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key {
    /// The track whose lanes hold the slice.
    track: u32,
    is_text: bool,
    cookie: i64,
}

/// The slices with a cookie and a duration other than 0, by cookie, time and row.
#[derive(Debug, Default)]
pub(super) struct Again {
    begins: Vec<(Key, i64, u32)>,
}

impl Again {
    pub fn new(trace: &Trace) -> Self {
        if trace.strings.lookup(COOKIE).is_none() {
            return Self::default();
        }
        let slices = trace.slices.rows().enumerate();
        let slices = slices.filter(|(_, slice)| slice.dur != 0);
        let begins = slices.filter_map(|(row, slice)| {
            let key = key(trace, slice.track_id, slice.arg_set_id)?;
            Some((key, slice.ts, row as u32))
        });
        let mut begins: Vec<_> = begins.collect();
        begins.sort_unstable();
        Self { begins }
    }

    /// The slice that begins with the same cookie at `end`, where `slice` ends.
    pub fn follows(&self, trace: &Trace, slice: SliceId, end: i64) -> Option<SliceId> {
        if self.begins.is_empty() {
            return None;
        }
        let slices = &trace.slices;
        let (track, args) = (
            slices.track_id.get(slice.row()),
            slices.arg_set_id.get(slice.row()),
        );
        let key = key(trace, track, args)?;
        let next = self
            .begins
            .partition_point(|begin| *begin <= (key, end, slice.0));
        let next = self.begins.get(next)?;
        (next.0 == key && next.1 == end).then_some(SliceId(next.2))
    }

    /// The slices that begin while another one with their cookie and their name is open. Of such begins, a reader
    /// keeps only the first one, so these slices need other cookies.
    pub fn overlapping(&self, trace: &Trace) -> FxHashSet<SliceId> {
        let mut found = FxHashSet::default();
        for same in self.begins.chunk_by(|a, b| a.0 == b.0) {
            let mut open_until = i64::MIN;
            for (_, ts, row) in same {
                let dur = trace.slices.dur.get(*row as usize);
                let end = if dur == NO_DURATION {
                    i64::MAX
                } else {
                    ts.saturating_add(dur)
                };
                if *ts < open_until && !is_nestable(trace, *row as usize) {
                    found.insert(SliceId(*row));
                } else {
                    open_until = end;
                }
            }
        }
        found
    }
}

/// Whether a reader keeps slices of this track with the same cookie apart (`G|` and `H|`).
fn is_nestable(trace: &Trace, row: usize) -> bool {
    let track = trace.slices.track_id.get(row);
    !trace.tracks.kind.get(track.row()).is_process_async()
}

/// How often an asynchronous slice began again while it was open, and the last time.
pub(super) fn repeats(trace: &Trace, slice: SliceId) -> Option<(usize, i64)> {
    let [count, last] = [BEGIN_COUNT, LAST_BEGIN].map(|key| trace.strings.lookup(key));
    let (count, last) = (count?, last?);
    let args = || trace.args.set(trace.slices.arg_set_id.get(slice.row()));
    let number = |wanted: StringId| {
        args().find_map(|arg| match arg {
            (key, ArgValue::Int(number)) if key == wanted => Some(number),
            _ => None,
        })
    };
    let again = number(count)?.checked_sub(1)?;
    let again = usize::try_from(again).ok()?;
    Some((again, number(last)?))
}

fn key(trace: &Trace, track: TrackId, args: ArgSetId) -> Option<Key> {
    let parent = trace.tracks.parent.get(track.row());
    let (is_text, cookie) = trace.args.set(args).find_map(|(key, value)| match value {
        _ if trace.strings.get(key) != COOKIE => None,
        ArgValue::Int(cookie) => Some((false, cookie)),
        ArgValue::Text(cookie) => Some((true, i64::from(cookie.0))),
        _ => None,
    })?;
    Some(Key {
        track: parent.some().unwrap_or(track).0,
        is_text,
        cookie,
    })
}
