//! Collects the rows of window transitions from several packets.

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, NO_TIME, TraceBuilder};

use super::messages::Args;

/// The transitions so far, in the order of their first packets.
#[derive(Default)]
pub(super) struct Transitions {
    rows: Vec<Transition>,
    by_id: FxHashMap<i64, usize>,
}

#[derive(Default)]
pub(super) struct Transition {
    pub ts: Option<i64>,
    pub cells: Vec<(&'static str, ArgValue)>,
    pub args: Args,
}

impl Transitions {
    pub fn of(&mut self, id: i64) -> &mut Transition {
        let next = self.rows.len();
        let row = *self.by_id.entry(id).or_insert(next);
        if row == next {
            self.rows.push(Transition::default());
        }
        &mut self.rows[row]
    }

    /// Writes the rows.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        for mut transition in std::mem::take(&mut self.rows) {
            transition.judge(out);
            let args = out.args(last_values(std::mem::take(&mut transition.args)));
            transition.cells.push(("arg_set_id", args.into()));
            // Perfetto uses 0 for a transition without a time.
            if transition.ts.is_none() {
                transition.cells.push(("ts", ArgValue::Int(0)));
            }
            let ts = transition.ts.unwrap_or(NO_TIME);
            out.record(ts, "window_manager_shell_transitions", &transition.cells);
        }
    }
}

/// The last value of each argument. Several packets may have the same argument.
fn last_values(args: Args) -> Args {
    let mut places = FxHashMap::default();
    let mut last = Args::new();
    for (key, value) in args {
        let place = *places.entry(key).or_insert(last.len());
        match last.get_mut(place) {
            Some((_, known)) => *known = value,
            None => last.push((key, value)),
        }
    }
    last
}

impl Transition {
    pub fn set(&mut self, column: &'static str, value: i64) {
        let value = ArgValue::Int(value);
        match self.cells.iter_mut().find(|(known, _)| *known == column) {
            Some((_, cell)) => *cell = value,
            None => self.cells.push((column, value)),
        }
    }

    /// A time, if it is present and positive.
    fn time(&self, column: &str) -> Option<i64> {
        let cell = self.cells.iter().find(|(known, _)| *known == column);
        match cell {
            Some((_, ArgValue::Int(time))) if *time > 0 => Some(*time),
            _ => None,
        }
    }

    /// Sets the status. A merged transition never plays, and a playing transition cannot be aborted.
    fn judge(&mut self, out: &mut TraceBuilder) {
        let dispatch = self.time("dispatch_time_ns");
        let aborted = self
            .time("shell_abort_time_ns")
            .or(self.time("wm_abort_time_ns"));
        let status = if self.time("merge_time_ns").is_some() {
            "merged"
        } else if let (Some(dispatch), Some(finish)) = (dispatch, self.time("finish_time_ns")) {
            self.set("duration_ns", finish.wrapping_sub(dispatch));
            "played"
        } else if aborted.is_some() && dispatch.is_none() {
            "aborted"
        } else {
            return;
        };
        let status = out.intern(status.as_bytes());
        self.cells.push(("status", ArgValue::Text(status)));
    }
}
