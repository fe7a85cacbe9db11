//! Answers that several operations share: the times of a name's slices, and the times in thread states.

use serde::Serialize;
use traceloom_analyze::timeline::{NameStats, StateKind};

/// The times of a name's slices, ns.
#[derive(Serialize)]
pub(super) struct NameTimes {
    total_ns: i64,
    self_ns: i64,
    /// Left out if every slice ended, like the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished_ns: Option<i64>,
    /// The number of slices that never ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished: Option<u64>,
    min_ns: i64,
    median_ns: i64,
    p95_ns: i64,
    max_ns: i64,
}

impl NameTimes {
    pub fn new(stats: &NameStats) -> Self {
        Self {
            total_ns: stats.total_ns,
            self_ns: stats.self_ns,
            unfinished_ns: (stats.unfinished > 0).then_some(stats.unfinished_ns),
            unfinished: (stats.unfinished > 0).then_some(stats.unfinished),
            min_ns: stats.min_ns,
            median_ns: stats.median_ns,
            p95_ns: stats.p95_ns,
            max_ns: stats.max_ns,
        }
    }
}

/// A thread's times in the states that the page distinguishes, ns.
#[derive(Serialize)]
pub(super) struct StateAnswer {
    running_ns: i64,
    runnable_ns: i64,
    sleeping_ns: i64,
    uninterruptible_ns: i64,
    io_ns: i64,
    other_ns: i64,
}

impl StateAnswer {
    pub fn new(times: &[i64; StateKind::COUNT]) -> Self {
        let sum = |kinds: &[StateKind]| {
            let times = kinds.iter().map(|kind| times[*kind as usize]);
            times.fold(0, i64::saturating_add)
        };
        Self {
            running_ns: sum(&[StateKind::Running]),
            runnable_ns: sum(&[StateKind::Runnable, StateKind::Preempted]),
            sleeping_ns: sum(&[StateKind::Sleeping]),
            uninterruptible_ns: sum(&[StateKind::Uninterruptible]),
            io_ns: sum(&[StateKind::UninterruptibleIo]),
            other_ns: sum(&[StateKind::Stopped, StateKind::Unknown, StateKind::Dead]),
        }
    }
}
