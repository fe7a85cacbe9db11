//! A trace, read and accounted for.

use super::account::{Account, Accountant, Repairs, Totals};
use super::key;
use super::methods::{MethodIndex, Methods};
use super::order::Order;
use super::records::{HeaderError, Records};
use super::relatives::Relatives;

/// Everything the reports need.
pub(super) struct Profile<'a> {
    pub methods: Methods<'a>,
    /// By method.
    pub totals: Vec<Totals>,
    /// From first to last record, summed over threads, µs.
    pub total: u64,
    pub callers: Relatives,
    pub callees: Relatives,
}

impl<'a> Profile<'a> {
    /// Reads a trace: what there is to say on stderr, and the profile unless the key section is
    /// broken. An unsupported version gives an empty profile, as it does in the original.
    pub fn read(data: &'a [u8]) -> (Vec<u8>, Option<Self>) {
        let mut notes = Vec::new();
        let section = key::read(data);
        for warning in &section.warnings {
            warning.write(&mut notes);
        }
        let keys = match section.keys {
            Ok(keys) => keys,
            Err(error) => {
                error.write(&mut notes);
                return (notes, None);
            }
        };
        let account = match Records::new(data, keys.end) {
            Ok(records) => account(&keys.methods, records, &mut notes),
            Err(error) => {
                header_note(&error, &mut notes);
                nothing(keys.methods.len())
            }
        };
        repair_note(&account.repairs, &keys.methods, &mut notes);
        let (callers, callees) = Relatives::both(&account.edges, keys.methods.len());
        let profile = Profile {
            callers,
            callees,
            total: account.total,
            totals: account.totals,
            methods: keys.methods,
        };
        (notes, Some(profile))
    }

    /// Sorts `list` by inclusive time and returns each method's place there: the number in
    /// brackets.
    pub fn rank(&self, list: &mut [MethodIndex]) -> Vec<u32> {
        self.sort_inclusive(list);
        let mut ranks = vec![0; list.len()];
        for (rank, &method) in list.iter().enumerate() {
            ranks[method as usize] = rank as u32;
        }
        ranks
    }

    /// Sorts all methods by inclusive time; `ranks` are from [`Profile::rank`].
    pub fn sort_by_rank(&self, list: &mut [MethodIndex], ranks: &[u32]) {
        if self.order().has_twins() {
            return self.sort_inclusive(list);
        }
        for (method, &rank) in (0..).zip(ranks) {
            list[rank as usize] = method;
        }
    }

    pub fn sort_inclusive(&self, list: &mut [MethodIndex]) {
        let time = |m: MethodIndex| self.totals[m as usize].inclusive;
        self.order().sort_by_time(self.methods.list(), list, time);
    }

    pub fn sort_exclusive(&self, list: &mut [MethodIndex]) {
        let time = |m: MethodIndex| self.totals[m as usize].exclusive;
        self.order().sort_by_time(self.methods.list(), list, time);
    }

    fn order(&self) -> &Order {
        self.methods.order()
    }

    pub fn totals(&self, method: MethodIndex) -> &Totals {
        &self.totals[method as usize]
    }
}

fn account(methods: &Methods<'_>, records: Records<'_>, notes: &mut Vec<u8>) -> Account {
    let mut accountant = Accountant::new(methods);
    accountant.read(&records);
    if records.is_torn() {
        notes.extend_from_slice(TORN);
    }
    accountant.finish()
}

fn nothing(methods: usize) -> Account {
    Account {
        totals: vec![Totals::default(); methods],
        edges: Vec::new(),
        total: 0,
        repairs: Repairs::default(),
    }
}

/// What the original says of a file that ends inside a record.
pub(super) const TORN: &[u8] = b"WARNING: hit EOF mid-record\n";

/// The original is silent about a bad offset.
pub(super) fn header_note(error: &HeaderError, notes: &mut Vec<u8>) {
    if let HeaderError::Version(_) = error {
        notes.extend_from_slice(format!("{error}\n").as_bytes());
    }
}

/// One line each for what ends the original: nothing is repaired silently.
fn repair_note(repairs: &Repairs, methods: &Methods<'_>, notes: &mut Vec<u8>) {
    if let Some((thread, method)) = repairs.first {
        let (early, ignored) = (repairs.closed_early, repairs.ignored);
        let text = format!(
            "WARNING: exits did not match the stack: {early} calls closed early, {ignored} exits \
             ignored; first on thread {thread}, exit from method "
        );
        notes.extend_from_slice(text.as_bytes());
        let method = methods.get(method);
        notes.extend_from_slice(method.class);
        if let Some(name) = method.name {
            for part in [b".", name, b" ", method.signature] {
                notes.extend_from_slice(part);
            }
        }
        notes.push(b'\n');
    }
    if repairs.too_deep > 0 {
        let text = format!("WARNING: a stack is {} frames deep\n", repairs.too_deep);
        notes.extend_from_slice(text.as_bytes());
    }
}
