//! `CompactSched`: switches and wake-ups as columns. Each column is packed, times are distances to the time before, and
//! names are indices in a table.

use super::wire::{Fields, Packed};

/// A switch. The thread that leaves is the one that came with the CPU's last switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompactSwitch<'a> {
    pub ts: i64,
    pub prev_state: i64,
    pub next_tid: i32,
    pub next_prio: i32,
    pub next_comm: &'a [u8],
}

/// A `sched_waking`. The thread that wakes is the one that runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompactWaking<'a> {
    pub ts: i64,
    pub tid: i32,
    pub target_cpu: i32,
    pub prio: i32,
    pub comm: &'a [u8],
}

/// The names of a `CompactSched`.
fn names(bytes: &[u8]) -> Vec<&[u8]> {
    Fields::new(bytes)
        .filter(|field| field.number == 5)
        .map(|field| field.bytes())
        .collect()
}

/// A column.
fn column(bytes: &[u8], number: u32) -> Packed<'_> {
    let field = Fields::new(bytes).find(|field| field.number == number);
    Packed::new(field.map_or(&[], |field| field.bytes()))
}

/// The switches of a `CompactSched`. Ends with the shortest column.
#[derive(Clone, Debug)]
pub(super) struct Switches<'a> {
    names: Vec<&'a [u8]>,
    ts: i64,
    times: Packed<'a>,
    states: Packed<'a>,
    tids: Packed<'a>,
    prios: Packed<'a>,
    comms: Packed<'a>,
}

impl<'a> Switches<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            names: names(bytes),
            ts: 0,
            times: column(bytes, 1),
            states: column(bytes, 2),
            tids: column(bytes, 3),
            prios: column(bytes, 4),
            comms: column(bytes, 6),
        }
    }
}

impl<'a> Iterator for Switches<'a> {
    type Item = CompactSwitch<'a>;

    fn next(&mut self) -> Option<CompactSwitch<'a>> {
        self.ts = self.ts.saturating_add_unsigned(self.times.next()?);
        Some(CompactSwitch {
            ts: self.ts,
            prev_state: self.states.next()? as i64,
            next_tid: self.tids.next()? as i32,
            next_prio: self.prios.next()? as i32,
            next_comm: name(&self.names, self.comms.next()?),
        })
    }
}

/// The wake-ups of a `CompactSched`. Ends with the shortest column.
#[derive(Clone, Debug)]
pub(super) struct Wakings<'a> {
    names: Vec<&'a [u8]>,
    ts: i64,
    times: Packed<'a>,
    tids: Packed<'a>,
    cpus: Packed<'a>,
    prios: Packed<'a>,
    comms: Packed<'a>,
}

impl<'a> Wakings<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            names: names(bytes),
            ts: 0,
            times: column(bytes, 7),
            tids: column(bytes, 8),
            cpus: column(bytes, 9),
            prios: column(bytes, 10),
            comms: column(bytes, 11),
        }
    }
}

impl<'a> Iterator for Wakings<'a> {
    type Item = CompactWaking<'a>;

    fn next(&mut self) -> Option<CompactWaking<'a>> {
        self.ts = self.ts.saturating_add_unsigned(self.times.next()?);
        Some(CompactWaking {
            ts: self.ts,
            tid: self.tids.next()? as i32,
            target_cpu: self.cpus.next()? as i32,
            prio: self.prios.next()? as i32,
            comm: name(&self.names, self.comms.next()?),
        })
    }
}

fn name<'a>(names: &[&'a [u8]], index: u64) -> &'a [u8] {
    let index = usize::try_from(index).unwrap_or(usize::MAX);
    names.get(index).copied().unwrap_or_default()
}
