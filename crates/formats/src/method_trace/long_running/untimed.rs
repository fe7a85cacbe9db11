//! The file of ART's first always-on tracing (2024): the order of calls, without times.
//!
//! ```text
//! u32 'TMOL'  u16 1
//! 2  u32 tid  u24 records  records: sleb Δ(method | is exit)      per thread
//! "\n*threads\n"  number⇥name …  "*methods\n"  number⇥class⇥…  "*end"
//! ```
//!
//! A return is encoded as any value whose lowest bit is set, and the next call is relative to the
//! value that the recorder's buffer then holds. The available sources do not show that value, so
//! every variant is tried, and the one that matches most methods of the list is used.

use traceloom_trace::{
    MethodAction, MethodClocks, MethodEvent, MethodEvents, MethodTraceStart, RepairKind,
};

use crate::bytes::le_uint;
use crate::error::ReadError;
use crate::method_trace::emit::{Batch, Emitter};
use crate::method_trace::key;
use crate::method_trace::leb::Leb;

pub(super) const MAGIC: &[u8; 4] = b"TMOL";
const FRONT: usize = 6;
const BLOCK_HEADER: usize = 8;

/// The value in the recorder's buffer after a return.
#[derive(Clone, Copy, Debug)]
enum Return {
    /// The sum of all differences so far.
    Sum,
    /// Just 1.
    One,
    /// The method that returned, with its lowest bit set.
    Method,
}

struct Call {
    tid: u32,
    method: Option<u64>,
    is_exit: bool,
    at: usize,
}

/// Reads the blocks with this variant, and returns where they end.
fn blocks(input: &[u8], way: Return, mut each: impl FnMut(Call)) -> usize {
    let mut at = FRONT.min(input.len());
    while let Some([2, header @ ..]) = input.get(at..at + BLOCK_HEADER) {
        let (tid, count) = (le_uint(&header[..4]) as u32, le_uint(&header[4..7]));
        at += BLOCK_HEADER;
        at += block(&input[at..], count, way, |offset, method, is_exit| {
            each(Call {
                tid,
                method,
                is_exit,
                at: at + offset,
            });
        });
    }
    at
}

/// Reads the records of a block, and returns its length.
fn block(
    bytes: &[u8],
    count: u64,
    way: Return,
    mut each: impl FnMut(usize, Option<u64>, bool),
) -> usize {
    let (mut leb, mut sum, mut before) = (Leb::new(bytes), 0u64, 0u64);
    let mut open = Vec::new();
    for _ in 0..count {
        let offset = leb.used;
        let Some(step) = leb.signed() else {
            return bytes.len();
        };
        let word = before.wrapping_add_signed(step);
        sum = sum.wrapping_add_signed(step);
        if word & 1 == 0 {
            open.push(word);
            before = word;
            each(offset, Some(word), false);
            continue;
        }
        let method = open.pop();
        before = match way {
            Return::Sum => sum,
            Return::One => 1,
            Return::Method => method.unwrap_or(0) | 1,
        };
        each(offset, method, true);
    }
    leb.used
}

/// The ids of the method list.
struct Listed(Vec<u64>);

impl MethodEvents for Listed {
    fn start(&mut self, _: &MethodTraceStart) {}
    fn thread(&mut self, _: traceloom_trace::ThreadIndex, _: u32, _: &str) {}
    fn method(&mut self, _: traceloom_trace::MethodIndex, line: &traceloom_trace::MethodLine<'_>) {
        self.0.push(line.raw_id);
    }
    fn events(&mut self, _: &[MethodEvent]) {}
    fn repair(&mut self, _: RepairKind, _: u64, _: traceloom_trace::Place, _: String) {}
    fn finish(&mut self, _: &[(String, String)]) {}
}

fn best_way(input: &[u8]) -> Return {
    let end = blocks(input, Return::Sum, |_| {});
    let mut listed = Listed(Vec::new());
    key::declare(&input[end..], 0, &mut Emitter::default(), &mut listed);
    listed.0.sort_unstable();
    let met = |way: Return| {
        let mut met = 0u64;
        blocks(input, way, |call| {
            let method = call.method.filter(|_| !call.is_exit);
            let known = method.is_some_and(|method| listed.0.binary_search(&method).is_ok());
            met += u64::from(known);
        });
        met
    };
    let ways = [Return::Sum, Return::One, Return::Method];
    // Takes the first of the best variants; `max_by_key` would take the last.
    ways.into_iter()
        .rev()
        .max_by_key(|way| met(*way))
        .unwrap_or(Return::Sum)
}

/// Reads the file.
pub(super) fn read(input: &[u8], sink: &mut dyn MethodEvents) -> Result<(), ReadError> {
    let way = best_way(input);
    let end = blocks(input, way, |_| {});
    sink.start(&MethodTraceStart {
        version: 1,
        encoding: "long-running",
        clocks: MethodClocks {
            wall: false,
            cpu: false,
        },
        start_ns: 0,
        record_bytes: 0,
    });
    let mut emit = Emitter::default();
    emit.repairs.add(RepairKind::RebuiltTime, 0, || {
        "the file has no times: calls stand a microsecond apart".to_owned()
    });
    key::declare(&input[end..], end as u64, &mut emit, sink);
    let mut batch = Batch::default();
    blocks(input, way, |call| {
        let at = call.at as u64;
        emit.records += 1;
        let Some(method) = call.method else {
            return emit.repairs.add(RepairKind::UnmatchedExit, at, String::new);
        };
        let thread = emit.thread(call.tid, at, sink);
        let method = emit.method(method, at, sink);
        let action = if call.is_exit {
            MethodAction::Exit
        } else {
            MethodAction::Enter
        };
        let wall_ns = emit.records as i64 * 1000;
        batch.push(
            MethodEvent::new(thread, method, action, wall_ns, 0, at),
            sink,
        );
    });
    batch.flush(sink);
    emit.finish(&[], sink);
    Ok(())
}
