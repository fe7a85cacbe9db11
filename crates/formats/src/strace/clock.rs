//! The times at the start of lines.

const NS_PER_SEC: i64 = 1_000_000_000;
const DAY_NS: i64 = 24 * 3600 * NS_PER_SEC;
/// The assumed time between two lines without times.
const UNTIMED_STEP_NS: i64 = 1_000_000;
/// Seconds from this value on are a date, in 1973 or later. Smaller values are the seconds since the previous line
/// (`-r`).
const FIRST_DATE: i64 = 100_000_000 * NS_PER_SEC;

/// A time as printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stamp {
    /// Since 1970, ns (`-ttt`).
    Date(i64),
    /// Since midnight, ns (`-t`, `-tt`).
    Day(i64),
    /// Since the previous line, ns (`-r`).
    Step(i64),
    /// The line has no time.
    Missing,
}

impl Stamp {
    /// Parses `1700000052.321000`, `14:07:32.321`, `0.000120`.
    pub fn read(word: &str) -> Option<Self> {
        if word.contains(':') {
            return day(word).map(Self::Day);
        }
        let ns = seconds(word)?;
        Some(if ns >= FIRST_DATE {
            Self::Date(ns)
        } else {
            Self::Step(ns)
        })
    }
}

/// The time since the previous line, if it is finer than the time itself: `10:00:00 (+ 0.300000)` (`-r -t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    ns: i64,
    /// The precision of the time itself, ns: the time is a multiple of this.
    unit: i64,
}

impl Step {
    /// Parses `step`. `time` is the time itself, as printed.
    pub fn read(step: &str, time: &str) -> Option<Self> {
        let decimals = |word: &str| {
            word.split_once('.')
                .map_or(0, |(_, decimals)| decimals.len())
        };
        if decimals(step) <= decimals(time) {
            return None;
        }
        let unit = 10_i64.checked_pow(9_u32.checked_sub(decimals(time) as u32)?)?;
        let ns = seconds(step)?;
        Some(Self { ns, unit })
    }
}

/// Puts times of any form on one time line.
#[derive(Debug, Default)]
pub(super) struct Clock {
    /// The last time, ns.
    last: i64,
    /// The number of midnights that have passed, as ns.
    days: i64,
}

impl Clock {
    /// The time of the next line, ns.
    pub fn ns(&mut self, stamp: Stamp, step: Option<Step>) -> i64 {
        let ns = self.written(stamp);
        // Steps are added to a time that was rounded down, so the sum can only be too early.
        self.last = step.map_or(ns, |step| {
            let fine = self.last.saturating_add(step.ns);
            fine.clamp(ns, ns.saturating_add(step.unit - 1))
        });
        self.last
    }

    /// Advances the time by the duration of a call, ns. The next line has no time of its own.
    pub fn pass(&mut self, dur: i64) {
        self.last = self.last.saturating_add(dur);
    }

    /// The printed time, ns.
    fn written(&mut self, stamp: Stamp) -> i64 {
        match stamp {
            Stamp::Date(ns) => ns,
            Stamp::Step(ns) => self.last.saturating_add(ns),
            Stamp::Missing => self.last.saturating_add(UNTIMED_STEP_NS),
            Stamp::Day(ns) => {
                // Lines of different threads can be slightly out of order. A step back of more than half a day means
                // that midnight has passed.
                if self.last.saturating_sub(self.days.saturating_add(ns)) > DAY_NS / 2 {
                    self.days = self.days.saturating_add(DAY_NS);
                }
                self.days.saturating_add(ns)
            }
        }
    }
}

/// Parses seconds with up to nine decimals. Returns ns.
pub(super) fn seconds(word: &str) -> Option<i64> {
    let (whole, fraction) = word.split_once('.').unwrap_or((word, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > 9 {
        return None;
    }
    let unit = 10_i64.pow(9 - fraction.len() as u32);
    let ns = whole.parse::<i64>().ok()?.checked_mul(NS_PER_SEC)?;
    ns.checked_add(fraction.parse::<i64>().ok()? * unit)
}

/// Parses `14:07:32.321`. Returns the ns since midnight.
fn day(word: &str) -> Option<i64> {
    let mut parts = word.splitn(3, ':');
    let mut number = |below: i64| {
        let part: i64 = parts.next()?.parse().ok()?;
        (0..below).contains(&part).then_some(part)
    };
    let minutes = number(24)? * 60 + number(60)?;
    // 60 is a leap second.
    let seconds = seconds(parts.next()?)?;
    (seconds < 61 * NS_PER_SEC).then_some(minutes * 60 * NS_PER_SEC + seconds)
}
