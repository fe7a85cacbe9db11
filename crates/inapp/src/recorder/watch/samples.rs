//! Sampling CPU time, page faults, context switches and memory of the process, as counters.

use std::time::{Duration, Instant};

use traceloom_ring::Kind;

use crate::recorder::write::text_event;

/// Takes samples at a regular interval.
pub(super) struct Samples {
    every: Duration,
    next: Instant,
    page_bytes: i64,
}

impl Samples {
    pub fn new(every: Duration) -> Self {
        // SAFETY: the call takes no pointers.
        let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        Self {
            every: every.max(Duration::from_millis(1)),
            next: Instant::now(),
            page_bytes: page_bytes as i64,
        }
    }

    pub fn until_next(&self) -> Duration {
        self.next.saturating_duration_since(Instant::now())
    }

    pub fn take_if_due(&mut self, now: Instant) {
        if now < self.next {
            return;
        }
        // Skip samples if they are late.
        self.next = (self.next + self.every).max(now);
        self.usage();
        self.memory();
    }

    /// CPU time, page faults and context switches since the start of the process.
    fn usage(&self) {
        // SAFETY: the struct contains only numbers, for which zeros are valid.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: `usage` is a local variable.
        if unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) } != 0 {
            return;
        }
        // The width of the fields depends on the platform.
        #[allow(clippy::useless_conversion)]
        let us = |time: libc::timeval| i64::from(time.tv_sec) * 1_000_000 + i64::from(time.tv_usec);
        for (name, value) in [
            ("CPU time, user (us)", us(usage.ru_utime)),
            ("CPU time, system (us)", us(usage.ru_stime)),
            ("page faults, minor", usage.ru_minflt as i64),
            ("page faults, major", usage.ru_majflt as i64),
            ("context switches, voluntary", usage.ru_nvcsw as i64),
            ("context switches, forced", usage.ru_nivcsw as i64),
        ] {
            counter(name, value);
        }
    }

    /// Resident memory, and the part of it that is private to the process.
    fn memory(&self) {
        let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let mut pages = statm
            .split_ascii_whitespace()
            .map(|field| field.parse::<i64>());
        let (Some(Ok(_)), Some(Ok(resident)), Some(Ok(shared))) =
            (pages.next(), pages.next(), pages.next())
        else {
            return;
        };
        counter("memory, resident (bytes)", resident * self.page_bytes);
        counter(
            "memory, private (bytes)",
            (resident - shared) * self.page_bytes,
        );
    }
}

fn counter(name: &str, value: i64) {
    text_event(Kind::CounterNamed, value as u64, name.as_bytes());
}
