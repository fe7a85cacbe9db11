//! Measures: the kinds of time that a tree can have, and sums of them.

use serde::{Deserialize, Serialize};

/// A kind of time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(usize)]
pub enum Measure {
    /// Real time.
    Wall = 0,
    /// Time on a CPU: from the thread's CPU clock in a method trace, from scheduling events in a
    /// system trace. In a tree of samples, this is the number of samples; see [`CpuSource::Samples`].
    Cpu = 1,
    /// Runnable: ready, but without a CPU. From scheduling events, like all below.
    Runnable = 2,
    /// Interruptible sleep.
    Sleeping = 3,
    /// Uninterruptible sleep: mostly storage and kernel locks.
    Uninterruptible = 4,
}

impl Measure {
    /// Every measure, in the order of [`Sums`].
    pub const ALL: [Self; 5] = [
        Self::Wall,
        Self::Cpu,
        Self::Runnable,
        Self::Sleeping,
        Self::Uninterruptible,
    ];

    /// The number of measures.
    pub const COUNT: usize = Self::ALL.len();
}

/// A time for each [`Measure`], ns.
pub type Sums = [i64; Measure::COUNT];

/// Where the CPU times of a tree come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CpuSource {
    /// There are none.
    #[default]
    None,
    /// CPU clocks of the threads, recorded with each call.
    ThreadClock,
    /// Scheduling events.
    Scheduler,
    /// There are none: the tree has numbers of samples in their place.
    Samples,
}

/// Which measures a tree has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct TreeClocks {
    /// Whether real time was recorded. If not, wall times are rebuilt from CPU clocks and mean
    /// little.
    pub wall: bool,
    /// The source of CPU times.
    pub cpu: CpuSource,
    /// Whether runnable, sleeping and uninterruptible times are known.
    pub states: bool,
}

impl TreeClocks {
    /// Whether the tree has this measure.
    pub fn has(self, measure: Measure) -> bool {
        match measure {
            Measure::Wall => self.wall,
            Measure::Cpu => self.cpu != CpuSource::None,
            _ => self.states,
        }
    }

    /// The default clock for ranking rows. A method trace with both clocks is ranked by CPU time,
    /// as in Traceview: by wall time, waiting threads would come first. Slices of a system trace
    /// are ranked by wall time, because waits are usually what the user looks for.
    pub fn usual(self) -> Measure {
        match (self.wall, self.cpu) {
            (true, CpuSource::None | CpuSource::Scheduler) => Measure::Wall,
            _ => Measure::Cpu,
        }
    }

    /// `sums` as a row of times; measures that were not recorded are left out.
    pub fn times(self, sums: &Sums) -> Times {
        let times = Times::each(|measure| self.has(measure).then_some(sums[measure as usize]));
        match self.cpu {
            CpuSource::Samples => times.of_samples(),
            _ => times,
        }
    }
}

/// Times of a row, ns. Measures that were not recorded are left out of JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Times {
    /// Time on a CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<i64>,
    /// The number of samples, in place of the time on a CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<i64>,
    /// Real time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_ns: Option<i64>,
    /// Ready to run, without a CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runnable_ns: Option<i64>,
    /// Sleeping.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sleeping_ns: Option<i64>,
    /// In uninterruptible sleep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uninterruptible_ns: Option<i64>,
}

impl Times {
    /// The sum of two rows. A measure that only one of them has is taken from it.
    pub fn plus(&self, other: &Self) -> Self {
        let sum = Self::each(|measure| match (self.get(measure), other.get(measure)) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        });
        match self.samples.or(other.samples) {
            Some(_) => sum.of_samples(),
            None => sum,
        }
    }

    /// Replaces times on a CPU with numbers of samples.
    fn of_samples(self) -> Self {
        Self {
            cpu_ns: None,
            samples: self.cpu_ns,
            ..self
        }
    }

    /// Each of the times.
    fn each(time: impl FnMut(Measure) -> Option<i64>) -> Self {
        let [
            wall_ns,
            cpu_ns,
            runnable_ns,
            sleeping_ns,
            uninterruptible_ns,
        ] = Measure::ALL.map(time);
        Self {
            cpu_ns,
            samples: None,
            wall_ns,
            runnable_ns,
            sleeping_ns,
            uninterruptible_ns,
        }
    }

    /// One of the times. For [`Measure::Cpu`], the number of samples if there is one.
    pub fn get(&self, measure: Measure) -> Option<i64> {
        match measure {
            Measure::Wall => self.wall_ns,
            Measure::Cpu => self.cpu_ns.or(self.samples),
            Measure::Runnable => self.runnable_ns,
            Measure::Sleeping => self.sleeping_ns,
            Measure::Uninterruptible => self.uninterruptible_ns,
        }
    }
}

/// Adds `more` to `sums`, measure by measure.
#[inline]
pub(crate) fn add(sums: &mut [i64], more: &[i64]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum = sum.saturating_add(*more);
    }
}

/// Subtracts `less` from `sums`, measure by measure.
#[inline]
pub(crate) fn take(sums: &mut [i64], less: &[i64]) {
    for (sum, less) in sums.iter_mut().zip(less) {
        *sum = sum.saturating_sub(*less);
    }
}
