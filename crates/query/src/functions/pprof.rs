//! `experimental_profile(stack, type, unit, value, …)`: the profile of all stacks as a file of
//! [pprof](https://github.com/google/pprof/blob/main/proto/profile.proto). Without values, it counts the stacks.

use rusqlite::Connection;
use rusqlite::functions::{Aggregate, Context};
use rusqlite::types::ValueRef;
use rustc_hash::FxHashMap;
use traceloom_trace::sort;

use super::arguments::refused;
use super::flags::PURE;
use super::message::{bytes, number, packed, repeated};
use super::stacks::{ENTRIES, NAME};
use crate::operators::{Failure, Meter, Pool};

/// Registers the function with a connection.
pub(super) fn register(connection: &Connection, pool: &Pool) -> rusqlite::Result<()> {
    let aggregate = Build(pool.clone());
    connection.create_aggregate_function("experimental_profile", -1, PURE, aggregate)
}

struct Build(Pool);

/// The profile so far.
struct Profile {
    /// The id of each text; the empty text has the id 0.
    texts: FxHashMap<Vec<u8>, u64>,
    /// The type and the unit of each value.
    kinds: Vec<(u64, u64)>,
    /// The values of each stack, which is a list of the names of its frames.
    samples: FxHashMap<Vec<u64>, Vec<i64>>,
    meter: Meter,
}

impl Aggregate<Profile, Option<Vec<u8>>> for Build {
    fn init(&self, context: &mut Context<'_>) -> rusqlite::Result<Profile> {
        let mut profile = Profile {
            texts: FxHashMap::default(),
            kinds: Vec::new(),
            samples: FxHashMap::default(),
            meter: self.0.meter(),
        };
        profile.text(b"")?;
        profile.read_kinds(context)?;
        Ok(profile)
    }

    fn step(&self, context: &mut Context<'_>, profile: &mut Profile) -> rusqlite::Result<()> {
        let stack = match context.get_raw(0) {
            ValueRef::Blob(stack) => repeated(ENTRIES, stack),
            _ => None,
        };
        let frames = stack.and_then(|entries| {
            let names = entries
                .into_iter()
                .map(|entry| repeated(NAME, entry)?.pop());
            names.collect::<Option<Vec<&[u8]>>>()
        });
        let frames = frames.ok_or_else(|| refused("the first argument is not a stack"))?;
        let names: Result<Vec<u64>, Failure> =
            frames.into_iter().map(|name| profile.text(name)).collect();
        let names = names?;
        let count = profile.kinds.len();
        profile.meter.grow(names.len() * 8 + count * 8 + 64)?;
        let sums = profile
            .samples
            .entry(names)
            .or_insert_with(|| vec![0; count]);
        for (at, sum) in sums.iter_mut().enumerate() {
            let value = match context.len() {
                1 => 1,
                _ => context
                    .get_raw(3 + at * 3)
                    .as_i64()
                    .map_err(|_| refused("the values of a profile must be whole numbers"))?,
            };
            *sum = sum.saturating_add(value);
        }
        Ok(())
    }

    fn finalize(
        &self,
        _: &mut Context<'_>,
        profile: Option<Profile>,
    ) -> rusqlite::Result<Option<Vec<u8>>> {
        Ok(profile.map(Profile::finish))
    }
}

impl Profile {
    fn read_kinds(&mut self, context: &Context<'_>) -> rusqlite::Result<()> {
        if context.len() == 1 {
            let kind = (self.text(b"samples"), self.text(b"count"));
            self.kinds.push((kind.0?, kind.1?));
            return Ok(());
        }
        if context.is_empty() || context.len() % 3 != 1 {
            let message =
                "a profile takes a stack, then the type, the unit and the value of each number";
            return Err(refused(message));
        }
        for at in (1..context.len()).step_by(3) {
            let text = |at: usize| match context.get_raw(at) {
                ValueRef::Text(text) => Ok(text),
                _ => Err(refused("the type and the unit of a value must be texts")),
            };
            let kind = (self.text(text(at)?), self.text(text(at + 1)?));
            self.kinds.push((kind.0?, kind.1?));
        }
        Ok(())
    }

    /// The number of a text.
    fn text(&mut self, text: &[u8]) -> Result<u64, Failure> {
        if let Some(number) = self.texts.get(text) {
            return Ok(*number);
        }
        self.meter.grow(text.len() + 64)?;
        let number = self.texts.len() as u64;
        self.texts.insert(text.to_vec(), number);
        Ok(number)
    }

    /// The file. Its order does not depend on the order of the hash maps.
    fn finish(self) -> Vec<u8> {
        let mut out = Vec::new();
        for (kind, unit) in &self.kinds {
            let mut message = Vec::new();
            number(1, *kind, &mut message);
            number(2, *unit, &mut message);
            bytes(1, &message, &mut out);
        }
        let mut samples: Vec<_> = self.samples.iter().collect();
        samples.sort_unstable();
        for (names, values) in &samples {
            let mut message = Vec::new();
            packed(1, names.iter().map(|name| name + 1), &mut message);
            packed(2, values.iter().map(|value| *value as u64), &mut message);
            bytes(2, &message, &mut out);
        }
        let mut names: Vec<u64> = samples
            .iter()
            .flat_map(|(names, _)| names.iter().copied())
            .collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            place(name, &mut out);
        }
        let mut texts: Vec<(&Vec<u8>, &u64)> = self.texts.iter().collect();
        sort::by_key(&mut texts, |(_, number)| **number);
        for (text, _) in texts {
            bytes(6, text, &mut out);
        }
        out
    }
}

/// Appends the location and the function of a name. Both have the id `name + 1`, because 0 means none.
fn place(name: u64, out: &mut Vec<u8>) {
    let (mut line, mut location, mut function) = (Vec::new(), Vec::new(), Vec::new());
    number(1, name + 1, &mut line);
    number(1, name + 1, &mut location);
    bytes(4, &line, &mut location);
    bytes(4, &location, out);
    number(1, name + 1, &mut function);
    number(2, name, &mut function);
    bytes(5, &function, out);
}
