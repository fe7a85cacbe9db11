//! The kinds of wake-ups.

/// Which of the kernel's three events a wake-up is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum WakeKind {
    /// `sched_waking`: the waker begins to wake the thread, on the waker's CPU.
    Waking,
    /// `sched_wakeup`: the thread is on a run queue.
    Wakeup,
    /// `sched_wakeup_new`: the first wake-up of a thread's life.
    New,
}

impl WakeKind {
    /// Every kind, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Waking, Self::Wakeup, Self::New];

    /// The kind's name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waking => "waking",
            Self::Wakeup => "wakeup",
            Self::New => "wakeup_new",
        }
    }
}
