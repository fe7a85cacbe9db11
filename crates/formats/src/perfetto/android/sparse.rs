//! Counters that are recorded as deltas, and only where they changed: CPU time per uid, and wakelocks.
//!
//! ```text
//! packets at    10   20   30   40        written
//! differences  100    –    –    5        10: 100, 30: 100, 40: 105
//! ```
//! Counters that are missing in a packet are unchanged at its time.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{ArgValue, NO_TIME, TraceBuilder, TrackId, TrackType};

use super::super::tally::Tally;
use super::super::wire::{Field, Fields};

/// The last value of a counter, and when it was written.
struct Last {
    value: u64,
    written: i64,
}

/// Writes counters only where they change.
#[derive(Default)]
struct Counters {
    values: FxHashMap<TrackId, Last>,
    /// The timestamp of the previous packet, ns.
    before: i64,
}

impl Counters {
    fn push(&mut self, track: TrackId, ts: i64, value: u64, out: &mut TraceBuilder) {
        if let Some(last) = self.values.get(&track) {
            if last.value == value {
                return;
            }
            if last.written < self.before {
                whole(track, self.before, last.value, out);
            }
        }
        whole(track, ts, value, out);
        self.values.insert(track, Last { value, written: ts });
    }
}

fn whole(track: TrackId, ts: i64, value: u64, out: &mut TraceBuilder) {
    out.whole_counter(track, ts, i64::try_from(value).unwrap_or(i64::MAX));
}

/// The CPU time of each uid on each CPU cluster.
#[derive(Default)]
pub(super) struct CpuPerUid {
    counters: Counters,
    /// The number of clusters, by generation of the sequence's state.
    clusters: FxHashMap<u32, u32>,
    /// Values by generation, uid and cluster, ms.
    values: FxHashMap<(u32, u32, u32), u64>,
    /// The last values in any generation.
    last: FxHashMap<(u32, u32), u64>,
    /// The CPU time that each uid used since its first value, ms.
    used: FxHashMap<(u32, u32), u64>,
    totals: FxHashMap<(bool, u32), u64>,
    /// The totals that the current packet changed.
    changed: Vec<(bool, u32)>,
    order: Vec<(u32, u32)>,
}

impl CpuPerUid {
    /// Reads a `CpuPerUidData`. `generation` is that of its sequence's state.
    pub fn packet(&mut self, ts: i64, fields: Fields<'_>, generation: u32, out: &mut TraceBuilder) {
        let (mut users, mut times) = (Vec::new(), Vec::new());
        for field in fields {
            match field.number {
                1 => drop(self.clusters.insert(generation, field.uint() as u32)),
                2 => users.extend(field.numbers().map(|uid| uid as u32)),
                3 => times.extend(field.numbers()),
                _ => {}
            }
        }
        let clusters = self
            .clusters
            .get(&generation)
            .map_or(1, |count| (*count).max(1));
        let clusters = usize::try_from(clusters).unwrap_or(1);
        for (uid, times) in users.into_iter().zip(times.chunks(clusters)) {
            for (cluster, ms) in times.iter().enumerate() {
                self.value(ts, (generation, uid, cluster as u32), *ms, out);
            }
        }
        let changed: FxHashSet<_> = std::mem::take(&mut self.changed).into_iter().collect();
        for key in changed {
            let value = self.totals.get(&key).copied().unwrap_or_default();
            let track = totals_track(key, out);
            self.counters.push(track, ts, value, out);
        }
        self.counters.before = ts;
    }

    fn value(
        &mut self,
        ts: i64,
        key @ (_, uid, cluster): (u32, u32, u32),
        ms: u64,
        out: &mut TraceBuilder,
    ) {
        let value = self.values.entry(key).or_default();
        *value = value.saturating_add(ms);
        let value = *value;
        let before = self.last.insert((uid, cluster), value).unwrap_or(value);
        let more = value.saturating_sub(before);
        let group = group(uid);
        let used = self.used.entry((group, cluster)).or_insert_with(|| {
            self.order.push((group, cluster));
            0
        });
        *used = used.saturating_add(more);
        let shown = if group == uid && !is_grouped(uid) {
            value
        } else {
            *used
        };
        let is_system = uid % USERS_APART < FIRST_APP;
        let total = self.totals.entry((is_system, cluster)).or_default();
        *total = total.saturating_add(more);
        self.changed.push((is_system, cluster));
        let track = user_track((group, cluster), out);
        self.counters.push(track, ts, shown, out);
    }

    /// Writes a row for each uid and cluster.
    pub fn finish(self, out: &mut TraceBuilder) {
        for key @ (uid, cluster) in self.order {
            let used = self.used.get(&key).copied().unwrap_or_default();
            let cells = [
                ("track_id", user_track(key, out).into()),
                ("uid", ArgValue::Int(uid.into())),
                ("cluster", ArgValue::Int(cluster.into())),
                ("total_cpu_millis", ArgValue::Int(used as i64)),
            ];
            out.record(NO_TIME, "__intrinsic_android_cpu_per_uid_track", &cells);
        }
    }
}

/// The size of the uid range of each Android user.
const USERS_APART: u32 = 100_000;

/// The first uid of apps in the range of a user. Lower uids belong to the system.
const FIRST_APP: u32 = 10_000;

/// Whether a uid has no identity of its own, because it is shared or isolated.
fn is_grouped(uid: u32) -> bool {
    matches!(uid % USERS_APART, 50_000..60_000 | 90_000..100_000)
}

/// Uids without an identity are grouped: each range of 10,000 such uids counts as one.
fn group(uid: u32) -> u32 {
    if is_grouped(uid) {
        uid - uid % FIRST_APP
    } else {
        uid
    }
}

fn user_track((uid, cluster): (u32, u32), out: &mut TraceBuilder) -> TrackId {
    let name = out.intern(format!("CPU for UID {uid} CL{cluster}").as_bytes());
    let track = out.global_track(TrackType::AndroidCpuPerUid, name);
    let [uid, cluster] = [uid, cluster].map(|number| ArgValue::Int(number.into()));
    out.add_track_args(track, &[("uid", uid), ("cluster", cluster)]);
    track
}

fn totals_track((is_system, cluster): (bool, u32), out: &mut TraceBuilder) -> TrackId {
    let of = if is_system { "System" } else { "Apps" };
    let name = out.intern(format!("CPU for {of} CL{cluster}").as_bytes());
    let track = out.global_track(TrackType::AndroidCpuPerUidTotals, name);
    let of = ArgValue::Text(out.intern(of.as_bytes()));
    let cluster = ArgValue::Int(cluster.into());
    out.add_track_args(track, &[("type", of), ("cluster", cluster)]);
    track
}

/// The errors of the recorder, by their bits.
const ERRORS: [&str; 3] = [
    "kernel_wakelock_zero_value_reported",
    "kernel_wakelock_non_monotonic_value_reported",
    "kernel_wakelock_implausibly_large_value_reported",
];

/// The time for which wakelocks were held.
#[derive(Default)]
pub(super) struct Wakelocks<'s> {
    counters: Counters,
    /// Names and types by generation and wakelock id.
    names: FxHashMap<(u32, u64), (&'s [u8], TrackType)>,
    /// Values by generation and name, ms.
    values: FxHashMap<(u32, &'s [u8]), u64>,
    tally: Tally,
}

impl<'s> Wakelocks<'s> {
    /// Reads a `KernelWakelockData`. `generation` is that of its sequence's state.
    pub fn packet(&mut self, ts: i64, fields: Fields<'s>, generation: u32, out: &mut TraceBuilder) {
        let (mut ids, mut times) = (Vec::new(), Vec::new());
        for field in fields {
            match field.number {
                1 => self.name(generation, field),
                2 => ids.extend(field.numbers()),
                3 => times.extend(field.numbers()),
                4 => self.errors(field.uint()),
                _ => {}
            }
        }
        for (id, ms) in ids.into_iter().zip(times) {
            let Some((name, kind)) = self.names.get(&(generation, id)).copied() else {
                self.tally.count("kernel_wakelock_unknown_id");
                continue;
            };
            let value = self.values.entry((generation, name)).or_default();
            *value = value.saturating_add(ms);
            let value = value.saturating_mul(1_000_000);
            let name = out.intern(name);
            let track = out.global_track(kind, name);
            self.counters.push(track, ts, value, out);
        }
        self.counters.before = ts;
    }

    /// Reads a `Wakelock`: id, name and type. Only the first one with each id is used.
    fn name(&mut self, generation: u32, wakelock: Field<'s>) {
        let (mut id, mut name, mut kind) = (0, &b""[..], TrackType::AndroidUnknownWakelock);
        for field in wakelock.fields() {
            match (field.number, field.uint()) {
                (1, number) => id = number,
                (2, _) => name = field.bytes(),
                (3, 1) => kind = TrackType::AndroidKernelWakelock,
                (3, 2) => kind = TrackType::AndroidNativeWakelock,
                _ => {}
            }
        }
        match self.names.entry((generation, id)) {
            Entry::Vacant(new) => drop(new.insert((name, kind))),
            Entry::Occupied(_) => self.tally.count("kernel_wakelock_reused_id"),
        }
    }

    /// Counts the errors that the recorder found, by the bits of `error_flags`.
    fn errors(&mut self, flags: u64) {
        for (bit, name) in ERRORS.iter().enumerate() {
            if flags >> bit & 1 == 1 {
                self.tally.count(name);
            }
        }
    }

    /// Writes the statistics about problems.
    pub fn finish(&self, out: &mut TraceBuilder) {
        self.tally.write(out);
    }
}
