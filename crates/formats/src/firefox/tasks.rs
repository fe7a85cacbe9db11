//! The processes and threads of a profile.
//!
//! Their numbers may be texts. A number that was used twice has a suffix, such as `123.1`.

use rustc_hash::FxHashMap;
use traceloom_trace::{NO_NUMBER, ProcessId, RowId, ThreadId, TraceBuilder};

use super::table::Object;

/// The processes and threads so far.
#[derive(Default)]
pub(super) struct Tasks {
    processes: FxHashMap<Vec<u8>, ProcessId>,
    threads: FxHashMap<(ProcessId, Vec<u8>), ThreadId>,
    /// Whether Firefox recorded the profile.
    pub is_firefox: bool,
}

impl Tasks {
    /// The process and the thread that an object of a thread describes.
    pub fn of(&mut self, thread: &Object<'_>, out: &mut TraceBuilder) -> (ProcessId, ThreadId) {
        let upid = match thread.text("pid") {
            Some(pid) => self.process(pid, out),
            None => ProcessId::NONE,
        };
        let utid = match thread.text("tid") {
            Some(tid) => self.thread(upid, tid, out),
            None => out.new_thread(NO_NUMBER),
        };
        if upid != ProcessId::NONE {
            out.set_thread_process(utid, upid);
        }
        self.name(upid, utid, thread, out);
        (upid, utid)
    }

    /// The process with a number.
    pub fn process(&mut self, pid: &[u8], out: &mut TraceBuilder) -> ProcessId {
        let known = self.processes.entry(pid.to_vec());
        *known.or_insert_with(|| match number(pid) {
            (Some(pid), true) => out.process(pid),
            (Some(pid), false) => out.new_process(pid),
            (None, _) => {
                let upid = out.new_process(NO_NUMBER);
                let name = out.intern(pid);
                out.name_process(upid, name);
                upid
            }
        })
    }

    fn thread(&mut self, upid: ProcessId, tid: &[u8], out: &mut TraceBuilder) -> ThreadId {
        let known = self.threads.entry((upid, tid.to_vec()));
        *known.or_insert_with(|| {
            let (tid, _) = number(tid);
            match tid {
                Some(tid) if out.find_thread(tid).is_none() => out.thread(tid),
                // Another thread has this number already.
                tid => out.new_thread(tid.unwrap_or(NO_NUMBER)),
            }
        })
    }

    /// Names a thread and its process. Other tools than Firefox call a main thread `GeckoMain` as well, so that Firefox
    /// Profiler recognises it. It gets the name of the process instead, as in the kernel.
    fn name(&self, upid: ProcessId, utid: ThreadId, thread: &Object<'_>, out: &mut TraceBuilder) {
        let process = thread.text("processName").unwrap_or(b"");
        let name = match thread.text("name").unwrap_or(b"") {
            b"GeckoMain" if !self.is_firefox && !process.is_empty() => process,
            name => name,
        };
        let name = out.intern(name);
        out.name_thread(utid, name);
        let Some(upid) = upid.some() else {
            return;
        };
        let pid = out.trace().processes.pid.get(upid.row());
        let tid = out.trace().threads.tid.get(utid.row());
        let is_main = thread.text("isMainThread") == Some(b"true");
        out.set_main_thread(utid, is_main || (pid == tid && pid != NO_NUMBER));
        if !process.is_empty() {
            let process = out.intern(process);
            out.name_process(upid, process);
        }
    }
}

/// The number at the start of a text, and whether it is the whole text.
fn number(text: &[u8]) -> (Option<i64>, bool) {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&text[..digits]).ok();
    let is_whole = digits == text.len();
    let has_suffix = text.get(digits) == Some(&b'.');
    let number = number.and_then(|number| number.parse().ok());
    (number.filter(|_| is_whole || has_suffix), is_whole)
}
