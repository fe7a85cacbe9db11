//! Options: facts about the recording and, in version 7, the positions of the sections.

use traceloom_trace::sort;

use super::facts::Facts;
use super::input::Input;
use crate::bytes::ByteOrder;
use crate::error::ReadError;
use crate::ring_buffer::TimeCorrection;

/// Numbers of options and, in version 7, of sections.
pub(super) mod id {
    pub const DONE: u16 = 0;
    pub const DATE: u16 = 1;
    pub const CPUSTAT: u16 = 2;
    pub const BUFFER: u16 = 3;
    pub const TRACECLOCK: u16 = 4;
    pub const UNAME: u16 = 5;
    pub const OFFSET: u16 = 7;
    pub const CPUCOUNT: u16 = 8;
    pub const VERSION: u16 = 9;
    pub const TRACEID: u16 = 11;
    pub const TIME_SHIFT: u16 = 12;
    pub const GUEST: u16 = 13;
    pub const TSC2NSEC: u16 = 14;
    pub const HEADER_INFO: u16 = 16;
    pub const FTRACE_EVENTS: u16 = 17;
    pub const EVENT_FORMATS: u16 = 18;
    pub const KALLSYMS: u16 = 19;
    pub const PRINTK: u16 = 20;
    pub const CMDLINES: u16 = 21;
    pub const BUFFER_TEXT: u16 = 22;
    /// Written by traceloom's recorder: the process of each thread, as in `saved_tgids`. trace-cmd
    /// ignores option numbers that it does not know.
    pub const TGIDS: u16 = 0x7467;
}

/// An option.
#[derive(Clone, Copy, Debug)]
pub(super) struct DatOption<'a> {
    pub id: u16,
    pub data: &'a [u8],
    /// The position of `data` in the file.
    pub offset: u64,
}

/// Reads the next option. Version 6 ends the list with a bare 0.
pub(super) fn next<'a>(
    input: &mut Input<'a>,
    version: u8,
) -> Result<Option<DatOption<'a>>, ReadError> {
    const INSIDE: &str = "the options";
    let id = input.u16(INSIDE)?;
    if id == id::DONE && version == 6 {
        return Ok(None);
    }
    let length = input.u32(INSIDE)?;
    let offset = input.offset();
    let data = input.take(length.into(), INSIDE)?;
    Ok(Some(DatOption { id, data, offset }))
}

impl DatOption<'_> {
    /// Stores the fact in the option; `false` if the option contains none.
    pub fn note(&self, order: ByteOrder, facts: &mut Facts) -> bool {
        let text = || {
            let end = memchr::memchr(0, self.data).unwrap_or(self.data.len());
            String::from_utf8_lossy(&self.data[..end]).trim().to_owned()
        };
        match self.id {
            // The offset to the time of day, µs.
            id::DATE => {
                facts.date_ns = number(&text()).map(|us| us.saturating_mul(1000));
            }
            id::OFFSET => facts.offset_ns = number(&text()).unwrap_or(0),
            id::CPUSTAT => facts.cpu_stats.push(text()),
            id::TRACECLOCK if !self.data.is_empty() => facts.clock = chosen_clock(&text()),
            // In version 6, the clock's name follows the list of CPUs.
            id::TRACECLOCK => facts.clock_follows = true,
            id::UNAME => facts.uname = text(),
            id::VERSION => facts.recorder = text(),
            id::CPUCOUNT => facts.cpus = order.u32(self.data, 0),
            id::TRACEID => facts.trace_id = order.u64(self.data, 0),
            id::GUEST => facts.guests.push(text()),
            id::TSC2NSEC => {
                let parts = order.u32(self.data, 0).zip(order.u32(self.data, 4));
                facts.tsc = parts.filter(|(multiplier, _)| *multiplier != 0);
            }
            id::TGIDS => facts.tgids = self.data.to_vec(),
            id::TIME_SHIFT => time_shift(self.data, order, facts),
            _ => return false,
        }
        true
    }
}

/// The clock in brackets: `local [global] mono`.
pub(super) fn chosen_clock(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('[')?;
    let (clock, _) = rest.split_once(']')?;
    Some(clock.trim().to_owned())
}

/// Parses a number like C's `strtoll`: decimal, or hexadecimal after `0x`.
fn number(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()? as i64,
        None => digits.parse().ok()?,
    };
    Some(if negative {
        value.wrapping_neg()
    } else {
        value
    })
}

/// Corrections of a guest's clock for each CPU: times, offsets and scalings. Newer files add the
/// shifts of the scalings.
fn time_shift(data: &[u8], order: ByteOrder, facts: &mut Facts) {
    const INTERPOLATE: u32 = 1;
    let mut input = Input::new(data, 0, order);
    let mut read = || -> Result<Vec<Vec<TimeCorrection>>, ReadError> {
        input.take(8, "")?;
        facts.interpolate = input.u32("")? & INTERPOLATE != 0;
        let cpus = (0..input.u32("")?).map(|_| corrections(&mut input));
        let mut cpus = cpus.collect::<Result<Vec<_>, _>>()?;
        if !input.rest().is_empty() {
            for correction in cpus.iter_mut().flatten() {
                correction.fraction = input.u64("")? as i64;
            }
        }
        Ok(cpus)
    };
    if let Ok(mut cpus) = read() {
        for corrections in &mut cpus {
            sort::by_key(corrections, |correction| correction.time);
            corrections.dedup_by_key(|correction| correction.time);
        }
        facts.corrections = cpus;
    }
}

fn corrections(input: &mut Input<'_>) -> Result<Vec<TimeCorrection>, ReadError> {
    let count = input.u32("")?;
    let mut column = || {
        let bytes = input.take(u64::from(count) * 8, "")?;
        let order = input.order();
        let numbers =
            (0..count as usize).map(move |row| order.u64(bytes, row * 8).unwrap_or(0) as i64);
        Ok::<_, ReadError>(numbers)
    };
    let (times, offsets, scalings) = (column()?, column()?, column()?);
    let rows = times.zip(offsets).zip(scalings);
    let corrections = rows.map(|((time, offset), scaling)| TimeCorrection {
        time,
        offset,
        scaling,
        fraction: 0,
    });
    Ok(corrections.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_clocks() {
        assert_eq!(number("0x10"), Some(16));
        assert_eq!(number("-5"), Some(-5));
        assert_eq!(number("x"), None);
        assert_eq!(
            chosen_clock("local [mono] x86-tsc").as_deref(),
            Some("mono")
        );
        assert_eq!(chosen_clock("local"), None);
    }

    #[test]
    fn processes_of_threads() {
        let option = DatOption {
            id: id::TGIDS,
            data: b"12 10\n10 10\n\0",
            offset: 0,
        };
        let mut facts = Facts::default();
        assert!(option.note(ByteOrder::default(), &mut facts));
        assert_eq!(facts.tgids, option.data);
    }

    #[test]
    fn a_guest_s_corrections() {
        let mut data = 7u64.to_le_bytes().to_vec();
        data.extend([1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]); // interpolate, 1 CPU, 2 corrections
        for number in [200i64, 100, -5, -6, 1, 2, 3, 4] {
            data.extend(number.to_le_bytes());
        }
        let option = DatOption {
            id: id::TIME_SHIFT,
            data: &data,
            offset: 0,
        };
        let mut facts = Facts::default();
        assert!(option.note(ByteOrder::default(), &mut facts));
        let first = facts.corrections[0][0];
        assert!(facts.interpolate);
        assert_eq!(
            (first.time, first.offset, first.scaling, first.fraction),
            (100, -6, 2, 4)
        );
        let cut = DatOption {
            data: &data[..30],
            ..option
        };
        assert!(cut.note(ByteOrder::default(), &mut facts));
    }
}
