//! Gives arguments of JSON traces the names that PerfettoSQL has: `args.` before each key, and a row for each value
//! inside an object or a list:
//!
//! ```text
//! "args": {"a": {"b": 1}, "list": [5, 6]}       args.a.b = 1, args.list[0] = 5, args.list[1] = 6
//! ```
//!
//! Slices without a name have PerfettoSQL's name for them. The page and `convert` keep the file's own keys, values and
//! names.

use std::cell::RefCell;
use std::fmt;

use rustc_hash::FxHashMap;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use traceloom_trace::{
    ArgSetId, ArgTable, ArgValue, NO_DURATION, RowId, StringId, StringPool, Trace,
};

/// The name of the JSON format in `source`.
const FORMAT: &str = "chrome-json";

/// The name of a slice without one.
const NO_NAME: &str = "[No name]";

/// The key of values that are not a member of `args`: `"args": "text"`.
const ARGS: &str = "args";

/// The key under which the reader stores the category of an instant, because the model has no other place for it.
const CATEGORY: &str = "cat";

/// Whether any source is JSON.
pub(super) fn has_json(trace: &Trace) -> bool {
    let mut formats = trace.sources.format.iter();
    formats.any(|id| trace.strings.get(id) == FORMAT)
}

/// Renames the arguments of slices from JSON. Nulls have no row.
pub(super) fn rename(trace: &mut Trace) {
    let sources = trace.sources.format.iter();
    let sources: Vec<bool> = sources.map(|id| trace.strings.get(id) == FORMAT).collect();
    let is_json = |source: usize| sources.get(source).copied().unwrap_or(false);
    let tracks = trace.tracks.source.iter();
    let tracks: Vec<bool> = tracks.map(|source| is_json(source.row())).collect();
    let mut renamer = Renamer {
        old: std::mem::take(&mut trace.args),
        args: ArgTable::default(),
        sets: FxHashMap::default(),
        keys: FxHashMap::default(),
    };
    for row in 0..trace.slices.len() {
        let track = trace.slices.track_id.get(row).row();
        let old = trace.slices.arg_set_id.get(row);
        let set = if tracks.get(track) == Some(&true) {
            let is_instant = trace.slices.dur.get(row) == 0
                && trace.slices.thread_dur.get(row) == NO_DURATION
                && trace.slices.category.get(row) == StringId::NULL;
            let category = renamer.category(old, &trace.strings).filter(|_| is_instant);
            if let Some(category) = category {
                *trace.slices.category.get_mut(row) = category;
            }
            renamer.renamed(old, category.is_some(), &mut trace.strings)
        } else {
            renamer.copied(old)
        };
        *trace.slices.arg_set_id.get_mut(row) = set;
    }
    // The sets of all other tables keep their keys.
    let of_slices = std::mem::take(&mut trace.slices.arg_set_id);
    let renamer = RefCell::new(renamer);
    trace.replace_arg_sets(|set| renamer.borrow_mut().copied(set));
    trace.slices.arg_set_id = of_slices;
    trace.args = renamer.into_inner().args;
    name_slices(trace, &tracks);
}

/// Names the slices and the instants of threads that have no name or an empty one. Other empty texts become NULL.
/// `tracks` says which tracks are from JSON.
fn name_slices(trace: &mut Trace, tracks: &[bool]) {
    let empty = |id: StringId| matches!(id, StringId::NULL | StringId::EMPTY);
    for row in 0..trace.slices.len() {
        let track = trace.slices.track_id.get(row).row();
        if tracks.get(track) != Some(&true) {
            continue;
        }
        if trace.slices.category.get(row) == StringId::EMPTY {
            *trace.slices.category.get_mut(row) = StringId::NULL;
        }
        if empty(trace.slices.name.get(row)) {
            let is_of_thread = trace.tracks.utid.get(track).some().is_some();
            let is_named = is_of_thread || !trace.slices.is_instant(row);
            let name = if is_named {
                trace.strings.intern(NO_NAME)
            } else {
                StringId::NULL
            };
            *trace.slices.name.get_mut(row) = name;
        }
    }
}

struct Renamer {
    old: ArgTable,
    args: ArgTable,
    /// The new sets, by the old set, whether its keys are renamed, and whether the category is removed.
    sets: FxHashMap<(ArgSetId, bool, bool), ArgSetId>,
    /// The new keys, by the old key and whether its value is an object.
    keys: FxHashMap<(StringId, bool), StringId>,
}

impl Renamer {
    fn copied(&mut self, set: ArgSetId) -> ArgSetId {
        if set == ArgSetId::NONE {
            return set;
        }
        let (old, args) = (&self.old, &mut self.args);
        let sets = self.sets.entry((set, false, false));
        *sets.or_insert_with(|| args.push_set(old.set(set)))
    }

    /// The category of an instant with this set.
    fn category(&self, set: ArgSetId, strings: &StringPool) -> Option<StringId> {
        match self.first(set)? {
            (key, ArgValue::Text(text)) if strings.get(key) == CATEGORY => Some(text),
            _ => None,
        }
    }

    fn first(&self, set: ArgSetId) -> Option<(StringId, ArgValue)> {
        set.some()?;
        self.old.set(set).next()
    }

    fn renamed(&mut self, set: ArgSetId, has_category: bool, strings: &mut StringPool) -> ArgSetId {
        if set == ArgSetId::NONE {
            return set;
        }
        if let Some(known) = self.sets.get(&(set, true, has_category)) {
            return *known;
        }
        let mut rows = Vec::new();
        for (key, value) in self.old.set(set).skip(has_category.into()) {
            let is_object =
                matches!(value, ArgValue::Json(text) if strings.get(text).starts_with('{'));
            let keys = self.keys.entry((key, is_object));
            let key = *keys.or_insert_with(|| prefixed(key, is_object, strings));
            match value {
                ArgValue::Null | ArgValue::Row(..) => {}
                ArgValue::Json(text) => flatten(key, text, strings, &mut rows),
                value => rows.push((key, value)),
            }
        }
        let new = self.args.push_set(rows);
        self.sets.insert((set, true, has_category), new);
        new
    }
}

/// The new key of a value. An object under `args` is a member of this name, because a value that is not a member is
/// never an object.
fn prefixed(key: StringId, is_object: bool, strings: &mut StringPool) -> StringId {
    match strings.get(key) {
        ARGS if !is_object => key,
        name => {
            let name = format!("{ARGS}.{name}");
            strings.intern(&name)
        }
    }
}

/// Adds a row for each value inside an object or a list. A value stays unchanged if it is nested too deeply, or if its
/// keys would be much longer than its text.
fn flatten(
    key: StringId,
    text: StringId,
    strings: &mut StringPool,
    rows: &mut Vec<(StringId, ArgValue)>,
) {
    let before = rows.len();
    let json = strings.get(text).to_owned();
    let key_text = strings.get(key).to_owned();
    let mut leaves = Leaves {
        left: 16 * (json.len() + key_text.len()) + 256,
        key: key_text,
        strings,
        rows,
    };
    let mut reader = serde_json::Deserializer::from_str(&json);
    if leaves.deserialize_at(&mut reader).is_err() {
        rows.truncate(before);
        rows.push((key, ArgValue::Json(text)));
    }
}

/// Collects the values inside a value.
struct Leaves<'a> {
    /// The key of the current value.
    key: String,
    /// The total length that the following keys may have, bytes.
    left: usize,
    strings: &'a mut StringPool,
    rows: &'a mut Vec<(StringId, ArgValue)>,
}

impl Leaves<'_> {
    fn deserialize_at<'de, D: Deserializer<'de>>(&mut self, from: D) -> Result<(), D::Error> {
        DeserializeSeed::deserialize(self, from)
    }

    fn add<E: Error>(&mut self, value: ArgValue) -> Result<(), E> {
        let left = self.left.checked_sub(self.key.len());
        self.left = left.ok_or_else(|| E::custom("the keys are too long"))?;
        let key = self.strings.intern(&self.key);
        self.rows.push((key, value));
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for &mut Leaves<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Leaves<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.add(ArgValue::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.add(ArgValue::Int(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        match i64::try_from(value) {
            Ok(value) => self.add(ArgValue::Int(value)),
            Err(_) => self.add(ArgValue::Unsigned(value)),
        }
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        self.add(ArgValue::Float(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        let text = self.strings.intern(value);
        self.add(ArgValue::Text(text))
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let length = self.key.len();
        let mut number = 0_usize;
        loop {
            self.key += &format!("[{number}]");
            let item = list.next_element_seed(&mut *self)?;
            self.key.truncate(length);
            if item.is_none() {
                return Ok(());
            }
            number += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let length = self.key.len();
        while let Some(name) = members.next_key::<String>()? {
            self.key.push('.');
            self.key += &name;
            members.next_value_seed(&mut *self)?;
            self.key.truncate(length);
        }
        Ok(())
    }
}
