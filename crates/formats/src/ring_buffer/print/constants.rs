//! Named constants of the kernel.

/// Names that old kernels use in print formats instead of numbers (`include/linux/interrupt.h`,
/// `include/linux/hrtimer.h`).
pub(super) const CONSTANTS: &[(&str, i64)] = &[
    ("HI_SOFTIRQ", 0),
    ("TIMER_SOFTIRQ", 1),
    ("NET_TX_SOFTIRQ", 2),
    ("NET_RX_SOFTIRQ", 3),
    ("BLOCK_SOFTIRQ", 4),
    ("IRQ_POLL_SOFTIRQ", 5),
    ("BLOCK_IOPOLL_SOFTIRQ", 5),
    ("TASKLET_SOFTIRQ", 6),
    ("SCHED_SOFTIRQ", 7),
    ("HRTIMER_SOFTIRQ", 8),
    ("RCU_SOFTIRQ", 9),
    ("HRTIMER_NORESTART", 0),
    ("HRTIMER_RESTART", 1),
    ("MM_FILEPAGES", 0),
    ("MM_ANONPAGES", 1),
    ("MM_SWAPENTS", 2),
    ("MM_SHMEMPAGES", 3),
    ("true", 1),
    ("false", 0),
    ("NULL", 0),
];
