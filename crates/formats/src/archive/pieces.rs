//! The traces in an archive, machine by machine.

use traceloom_trace::{ArgValue, NO_TIME, Trace, TraceBuilder};

use super::manifest::{File, Manifest, refuse};
use crate::error::ReadError;
use crate::parts::{MachineClocks, MachineFact, Part, PartRows};

/// Machines that a manifest names are numbered from here on, above the numbers that packets can have.
const FIRST_NAMED: i64 = 1 << 32;

/// A file that was read.
pub(super) struct Member {
    pub name: String,
    pub trace: Trace,
    /// The machines of a Perfetto trace; other formats have none.
    pub parts: Vec<Part>,
}

/// The part of a file that belongs to one machine.
pub(super) struct Piece {
    /// The index of the file in the archive.
    pub file: usize,
    /// The row of the machine.
    pub machine: usize,
    pub trace: Trace,
    /// The clocks, if the file gives them.
    pub clocks: Option<MachineClocks>,
    /// Whether this is a further machine of a file, in addition to the file's main one.
    pub is_further: bool,
}

/// Identifies a machine across all files.
#[derive(Clone, Debug, PartialEq)]
enum Key {
    /// The number in packets; 0 for the machine that recorded.
    Number(u32),
    /// The index of a name among those of the manifest.
    Name(usize),
}

/// The machines of all files. The machine that recorded comes first, if a file has it.
#[derive(Default)]
pub(super) struct Machines {
    rows: Vec<(Key, Vec<(&'static str, MachineFact)>)>,
}

/// Splits the files by machine.
///
/// # Errors
/// If a file has machines that the manifest rules out.
pub(super) fn pieces(
    members: Vec<Member>,
    manifest: Option<&Manifest>,
) -> Result<(Vec<Piece>, Machines), ReadError> {
    let names = manifest.map(Manifest::machines).unwrap_or_default();
    let mut keyed = Vec::new();
    let mut facts = Vec::new();
    for (file, member) in members.into_iter().enumerate() {
        let entry = manifest.and_then(|manifest| manifest.file(&member.name));
        if let Some(entry) = entry {
            check(entry, &member).map_err(refuse)?;
        }
        let mut main = (key(entry, 0, &names).map_err(refuse)?, None);
        let mut own = Vec::new();
        for part in member.parts {
            let key = key(entry, part.raw, &names).map_err(refuse)?;
            facts.push((key.clone(), part.facts));
            match part.rows {
                PartRows::Shared => main = (key, Some(part.clocks)),
                PartRows::Own(trace) => own.push((key, *trace, part.clocks)),
            }
        }
        keyed.push((file, main.0, member.trace, main.1, false));
        keyed.extend(
            own.into_iter()
                .map(|(key, trace, clocks)| (file, key, trace, Some(clocks), true)),
        );
    }
    let keys = keyed.iter().map(|(_, key, ..)| key.clone());
    let machines = Machines::new(keys.collect(), names.len(), facts);
    let pieces = keyed
        .into_iter()
        .map(|(file, key, trace, clocks, is_further)| {
            let machine = machines.place(&key);
            Piece::new(trace, (file, machine), clocks, is_further)
        });
    Ok((pieces.collect(), machines))
}

impl Piece {
    fn new(
        mut trace: Trace,
        (file, machine): (usize, usize),
        clocks: Option<MachineClocks>,
        is_further: bool,
    ) -> Self {
        for row in 0..trace.sources.len() {
            *trace.sources.machine.get_mut(row) = machine as i64;
        }
        Self {
            file,
            machine,
            trace,
            clocks,
            is_further,
        }
    }
}

/// Checks that a file matches the manifest.
fn check(entry: &File, member: &Member) -> Result<(), String> {
    let has_several = member.parts.len() > 1 || member.parts.iter().any(|part| part.raw != 0);
    let path = &member.name;
    if entry.machine.is_some() && has_several {
        return Err(format!(
            "{path:?} has the packets of several machines; name them in machines instead of machine"
        ));
    }
    let is_pinned = entry
        .clocks
        .as_ref()
        .is_some_and(|clocks| clocks.clock.is_none());
    let has_clocks = |part: &Part| part.clocks.own.is_some() || !part.clocks.rows.is_empty();
    if is_pinned && (has_several || member.parts.iter().any(has_clocks)) {
        return Err(format!(
            "{path:?} has clocks of its own; name the one to relate in clocks.clock"
        ));
    }
    Ok(())
}

/// The key of the machine with this number in a file.
fn key(entry: Option<&File>, number: u32, names: &[&str]) -> Result<Key, String> {
    let Some(entry) = entry else {
        return Ok(Key::Number(number));
    };
    let given = entry.machines.iter().find(|(id, _)| *id == number);
    let given = given.map(|(_, name)| name).or(entry.machine.as_ref());
    match given.and_then(|name| names.iter().position(|known| known == name)) {
        Some(name) => Ok(Key::Name(name)),
        None if number != 0 && !entry.machines.is_empty() => Err(format!(
            "{:?} has packets of the machine {number}, which machines does not name",
            entry.path
        )),
        None => Ok(Key::Number(number)),
    }
}

impl Machines {
    fn new(
        used: Vec<Key>,
        names: usize,
        facts: Vec<(Key, Vec<(&'static str, MachineFact)>)>,
    ) -> Self {
        let mut all = Self::default();
        let recorder = used.iter().filter(|key| **key == Key::Number(0));
        let named = (0..names).map(Key::Name);
        for key in recorder.cloned().chain(named).chain(used.clone()) {
            if !all.rows.iter().any(|(known, _)| *known == key) {
                all.rows.push((key, Vec::new()));
            }
        }
        for (key, facts) in facts {
            let row = all.place(&key);
            if let Some((_, known)) = all.rows.get_mut(row) {
                let is_new = |column: &str| !known.iter().any(|(known, _)| *known == column);
                let new: Vec<_> = facts
                    .into_iter()
                    .filter(|(column, _)| is_new(column))
                    .collect();
                known.extend(new);
            }
        }
        all
    }

    fn place(&self, key: &Key) -> usize {
        let place = self.rows.iter().position(|(known, _)| known == key);
        place.unwrap_or(0)
    }

    /// Writes the rows of `machine`.
    pub fn write(&self, names: &[&str], out: &mut TraceBuilder) {
        let mut label = 0;
        for (key, facts) in &self.rows {
            let (number, name) = match key {
                Key::Number(number) => (i64::from(*number), None),
                Key::Name(place) => (FIRST_NAMED + *place as i64, names.get(*place)),
            };
            label += i64::from(number != 0);
            let mut cells = vec![
                ("raw_id", ArgValue::Int(number)),
                (
                    "label_index",
                    ArgValue::Int(if number == 0 { 0 } else { label }),
                ),
            ];
            for (column, fact) in facts {
                cells.push((column, value(fact, out)));
            }
            let has_name = facts.iter().any(|(column, _)| *column == "name");
            if let Some(name) = name.filter(|_| !has_name) {
                cells.push(("name", ArgValue::Text(out.intern(name.as_bytes()))));
            }
            out.record(NO_TIME, "machine", &cells);
        }
    }
}

fn value(fact: &MachineFact, out: &mut TraceBuilder) -> ArgValue {
    match fact {
        MachineFact::Number(number) => ArgValue::Int(*number),
        MachineFact::Text(text) => ArgValue::Text(out.intern(text.as_bytes())),
    }
}
