//! Tracks of counters.

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{ArgValue, StringId, TraceBuilder, TrackId, TrackType};

/// Adds a value of a counter of the whole machine.
pub(super) fn global(kind: TrackType, name: &str, ts: i64, value: u64, out: &mut TraceBuilder) {
    let name = out.intern(name.as_bytes());
    let track = out.global_track(kind, name);
    push(track, ts, value, out);
}

/// Adds a value of a counter of a CPU.
pub(super) fn of_cpu(
    (kind, cpu): (TrackType, u32),
    name: &str,
    ts: i64,
    value: u64,
    out: &mut TraceBuilder,
) {
    let name = out.intern(name.as_bytes());
    let track = out.cpu_track(kind, cpu, name);
    push(track, ts, value, out);
}

/// Adds a value. Only values above `i64::MAX` are rounded.
pub(crate) fn push(track: TrackId, ts: i64, value: u64, out: &mut TraceBuilder) {
    match i64::try_from(value) {
        Ok(value) => out.whole_counter(track, ts, value),
        Err(_) => out.counter(track, ts, value as f64),
    }
}

/// Text from a trace, for use in a name.
pub(super) fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Tracks of the whole machine that may have the same name, such as rails of two sessions.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    tracks: FxHashMap<(TrackType, u64, u64), TrackId>,
    taken: FxHashSet<TrackId>,
}

impl Distinct {
    /// The track with these `ids` among the tracks of its type. A new track gets these arguments.
    pub fn track(
        &mut self,
        (kind, name): (TrackType, StringId),
        ids: (u64, u64),
        args: &[(&str, ArgValue)],
        out: &mut TraceBuilder,
    ) -> TrackId {
        let taken = &mut self.taken;
        let known = self.tracks.entry((kind, ids.0, ids.1));
        *known.or_insert_with(|| {
            let mut track = out.global_track(kind, name);
            if !taken.insert(track) {
                track = out.lane_of(track);
            }
            let args = args
                .iter()
                .map(|(key, value)| (out.intern(key.as_bytes()), *value));
            let args: Vec<_> = args.collect();
            let args = out.args(args);
            out.set_track_args(track, args);
            track
        })
    }
}
