//! A trace whose calls are added up.

use traceloom_host::Content;

use super::calls::{Calls, Repairs};
use super::key;
use super::methods::{Method, MethodIndex, Methods};
use super::order::Order;
use super::records::{Records, torn_note};
use super::relatives::{Relatives, Side};
use super::sums::Totals;
use super::threads::Threads;

/// Everything the reports need.
pub(super) struct Profile<'a> {
    pub methods: Methods<'a>,
    pub order: Order,
    /// By method.
    totals: Vec<Totals>,
    /// Time from the first to the last record, summed over threads, µs.
    pub total: u64,
    pub callers: Relatives,
    pub callees: Relatives,
    /// All methods by falling inclusive time.
    pub by_inclusive: Vec<MethodIndex>,
    /// By method: its place in `by_inclusive`, which is the number in brackets.
    pub ranks: Vec<u32>,
}

impl<'a> Profile<'a> {
    /// Reads a trace. Returns lines for standard error, and the profile unless the key section is
    /// broken. An unsupported version gives an empty profile, as in the original.
    pub fn read(trace: &'a Content) -> (Vec<u8>, Option<Self>) {
        let section = key::read(trace);
        let mut notes = section.notes;
        let profile = section.keys.map(|keys| {
            let mut calls = Calls::new(keys.methods);
            match Records::open(trace, keys.end) {
                Ok(mut records) => {
                    let mut threads = Threads::default();
                    while let Some(piece) = records.next_piece() {
                        notes.extend(torn_note(&piece).bytes());
                        calls.take(piece, &mut threads);
                    }
                    calls.finish(threads);
                }
                Err(note) => notes.extend(note.bytes()),
            }
            repair_notes(&calls.repairs, &calls.methods, &mut notes);
            Profile::new(calls)
        });
        (notes, profile)
    }

    fn new(calls: Calls<'a>) -> Self {
        let methods = calls.sums.totals.len();
        let relatives = |side| Relatives::new(&calls.sums.edges, methods, side);
        let mut profile = Profile {
            callers: relatives(Side::Callers),
            callees: relatives(Side::Callees),
            by_inclusive: Vec::new(),
            ranks: vec![0; methods],
            order: Order::new(&calls.methods.list),
            methods: calls.methods,
            totals: calls.sums.totals,
            total: calls.total,
        };
        let mut order: Vec<_> = (0..methods as MethodIndex).collect();
        profile.sort(&mut order, |&m| (profile.totals(m).inclusive, m));
        for (rank, &method) in (0..).zip(&order) {
            profile.ranks[method as usize] = rank;
        }
        profile.by_inclusive = order;
        profile
    }

    /// Sorts items by falling time. `key` gives an item's time and method.
    pub fn sort<T: Copy>(&self, items: &mut [T], key: impl Fn(&T) -> (u64, MethodIndex)) {
        self.order.sort_by_time(&self.methods.list, items, key);
    }

    pub fn totals(&self, method: MethodIndex) -> &Totals {
        &self.totals[method as usize]
    }

    pub fn rank_of(&self, method: MethodIndex) -> u32 {
        self.ranks[method as usize]
    }

    /// A warning about names that are too long for the original, which aborts. They are printed in full here.
    pub fn long_names_note(&self) -> Vec<u8> {
        match self.methods.list.iter().filter(|m| m.is_too_long()).count() {
            0 => Vec::new(),
            count => {
                format!("WARNING: {count} methods have names of 10 KiB or more\n").into_bytes()
            }
        }
    }
}

/// A line for each kind of repair of records that would crash the original.
fn repair_notes(repairs: &Repairs, methods: &Methods<'_>, notes: &mut Vec<u8>) {
    if let Some((thread, method)) = repairs.first {
        let (early, ignored) = (repairs.closed_early, repairs.ignored);
        let text = format!(
            "WARNING: exits did not match the stack: {early} calls closed early, {ignored} exits \
             ignored; first on thread {thread}, exit from method "
        );
        notes.extend(text.bytes());
        notes.extend(full_name(methods.get(method)));
        notes.push(b'\n');
    }
    if repairs.too_deep > 0 {
        let depth = repairs.too_deep;
        notes.extend(format!("WARNING: a stack is {depth} frames deep\n").bytes());
    }
}

fn full_name(method: &Method<'_>) -> Vec<u8> {
    match method.name {
        Some(name) => [method.class, b".", name, b" ", method.signature].concat(),
        None => method.class.to_vec(),
    }
}
