//! An assembler for method traces: key section, binary header, records of versions 1 to 3.

/// The value of `clock=`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// Wall time, as Dalvik names it.
    Global,
    /// Wall time.
    Wall,
    /// Each thread's CPU time.
    ThreadCpu,
    /// Both, in version 3.
    Dual,
}

impl Clock {
    fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Wall => "wall",
            Self::ThreadCpu => "thread-cpu",
            Self::Dual => "dual",
        }
    }
}

/// A record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// The thread's number in the file.
    pub tid: u16,
    /// The method's id; the two lowest bits are free for the action.
    pub method: u32,
    /// 0 enter, 1 exit, 2 unwind.
    pub action: u8,
    /// The thread's CPU time since the start, µs; only written with [`Clock::Dual`].
    pub cpu_us: u32,
    /// The time since the start, µs: wall time, or whatever the one clock is.
    pub time_us: u32,
}

/// A method trace.
#[derive(Clone, Debug)]
pub struct MethodTraceBytes {
    /// 1, 2 or 3. Version 3 has both clocks.
    pub version: u16,
    /// The clock.
    pub clock: Clock,
    /// `vm=art` or `vm=dalvik`.
    pub vm: &'static str,
    /// `pid=`; omitted if `None`.
    pub pid: Option<u32>,
    /// Start of the recording, µs.
    pub start_us: u64,
    /// `elapsed-time-usec=`.
    pub elapsed_us: u64,
    /// Numbers and names of threads.
    pub threads: Vec<(u16, String)>,
    /// Ids and the rest of their lines, `class\tmethod\tsignature\tfile[\tline]`.
    pub methods: Vec<(u32, String)>,
    /// Records in file order.
    pub records: Vec<Record>,
}

impl MethodTraceBytes {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.key_section().into_bytes();
        self.put_header(&mut out);
        for record in &self.records {
            self.put_record(&mut out, record);
        }
        out
    }

    fn key_section(&self) -> String {
        use std::fmt::Write;
        let mut text = format!(
            "*version\n{}\ndata-file-overflow=false\nclock={}\nelapsed-time-usec={}\n\
             num-method-calls={}\nclock-call-overhead-nsec=248\nvm={}\n",
            self.version,
            self.clock.name(),
            self.elapsed_us,
            self.records.len(),
            self.vm
        );
        if let Some(pid) = self.pid {
            writeln!(text, "pid={pid}").unwrap();
        }
        text.push_str("*threads\n");
        for (tid, name) in &self.threads {
            writeln!(text, "{tid}\t{name}").unwrap();
        }
        text.push_str("*methods\n");
        for (id, line) in &self.methods {
            writeln!(text, "{id:#x}\t{line}").unwrap();
        }
        text.push_str("*end\n");
        text
    }

    fn put_header(&self, out: &mut Vec<u8>) {
        let begin = out.len();
        out.extend(b"SLOW");
        out.extend(self.version.to_le_bytes());
        out.extend(32u16.to_le_bytes()); // where records begin, from "SLOW"
        out.extend(self.start_us.to_le_bytes());
        if self.version >= 3 {
            out.extend(14u16.to_le_bytes()); // bytes a record
        }
        out.resize(begin + 32, 0);
    }

    #[inline]
    fn put_record(&self, out: &mut Vec<u8>, record: &Record) {
        match self.version {
            1 => out.push(record.tid as u8),
            _ => out.extend(record.tid.to_le_bytes()),
        }
        out.extend((record.method | u32::from(record.action)).to_le_bytes());
        if self.version >= 3 {
            out.extend(record.cpu_us.to_le_bytes());
        }
        out.extend(record.time_us.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_9_10_or_14_bytes() {
        for (version, bytes) in [(1, 9), (2, 10), (3, 14)] {
            let mut trace = MethodTraceBytes {
                version,
                clock: Clock::Wall,
                vm: "art",
                pid: None,
                start_us: 1,
                elapsed_us: 2,
                threads: vec![(1, "main".into())],
                methods: vec![(4, "a.B\tc\t()V\tB.java".into())],
                records: Vec::new(),
            };
            let empty = trace.to_bytes().len();
            trace.records.push(Record {
                tid: 1,
                method: 4,
                action: 1,
                cpu_us: 5,
                time_us: 6,
            });
            assert_eq!(trace.to_bytes().len(), empty + bytes);
        }
    }
}
