//! `CompactSched`: context switches and wakeups as packed columns. Timestamps are relative to the previous one, and
//! names are indices in a table.

use super::wire::{Fields, Packed};

/// A context switch. The previous thread is the next thread of the CPU's last switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompactSwitch<'a> {
    pub ts: i64,
    pub prev_state: i64,
    pub next_tid: i32,
    pub next_prio: i32,
    pub next_comm: &'a [u8],
}

/// A `sched_waking`. The waker is the running thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompactWaking<'a> {
    pub ts: i64,
    pub tid: i32,
    pub target_cpu: i32,
    pub prio: i32,
    pub comm: &'a [u8],
    /// `common_flags`, if they were recorded.
    pub flags: Option<u64>,
}

/// The name table of a `CompactSched`. It stores only the offset of each name's field to stay small, because many
/// blocks may be in progress.
#[derive(Clone, Debug)]
struct Names<'a> {
    bytes: &'a [u8],
    starts: Vec<u32>,
}

impl<'a> Names<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let mut starts = Vec::new();
        let mut fields = Fields::new(bytes);
        let mut start = 0;
        while let Some(field) = fields.next() {
            if field.number == 5 {
                starts.push(start as u32);
            }
            start = fields.at();
        }
        Self { bytes, starts }
    }

    fn get(&self, index: u64) -> &'a [u8] {
        let start = usize::try_from(index)
            .ok()
            .and_then(|index| self.starts.get(index));
        let field = start.and_then(|start| Fields::new(&self.bytes[*start as usize..]).next());
        field.map_or(&[], |field| field.bytes())
    }
}

/// A column.
fn column(bytes: &[u8], number: u32) -> Packed<'_> {
    let field = Fields::new(bytes).find(|field| field.number == number);
    Packed::new(field.map_or(&[], |field| field.bytes()))
}

/// The timestamp column, and whether the length of another column differs from it.
#[derive(Clone, Debug)]
struct Times<'a> {
    ts: i64,
    deltas: Packed<'a>,
    is_uneven: bool,
}

impl<'a> Times<'a> {
    fn new(deltas: Packed<'a>) -> Self {
        Self {
            ts: 0,
            deltas,
            is_uneven: false,
        }
    }

    /// The timestamp of the next row, ns. `other` is another column, which should end at the same row.
    fn next(&mut self, other: &mut Packed<'a>) -> Option<i64> {
        let Some(delta) = self.deltas.next() else {
            self.is_uneven |= other.next().is_some();
            return None;
        };
        self.ts = self.ts.saturating_add_unsigned(delta);
        Some(self.ts)
    }

    /// Returns `row` unchanged. `None` means that another column ended before this one.
    fn checked<T>(&mut self, row: Option<T>) -> Option<T> {
        self.is_uneven |= row.is_none();
        row
    }
}

/// The switches of a `CompactSched`. Ends with the shortest column.
#[derive(Clone, Debug)]
pub(super) struct Switches<'a> {
    names: Names<'a>,
    times: Times<'a>,
    states: Packed<'a>,
    tids: Packed<'a>,
    prios: Packed<'a>,
    comms: Packed<'a>,
}

impl<'a> Switches<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            names: Names::new(bytes),
            times: Times::new(column(bytes, 1)),
            states: column(bytes, 2),
            tids: column(bytes, 3),
            prios: column(bytes, 4),
            comms: column(bytes, 6),
        }
    }

    /// Whether a column still had values at the end.
    pub fn is_uneven(&self) -> bool {
        self.times.is_uneven
    }

    fn row(&mut self, ts: i64) -> Option<CompactSwitch<'a>> {
        Some(CompactSwitch {
            ts,
            prev_state: self.states.next()? as i64,
            next_tid: self.tids.next()? as i32,
            next_prio: self.prios.next()? as i32,
            next_comm: self.names.get(self.comms.next()?),
        })
    }
}

impl<'a> Iterator for Switches<'a> {
    type Item = CompactSwitch<'a>;

    fn next(&mut self) -> Option<CompactSwitch<'a>> {
        let ts = self.times.next(&mut self.tids)?;
        let row = self.row(ts);
        self.times.checked(row)
    }
}

/// The wakeups of a `CompactSched`. Ends with the shortest column.
#[derive(Clone, Debug)]
pub(super) struct Wakings<'a> {
    names: Names<'a>,
    times: Times<'a>,
    tids: Packed<'a>,
    cpus: Packed<'a>,
    prios: Packed<'a>,
    comms: Packed<'a>,
    flags: Packed<'a>,
}

impl<'a> Wakings<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            names: Names::new(bytes),
            times: Times::new(column(bytes, 7)),
            tids: column(bytes, 8),
            cpus: column(bytes, 9),
            prios: column(bytes, 10),
            comms: column(bytes, 11),
            flags: column(bytes, 12),
        }
    }

    /// Whether a column still had values at the end.
    pub fn is_uneven(&self) -> bool {
        self.times.is_uneven
    }

    fn row(&mut self, ts: i64) -> Option<CompactWaking<'a>> {
        Some(CompactWaking {
            ts,
            tid: self.tids.next()? as i32,
            target_cpu: self.cpus.next()? as i32,
            prio: self.prios.next()? as i32,
            comm: self.names.get(self.comms.next()?),
            flags: self.flags.next(),
        })
    }
}

impl<'a> Iterator for Wakings<'a> {
    type Item = CompactWaking<'a>;

    fn next(&mut self) -> Option<CompactWaking<'a>> {
        let ts = self.times.next(&mut self.tids)?;
        let row = self.row(ts);
        self.times.checked(row)
    }
}
