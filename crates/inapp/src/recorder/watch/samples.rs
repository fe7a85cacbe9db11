//! What the system says of the process now and then, as counters.

use std::time::{Duration, Instant};

use traceloom_ring::Kind;

use crate::recorder::write::text_event;

/// Takes samples at a steady pace.
pub(super) struct Samples {
    every: Duration,
    next: Instant,
    page_bytes: i64,
}

impl Samples {
    pub fn new(every: Duration) -> Self {
        // SAFETY: a call without pointers.
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
        // A pace that cannot be kept leaves samples out.
        self.next = (self.next + self.every).max(now);
        self.usage();
        self.memory();
    }

    /// CPU time, page faults and context switches since the process began.
    fn usage(&self) {
        // SAFETY: zeros are a value of the struct, which has numbers only.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the struct is ours.
        if unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) } != 0 {
            return;
        }
        // Their width is the platform's.
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

    /// Memory that is in use, and what of it no file stands behind.
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
