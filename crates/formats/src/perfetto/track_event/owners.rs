//! The threads and processes of track descriptors.

use traceloom_trace::{ProcessId, ThreadId, TraceBuilder};

use super::super::track_descriptor::{Descriptor, Thread};
use super::described;
use super::tracks::{Owner, Tracks};

impl Tracks<'_> {
    /// The thread or process in the track's own descriptor.
    pub(super) fn own(
        &mut self,
        uuid: u64,
        descriptor: &Descriptor,
        out: &mut TraceBuilder,
    ) -> Option<Owner> {
        let process = descriptor.process.as_ref();
        let upid = process.map(|process| {
            let upid = self.process_of(uuid, process.pid.into(), out);
            self.describe_process(descriptor, upid, out);
            upid
        });
        let Some(thread) = &descriptor.thread else {
            return upid.map(Owner::Process);
        };
        let utid = self.thread_of(uuid, thread, descriptor, out);
        self.describe_thread(thread, descriptor, utid, out);
        Some(Owner::Thread(utid))
    }

    fn process_of(&mut self, uuid: u64, pid: i64, out: &mut TraceBuilder) -> ProcessId {
        let mut upid = out.process(pid);
        let known = self.processes.get(&upid);
        if known.is_some_and(|known| *known != uuid) {
            upid = out.new_process(pid);
            self.tids.add(pid, pid, out);
        }
        self.processes.insert(upid, uuid);
        self.tids.process(pid, out)
    }

    fn thread_of(
        &mut self,
        uuid: u64,
        thread: &Thread,
        descriptor: &Descriptor,
        out: &mut TraceBuilder,
    ) -> ThreadId {
        let tid = described::tid(thread, descriptor);
        let mut utid = self.tids.thread(thread, tid, out);
        let known = self.threads.get(&utid);
        if known.is_some_and(|known| *known != uuid) {
            utid = self.tids.add(tid, thread.pid.into(), out);
        }
        self.threads.insert(utid, uuid);
        utid
    }

    fn describe_process(&self, descriptor: &Descriptor, upid: ProcessId, out: &mut TraceBuilder) {
        described::name_process(descriptor, upid, out);
        described::process_args(descriptor, &self.orders, upid, out);
    }

    fn describe_thread(
        &mut self,
        thread: &Thread,
        descriptor: &Descriptor,
        utid: ThreadId,
        out: &mut TraceBuilder,
    ) {
        described::name_thread(thread, utid, out);
        let kind = descriptor.thread_kind();
        self.names.keep_other(utid, kind.as_bytes(), out);
        self.names.keep(utid, &thread.name, out);
        described::thread_args(descriptor, &self.orders, utid, out);
    }

    /// Adds the process or thread of a descriptor that contradicts the first one of its uuid. The track keeps the owner
    /// from the first descriptor.
    pub fn contradicting(&mut self, uuid: u64, bytes: &[u8], out: &mut TraceBuilder) {
        let Some(other) = self.descriptors.contradiction(uuid, bytes) else {
            return;
        };
        let numbers = other.numbers();
        let own = self.descriptor(uuid).map(|own| own.numbers());
        if own == Some(numbers) {
            return;
        }
        // A process or thread that ended in the meantime must not be added again.
        let known = self.others.get(&(uuid, numbers)).copied();
        let owner = known.or_else(|| self.other(&other, out));
        let Some(owner) = owner else { return };
        self.others.insert((uuid, numbers), owner);
        match (owner, &other.thread) {
            (Owner::Thread(utid), Some(thread)) => {
                self.describe_thread(thread, &other, utid, out);
            }
            (Owner::Process(upid), _) => self.describe_process(&other, upid, out),
            _ => {}
        }
    }

    fn other(&mut self, descriptor: &Descriptor, out: &mut TraceBuilder) -> Option<Owner> {
        if let Some(thread) = &descriptor.thread {
            let tid = described::tid(thread, descriptor);
            return Some(Owner::Thread(self.tids.thread(thread, tid, out)));
        }
        let process = descriptor.process.as_ref()?;
        let upid = self.tids.process(process.pid.into(), out);
        Some(Owner::Process(upid))
    }
}
