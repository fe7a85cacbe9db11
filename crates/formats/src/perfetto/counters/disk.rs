//! Disk activity. `SysStats` has totals, and the tracks have the differences to the previous totals.

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, StringId, TraceBuilder, TrackType};

use super::super::wire::Fields;
use super::named::text;

/// The number of sectors per megabyte. In `/proc/diskstats`, a sector has 512 bytes.
const SECTORS_PER_MB: f64 = 2_048.0;

/// Sectors and milliseconds of reads, writes and discards, followed by the number and the milliseconds of flushes.
type Totals = [i64; 8];

/// The last totals of each disk.
#[derive(Debug, Default)]
pub(super) struct Disks(FxHashMap<StringId, Totals>);

impl Disks {
    /// The disks of a `SysStats`.
    pub fn sys_stats(&mut self, ts: i64, stats: &Fields<'_>, out: &mut TraceBuilder) {
        for disk in stats.clone().filter(|field| field.number == 13) {
            self.disk(ts, disk.fields(), out);
        }
    }

    fn disk(&mut self, ts: i64, fields: Fields<'_>, out: &mut TraceBuilder) {
        let (mut name, mut totals): (&[u8], Totals) = (&[], [0; 8]);
        for field in fields {
            match field.number {
                1 => name = field.bytes(),
                number @ 2..=9 => totals[number as usize - 2] = field.int(),
                _ => {}
            }
        }
        let id = out.intern(name);
        let Some(last) = self.0.insert(id, totals) else {
            return;
        };
        let added: [f64; 8] = std::array::from_fn(|at| totals[at].saturating_sub(last[at]) as f64);
        let mut push = |key: &str, unit: &str, value: f64| {
            let name = out.intern(format!("diskstat.[{}].{key}", text(name)).as_bytes());
            let track = out.global_track(TrackType::DiskStat, name);
            let [counter, unit] = [key, unit].map(|text| out.intern(text.as_bytes()));
            let args = [("device_name", id), ("counter_name", counter)];
            out.add_track_args(track, &args.map(|(key, id)| (key, ArgValue::Text(id))));
            out.set_track_unit(track, unit);
            out.counter(track, ts, value);
        };
        for (at, action) in ["read", "write", "discard"].into_iter().enumerate() {
            let (mb, ms) = (added[at * 2] / SECTORS_PER_MB, added[at * 2 + 1]);
            let rate = if ms == 0.0 { 0.0 } else { mb * 1_000.0 / ms };
            push(&format!("{action}_amount"), "MB", mb);
            push(&format!("{action}_throughput"), "MB/s", rate);
        }
        push("flush_amount", "count", added[6]);
        push("flush_time", "ms", added[7]);
    }
}
