//! Asynchronous slices that begin again while they are open. Android's wakelocks do so, and end only once. The first
//! begin starts the slice:
//!
//! ```text
//! S  S  S  F        one slice; its arguments are the number of begins and the time of the last begin
//! |--------|
//! ```

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, LaneKey, SliceId, TraceBuilder};

use crate::ftrace::marker::{BEGIN_COUNT, LAST_BEGIN};

/// A slice that began again while it was open.
#[derive(Clone, Copy, Debug)]
struct Repeated {
    slice: SliceId,
    begins: i64,
    last_ts: i64,
}

/// The open slices that began again.
#[derive(Debug, Default)]
pub(super) struct Repeats(FxHashMap<LaneKey, Repeated>);

impl Repeats {
    /// An open slice begins again.
    pub fn add(&mut self, key: LaneKey, slice: SliceId, ts: i64) {
        let new = Repeated {
            slice,
            begins: 1,
            last_ts: ts,
        };
        let repeated = self.0.entry(key).or_insert(new);
        repeated.begins += 1;
        repeated.last_ts = ts;
    }

    /// A slice has ended.
    pub fn end(&mut self, key: LaneKey, out: &mut TraceBuilder) {
        if let Some(repeated) = self.0.remove(&key) {
            repeated.write(out);
        }
    }

    /// Ends the input.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        let mut open: Vec<Repeated> = self.0.drain().map(|(_, repeated)| repeated).collect();
        open.sort_unstable_by_key(|repeated| repeated.slice);
        open.iter().for_each(|repeated| repeated.write(out));
    }
}

impl Repeated {
    fn write(&self, out: &mut TraceBuilder) {
        let args = [(BEGIN_COUNT, self.begins), (LAST_BEGIN, self.last_ts)];
        let args = args.map(|(key, value)| (out.intern(key.as_bytes()), ArgValue::Int(value)));
        let args = out.args(args);
        out.append_slice_args(self.slice, args);
    }
}
