//! `ArtProcessMetadata`: the reason why the Android runtime dumped the heap of a process.

use traceloom_trace::{ProcessId, StringId, ThreadId, TraceBuilder};

use super::super::tasks::process_and_leader;
use super::super::wire::{Field, Fields};
use super::shared::Shared;
use crate::profile::{NONE, Named};

/// An `OutOfMemoryError`.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutOfMemory {
    pub graph: u32,
    pub allocation: u64,
    pub free: u64,
    pub until_oom: u64,
    pub message: StringId,
}

/// The stack of the thread that made a dump.
#[derive(Clone, Copy, Debug)]
pub(super) struct DumpStack {
    pub graph: u32,
    pub utid: ThreadId,
    pub callsite: u32,
}

/// The contents of a packet.
pub(super) struct Dump<'a> {
    pub upid: ProcessId,
    pub utid: ThreadId,
    /// The package and its uid.
    pub package: Option<(&'a [u8], i64)>,
    /// The error. Its graph is not set yet.
    pub error: Option<OutOfMemory>,
    pub stack: Option<Fields<'a>>,
}

impl<'a> Dump<'a> {
    pub fn read(fields: Fields<'a>, out: &mut TraceBuilder) -> Self {
        let (mut pid, mut uid, mut package, mut stack) = (0, None, None, None);
        let (mut name, mut allocation, mut free, mut until_oom) = (&b""[..], None, 0, 0);
        let mut message = StringId::NULL;
        for field in fields {
            match field.number {
                1 => pid = field.int32().into(),
                2 => uid = Some(i64::from(field.int32())),
                3 => name = field.bytes(),
                4 => package = Some(field.bytes()),
                5 => allocation = Some(field.uint()),
                6 => free = field.uint(),
                7 => until_oom = field.uint(),
                8 => stack = Some(field.fields()),
                9 => message = out.intern(field.bytes()),
                _ => {}
            }
        }
        let upid = process_and_leader(pid, out);
        if !name.is_empty() {
            let name = out.intern(name);
            out.name_process(upid, name);
        }
        if let Some(uid) = uid {
            out.set_process_uid(upid, uid);
        }
        let error = allocation.map(|allocation| OutOfMemory {
            graph: NONE,
            allocation,
            free,
            until_oom,
            message,
        });
        Self {
            upid,
            utid: out.thread(pid),
            package: package.zip(uid),
            error,
            stack,
        }
    }
}

/// The callsite of a `JavaStack`. Its first frame is the innermost one.
pub(super) fn callsite(stack: Fields<'_>, shared: &mut Shared<'_>, out: &mut TraceBuilder) -> u32 {
    let mapping = shared.stacks.no_file("art_process_metadata", out);
    let frames: Vec<Field<'_>> = stack.filter(|field| field.number == 1).collect();
    let mut callsite = NONE;
    for frame in frames.iter().rev() {
        let Some(named) = frame_name(frame.fields(), out) else {
            continue;
        };
        let frame = shared.stacks.named_frame(mapping, named);
        callsite = shared.stacks.callsite(callsite, frame);
    }
    callsite
}

/// A `JavaFrame`.
fn frame_name(fields: Fields<'_>, out: &mut TraceBuilder) -> Option<Named> {
    let (mut method, mut file, mut line) = (None, StringId::NULL, None);
    for field in fields {
        match field.number {
            1 => method = Some(out.intern(bare(field.bytes()))),
            2 => file = out.intern(field.bytes()),
            3 => line = Some(field.uint() as u32),
            _ => {}
        }
    }
    Some(Named {
        name: method?,
        file,
        line,
    })
}

/// The class and the name of a method, without the return type and the parameters.
fn bare(method: &[u8]) -> &[u8] {
    let end = method.iter().position(|byte| *byte == b'(');
    let method = method
        .get(..end.unwrap_or(method.len()))
        .unwrap_or_default();
    method
        .rsplit(|byte| *byte == b' ')
        .next()
        .unwrap_or_default()
}
