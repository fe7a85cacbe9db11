//! Caches the results of a function on request of a script: `experimental_memoize('name')`.
//!
//! Such a function may call itself deeply. If a result is missing, the call that needs it is abandoned, and repeated
//! once the result is available. So deep recursion needs no stack.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Error;
use rusqlite::types::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of cached results, and of calls that wait for each other.
const MOST_RESULTS: usize = 1 << 18;
/// The maximum total size of texts among the results, bytes.
const MOST_BYTES: usize = 64 << 20;

/// The results of a function of one whole number.
#[derive(Debug, Default)]
struct State {
    is_on: bool,
    results: FxHashMap<i64, Value>,
    /// The size of the texts among the results, bytes.
    bytes: usize,
    /// Whether a call is running that is abandoned if a result is missing.
    is_running: bool,
    /// The argument whose result was missing.
    missing: Option<i64>,
}

/// The results of a function, which are cached on request of a script.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo(Arc<Mutex<State>>);

impl Memo {
    /// Caches results from now on.
    pub fn turn_on(&self) {
        self.with(|state| state.is_on = true);
    }

    /// The result of a call. `argument` is its argument if that is a whole number. `run` runs the function with another
    /// argument, or with the arguments of the call.
    ///
    /// # Errors
    ///
    /// If the function fails, or waits for its own result.
    pub fn call(
        &self,
        argument: Option<i64>,
        run: impl Fn(Option<i64>) -> rusqlite::Result<Value>,
    ) -> rusqlite::Result<Value> {
        let Some(argument) = argument.filter(|_| self.with(|state| state.is_on)) else {
            return run(None);
        };
        if let Some(value) = self.with(|state| state.results.get(&argument).cloned()) {
            return Ok(value);
        }
        if self.with(|state| std::mem::replace(&mut state.is_running, true)) {
            self.with(|state| state.missing = state.missing.or(Some(argument)));
            return Err(failed("a result is missing"));
        }
        let value = self.resolve(argument, run);
        self.with(|state| (state.is_running, state.missing) = (false, None));
        value
    }

    /// Computes the missing results, deepest first.
    fn resolve(
        &self,
        argument: i64,
        run: impl Fn(Option<i64>) -> rusqlite::Result<Value>,
    ) -> rusqlite::Result<Value> {
        let mut above = Vec::new();
        let mut waiting = FxHashSet::default();
        let mut current = argument;
        loop {
            let value = run(Some(current));
            if let Some(missing) = self.with(|state| state.missing.take()) {
                waiting.insert(current);
                above.push(current);
                check(&waiting, missing)?;
                current = missing;
                continue;
            }
            let value = value?;
            let is_kept = self.keep(current, &value);
            current = match above.pop() {
                None => return Ok(value),
                Some(_) if !is_kept => return Err(failed("its results are too many to keep")),
                Some(next) => next,
            };
            waiting.remove(&current);
        }
    }

    /// Caches a result, if there is room.
    fn keep(&self, argument: i64, value: &Value) -> bool {
        let bytes = match value {
            Value::Text(text) => text.len(),
            Value::Blob(bytes) => bytes.len(),
            _ => 0,
        };
        self.with(|state| {
            let has_room = state.results.len() < MOST_RESULTS && state.bytes + bytes <= MOST_BYTES;
            if has_room {
                state.results.insert(argument, value.clone());
                state.bytes += bytes;
            }
            has_room
        })
    }

    fn with<T>(&self, run: impl FnOnce(&mut State) -> T) -> T {
        // The state is always consistent.
        run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Checks whether one more call may wait.
fn check(waiting: &FxHashSet<i64>, missing: i64) -> rusqlite::Result<()> {
    if waiting.contains(&missing) {
        return Err(failed("it waits for its own result"));
    }
    if waiting.len() >= MOST_RESULTS {
        return Err(failed("it calls itself too deeply"));
    }
    Ok(())
}

fn failed(what: &str) -> Error {
    Error::UserFunctionError(what.into())
}
