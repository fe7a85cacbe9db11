//! Reading the clocks.

use std::io;

use traceloom_ring::{ClockSource, SyncPoint};

/// Whether the processor's counter is reliable: constant rate, the same on all cores, and running during sleep.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_steady_counter() -> bool {
    use std::arch::x86_64::__cpuid;
    // Invariant TSC: bit 8 of EDX in leaf 0x8000_0007, if the processor has that leaf.
    let last_leaf = __cpuid(0x8000_0000).eax;
    let is_invariant = last_leaf >= 0x8000_0007 && __cpuid(0x8000_0007).edx & 1 << 8 != 0;
    // The kernel monitors the counter, and uses another clock if it finds it unreliable.
    const SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let distrusted = std::fs::read_to_string(SOURCE).is_ok_and(|source| {
        let source = source.trim();
        source == "hpet" || source == "acpi_pm" || source == "jiffies"
    });
    is_invariant && !distrusted
}

/// The architecture guarantees this for its generic timer.
#[cfg(target_arch = "aarch64")]
pub(crate) fn has_steady_counter() -> bool {
    true
}

/// Other architectures: no counter is used.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn has_steady_counter() -> bool {
    false
}

/// The processor's counter.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn counter() -> u64 {
    // SAFETY: every x86_64 processor has the instruction, and Linux allows programs to use it.
    unsafe { std::arch::x86_64::_rdtsc() }
}

/// The processor's counter.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn counter() -> u64 {
    let ticks;
    // SAFETY: reads a register that Linux allows programs to read; touches no memory or flags.
    unsafe {
        std::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack, preserves_flags));
    }
    ticks
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn counter() -> u64 {
    clock_ns(libc::CLOCK_BOOTTIME)
}

/// A clock of the system, ns; 0 if the system does not have the clock. Not inlined: an event of the processor's counter should
/// need few registers.
#[inline(never)]
pub(crate) fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a local variable. An error leaves it at 0.
    unsafe { libc::clock_gettime(clock, &mut time) };
    (time.tv_sec as u64)
        .wrapping_mul(1_000_000_000)
        .wrapping_add(time.tv_nsec as u64)
}

/// The CPU time of the calling thread, ns. A system call.
pub(crate) fn thread_cpu_ns() -> u64 {
    clock_ns(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// The current time on a recording's clock, ticks.
#[inline(always)]
pub(crate) fn now(source: ClockSource) -> u64 {
    match source {
        ClockSource::Counter => counter(),
        ClockSource::Boot => clock_ns(libc::CLOCK_BOOTTIME),
        ClockSource::Monotonic => clock_ns(libc::CLOCK_MONOTONIC),
    }
}

/// The clock and `CLOCK_BOOTTIME` at the same moment: ticks, ns, and the uncertainty in ticks.
pub(crate) fn with_boot_time(source: ClockSource) -> (u64, u64, u32) {
    let before = now(source);
    let boot_ns = clock_ns(libc::CLOCK_BOOTTIME);
    let after = now(source);
    let width = after.wrapping_sub(before);
    let middle = before.wrapping_add(width / 2);
    (middle, boot_ns, u32::try_from(width).unwrap_or(u32::MAX))
}

/// All clocks at the same moment: the closest readings of a few tries.
pub(crate) fn sync_point(source: ClockSource) -> SyncPoint {
    let read = || {
        let before = now(source);
        let point = SyncPoint {
            ticks: 0,
            boot_ns: clock_ns(libc::CLOCK_BOOTTIME),
            mono_ns: clock_ns(libc::CLOCK_MONOTONIC),
            real_ns: clock_ns(libc::CLOCK_REALTIME),
        };
        let width = now(source).wrapping_sub(before);
        // Five readings in a row: `boot_ns` was read after a quarter of the time.
        let ticks = before.wrapping_add(width / 4);
        (width, SyncPoint { ticks, ..point })
    };
    let tries = (0..8).map(|_| read());
    let best = tries.min_by_key(|(width, _)| *width);
    best.map_or_else(SyncPoint::default, |(_, point)| point)
}

/// The rate of the clock. On x86 the counter's rate cannot be read, so it is measured for a millisecond.
pub(crate) fn ticks_per_second(source: ClockSource) -> u64 {
    if source != ClockSource::Counter {
        return 1_000_000_000;
    }
    #[cfg(target_arch = "aarch64")]
    {
        let hz: u64;
        // SAFETY: reads a register that Linux allows programs to read.
        unsafe {
            std::arch::asm!("mrs {}, cntfrq_el0", out(reg) hz, options(nomem, nostack, preserves_flags));
        }
        if hz != 0 {
            return hz;
        }
    }
    let from = sync_point(source);
    std::thread::sleep(std::time::Duration::from_millis(1));
    let to = sync_point(source);
    let ns = u128::from(to.boot_ns.saturating_sub(from.boot_ns)).max(1);
    let ticks = u128::from(to.ticks.saturating_sub(from.ticks));
    u64::try_from(ticks * 1_000_000_000 / ns)
        .unwrap_or(u64::MAX)
        .max(1)
}

/// The clock to use if `wanted` is requested.
///
/// # Errors
/// If the counter is requested and is not reliable.
pub(crate) fn choose(wanted: Option<ClockSource>) -> io::Result<ClockSource> {
    match wanted {
        None if has_steady_counter() => Ok(ClockSource::Counter),
        None => Ok(ClockSource::Boot),
        Some(ClockSource::Counter) if !has_steady_counter() => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "the processor's counter is not reliable on this machine; use CLOCK_BOOTTIME",
        )),
        Some(source) => Ok(source),
    }
}
