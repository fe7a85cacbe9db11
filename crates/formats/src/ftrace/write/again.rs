//! Asynchronous slices whose cookie is reused at the time at which they end. The end is written before the next begin,
//! because an end closes the slice that began last.

use traceloom_trace::{ArgSetId, ArgValue, RowId, SliceId, Trace, TrackId};

use crate::ftrace::marker::COOKIE;

/// What a begin and its end share.
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
