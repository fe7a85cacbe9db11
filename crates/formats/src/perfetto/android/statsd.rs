//! Atoms: the events of Android's statistics service (statsd).
//!
//! ```text
//! StatsdAtom   atom, any number; when each was noted, ns
//! Atom         one message; its field number is the kind of atom
//! ```
//! Perfetto's `.proto` files contain only the numbers and names of atoms, not their messages. So the fields of an atom
//! are named by their numbers, as Perfetto does for manufacturers' atoms. [`atoms`] has the messages that SQL modules
//! read.

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgSetId, ArgValue, StringId, TraceBuilder, TrackType};

use super::super::descriptors::Descriptors;
use super::super::wire::{Field, Fields, Value, varint};
use super::atoms::{self, text};

/// Collects atoms. A packet has several atoms with their own timestamps, so they are sorted at the end.
#[derive(Default)]
pub(super) struct Statsd {
    atoms: Vec<Atom>,
    names: FxHashMap<u32, StringId>,
}

struct Atom {
    ts: i64,
    name: StringId,
    args: ArgSetId,
}

impl Statsd {
    /// Reads a `StatsdAtom`. An atom without a timestamp gets that of the packet.
    pub fn packet(
        &mut self,
        ts: i64,
        fields: Fields<'_>,
        descriptors: &Descriptors,
        out: &mut TraceBuilder,
    ) {
        let times = fields.clone().filter(|field| field.number == 2);
        let mut times = times.flat_map(Field::numbers);
        for atom in fields.filter(|field| field.number == 1) {
            let ts = times.next().map_or(ts, |ts| ts as i64);
            let Some(content) = atom.fields().next() else {
                continue;
            };
            let name = self.name(content.number, descriptors, out);
            let shown = out.trace().strings.get(name).to_owned();
            let known = atoms::args((content.number, &shown), content.fields(), out);
            let args = known.unwrap_or_else(|| args(content.bytes(), out));
            let args = out.args(args);
            let atom = Atom { ts, name, args };
            self.atoms.push(atom);
        }
    }

    /// The name of a kind of atom.
    fn name(&mut self, number: u32, descriptors: &Descriptors, out: &mut TraceBuilder) -> StringId {
        let name = self.names.entry(number).or_insert_with(|| {
            let known = descriptors.enum_name("AtomId", number.into());
            let known = known.and_then(|known| known.strip_prefix("ATOM_"));
            let name = known.map_or(format!("atom_{number}"), str::to_lowercase);
            out.intern(name.as_bytes())
        });
        *name
    }

    /// Writes the atoms, sorted by time.
    pub fn finish(mut self, out: &mut TraceBuilder) {
        if self.atoms.is_empty() {
            return;
        }
        self.atoms.sort_by_key(|atom| atom.ts);
        let title = out.intern(b"Statsd Atoms");
        let track = out.global_track(TrackType::StatsdAtoms, title);
        for atom in self.atoms {
            out.instant(track, atom.ts, atom.name, atom.args);
        }
    }
}

/// The fields of an atom. Fixed 4-byte and 8-byte fields are assumed to be floats and doubles, which they nearly always
/// are.
fn args(atom: &[u8], out: &mut TraceBuilder) -> Vec<(StringId, ArgValue)> {
    const EIGHT_BYTES: u64 = 1;
    const FOUR_BYTES: u64 = 5;
    let mut args = Vec::new();
    let mut fields = Fields::new(atom);
    loop {
        let mut at = fields.at();
        let Some(field) = fields.next() else {
            return args;
        };
        let kind = varint(atom, &mut at).unwrap_or_default() & 7;
        let name = format!("field_{}", field.number);
        let (name, value) = match (field.value, kind) {
            (Value::Number(bits), EIGHT_BYTES) => (
                name + "_assuming_double",
                ArgValue::Float(f64::from_bits(bits)),
            ),
            (Value::Number(bits), FOUR_BYTES) => (
                name + "_assuming_float",
                ArgValue::Float(f32::from_bits(bits as u32).into()),
            ),
            (Value::Number(bits), _) => (name, ArgValue::Int(bits as i64)),
            (Value::Bytes(bytes), _) => (name, ArgValue::Text(out.intern(text(bytes).as_bytes()))),
        };
        args.push((out.intern(name.as_bytes()), value));
    }
}
