//! The states of a thread during its slices: running, runnable, blocked.

use traceloom_trace::{NO_DURATION, RowId, TaskState, ThreadId, Trace};

use super::clip::TimeRange;
use crate::same_thread::SameThreads;
use crate::timeline::Grouped;

/// The number of states: running, runnable, sleeping, uninterruptible.
const STATES: usize = 4;

/// The time in each state since the first state of the thread.
type Elapsed = [i64; STATES];

/// The thread_state rows of each thread, in order of time.
pub(crate) struct StatesByThread {
    rows: Grouped,
    same: SameThreads,
}

impl StatesByThread {
    /// Groups the table by thread; `None` for a trace without scheduler events.
    pub(crate) fn new(trace: &Trace) -> Option<Self> {
        let table = &trace.thread_states;
        if table.is_empty() {
            return None;
        }
        let thread = |row: usize| table.utid.get(row).row();
        let rows = Grouped::new(table.len(), trace.threads.len(), &thread);
        let same = SameThreads::find(trace, &|utid| !rows.rows(utid.row()).is_empty());
        Some(Self { rows, same })
    }

    /// The rows of one thread.
    pub(crate) fn rows_of(&self, utid: ThreadId) -> &[u32] {
        self.rows.rows(self.same.with_states(utid).row())
    }

    /// The states of one thread as running sums, so that the times of any range are a subtraction.
    pub(crate) fn clock(&self, trace: &Trace, utid: ThreadId) -> StateClock {
        let mut clock = StateClock::default();
        for &row in self.rows_of(utid) {
            let (states, row) = (&trace.thread_states, row as usize);
            let ts = states.ts.get(row);
            let end = match states.dur.get(row) {
                NO_DURATION => trace.bounds.1,
                dur => ts.saturating_add(dur),
            };
            clock.push(ts, end, states.state.get(row));
        }
        clock
    }
}

/// The states of one thread as running sums:
///
/// ```text
/// state:    R    Running   S
/// starts:  10    14        20        cursor for a slice 16..22:
/// elapsed:  0    4 runnable 6 running    at 22: 4, 6, 2   at 16: 4, 2, 0   difference 0, 4, 2
/// ```
#[derive(Debug, Default)]
pub(crate) struct StateClock {
    stretches: Vec<Stretch>,
    /// The index found last. Slices are looked up in order of time.
    hint: usize,
}

#[derive(Debug)]
struct Stretch {
    start: i64,
    end: i64,
    state: Option<usize>,
    before: Elapsed,
}

impl StateClock {
    fn push(&mut self, start: i64, end: i64, state: TaskState) {
        let (before, last_end) = match self.stretches.last() {
            Some(last) => (last.elapsed(last.end), last.end),
            None => ([0; STATES], i64::MIN),
        };
        let start = start.max(last_end);
        if end > start {
            self.stretches.push(Stretch {
                start,
                end,
                state: state_index(state),
                before,
            });
        }
    }

    /// The time in each state between two times, both cut to the range.
    pub(crate) fn between(&mut self, begin: i64, end: i64, range: TimeRange) -> Elapsed {
        let begin = begin.clamp(range.from_ns, range.to_ns.max(range.from_ns));
        let end = end.clamp(begin, range.to_ns.max(begin));
        let mut hint = self.hint;
        let elapsed = self.within(begin, end, &mut hint);
        self.hint = hint;
        elapsed
    }

    /// The time in each state between two times. `hint` starts at 0 and is kept between calls.
    pub(crate) fn within(&self, begin: i64, end: i64, hint: &mut usize) -> Elapsed {
        let from = self.find(begin, *hint);
        *hint = from;
        let to = self.find(end, from);
        let (from, to) = (self.elapsed(from, begin), self.elapsed(to, end));
        std::array::from_fn(|state| to[state] - from[state])
    }

    /// The number of states that start at or before `ts`. The search starts at `hint`.
    fn find(&self, ts: i64, hint: usize) -> usize {
        let (mut low, mut high) = (0, self.stretches.len());
        let mut step = 1;
        let mut at = hint;
        while at < high {
            if self.stretches[at].start > ts {
                high = at;
                break;
            }
            low = at + 1;
            at = low + step;
            step *= 2;
        }
        if hint > 0 && low == 0 && self.stretches[hint - 1].start <= ts {
            low = hint;
        }
        low + self.stretches[low..high].partition_point(|stretch| stretch.start <= ts)
    }

    fn elapsed(&self, found: usize, ts: i64) -> Elapsed {
        match found.checked_sub(1) {
            Some(at) => self.stretches[at].elapsed(ts),
            None => [0; STATES],
        }
    }
}

impl Stretch {
    fn elapsed(&self, ts: i64) -> Elapsed {
        let mut elapsed = self.before;
        if let Some(state) = self.state {
            elapsed[state] += ts.min(self.end) - self.start;
        }
        elapsed
    }
}

/// The index of a state in [`Elapsed`]. Other states, such as stopped or unknown, are not counted.
fn state_index(state: TaskState) -> Option<usize> {
    if state == TaskState::RUNNING {
        Some(0)
    } else if state.is_runnable() {
        Some(1)
    } else if state.0 & TaskState::UNINTERRUPTIBLE.0 != 0 {
        Some(3)
    } else if state.is_blocked() && !state.is_final() {
        Some(2)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock() -> StateClock {
        let mut clock = StateClock::default();
        clock.push(10, 14, TaskState::RUNNABLE);
        clock.push(14, 20, TaskState::RUNNING);
        clock.push(20, 30, TaskState::SLEEPING);
        clock.push(30, 31, TaskState::UNINTERRUPTIBLE);
        clock
    }

    #[test]
    fn the_drawing_holds() {
        assert_eq!(clock().between(16, 22, TimeRange::ALL), [4, 0, 2, 0]);
        assert_eq!(clock().between(0, 100, TimeRange::ALL), [6, 4, 10, 1]);
        let range = TimeRange {
            from_ns: 12,
            to_ns: 21,
        };
        assert_eq!(clock().between(0, 100, range), [6, 2, 1, 0]);
    }

    #[test]
    fn any_order_of_questions_gives_the_same() {
        let mut asked = clock();
        for (begin, end) in [(25, 26), (0, 5), (30, 40), (10, 31), (14, 14), (5, 15)] {
            let fresh = clock().between(begin, end, TimeRange::ALL);
            assert_eq!(asked.between(begin, end, TimeRange::ALL), fresh);
        }
    }
}
