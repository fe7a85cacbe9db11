//! Replays a file as Traceview reads it.

use rustc_hash::FxHashMap;

use super::engine::{Action, Engine};
use super::key::{Key, Refusal};
use super::records::Records;
use super::tally::Methods;

/// Errors that crash the original or that it ignores silently, except those that the engine
/// repairs.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Skipped {
    /// Records with action 3, which crash the original.
    pub(crate) unknown_actions: u64,
    /// Bytes of an incomplete record at the end.
    pub(crate) torn_bytes: usize,
}

/// Replays a trace of version 1 to 3 the way Traceview reads it.
pub(crate) fn replay(bytes: &[u8]) -> Result<(Engine, Skipped), Refusal> {
    let key = Key::parse(bytes)?;
    let records = Records::open(bytes, &key)?;
    let mut methods = Methods::new();
    for (id, name) in key.methods {
        methods.declare(id, name);
    }
    let mut engine = Engine::new(key.clock, methods);
    let mut threads = FxHashMap::default();
    for (id, name) in key.threads {
        let thread = *threads
            .entry(id)
            .or_insert_with(|| engine.add_thread(id.into(), ""));
        engine.rename_thread(thread, id.into(), &name);
    }
    let skipped = replay_records(&mut engine, threads, records);
    Ok((engine, skipped))
}

fn replay_records(
    engine: &mut Engine,
    mut threads: FxHashMap<i32, u32>,
    records: Records<'_>,
) -> Skipped {
    let mut skipped = Skipped {
        torn_bytes: records.torn_bytes(),
        ..Skipped::default()
    };
    // Usually half of the records enter a method and half leave one.
    engine.calls.reserve(records.len() / 2);
    for record in records {
        let method = engine.methods.find(record.method_and_action & !3);
        let id = record.thread;
        let thread = *threads
            .entry(id)
            .or_insert_with(|| engine.add_thread(id.into(), &format!("[{id}]")));
        let action = match record.method_and_action & 3 {
            0 => Action::Enter,
            1 | 2 => Action::Exit,
            _ => {
                skipped.unknown_actions += 1;
                continue;
            }
        };
        engine.record(thread, method, action, record.cpu_us, record.wall_us);
    }
    skipped
}
