//! An assembler for method traces.

pub const ENTER: u32 = 0;
pub const EXIT: u32 = 1;
pub const UNROLL: u32 = 2;

/// A trace that is being built.
#[derive(Clone)]
pub struct Trace {
    /// Lines of `*version` after the token.
    pub version_lines: Vec<String>,
    /// Lines of `*threads`; without any, the token is left out too.
    pub threads: Option<Vec<String>>,
    /// Lines of `*methods`, which may be any bytes.
    pub methods: Option<Vec<Vec<u8>>>,
    /// Version in the binary header.
    pub version: u16,
    /// Offset to data in the binary header; the gap before it is filled with zeros.
    pub offset: u16,
    /// Record size in the header (version 3).
    pub record_size: u16,
    /// Thread, id and action, and time in µs.
    pub records: Vec<(u16, u32, u32)>,
    /// Bytes after the last record.
    pub tail: Vec<u8>,
}

impl Trace {
    pub fn new(version: u16) -> Self {
        Trace {
            version_lines: vec![version.to_string(), "clock=global".into()],
            threads: Some(vec!["1\tmain".into(), "2\tBinder 1".into()]),
            methods: Some(Vec::new()),
            version,
            offset: 32,
            record_size: 14,
            records: Vec::new(),
            tail: Vec::new(),
        }
    }

    /// A trace with methods `C0.m0`, `C0.m1`, `C1.m2` … under ids 4, 8, 12 …
    pub fn with_methods(version: u16, count: u32) -> Self {
        let mut trace = Trace::new(version);
        for i in 0..count {
            trace.method(&format!(
                "0x{:x}\tC{}\tm{i}\t()V\tC.java",
                4 * (i + 1),
                i / 2
            ));
        }
        trace
    }

    pub fn method(&mut self, line: &str) -> &mut Self {
        let methods = self.methods.get_or_insert_default();
        methods.push(line.as_bytes().to_vec());
        self
    }

    pub fn record(&mut self, thread: u16, method: u32, action: u32, time: u32) -> &mut Self {
        self.records.push((thread, method | action, time));
        self
    }

    /// Adds records written as thread, action, id, `@` and time: `1+4@70` enters method 4 on thread
    /// 1, `-` exits and `~` unrolls.
    pub fn calls(&mut self, script: &str) -> &mut Self {
        for word in script.split_whitespace() {
            let (call, time) = word.split_once('@').expect("a time");
            let at = call.find(['+', '-', '~']).expect("an action");
            let action = match call.as_bytes()[at] {
                b'+' => ENTER,
                b'-' => EXIT,
                _ => UNROLL,
            };
            let number = |text: &str| text.parse::<u32>().expect("a number");
            let (thread, method) = (number(&call[..at]), number(&call[at + 1..]));
            self.record(thread as u16, method, action, number(time));
        }
        self
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        push_section("*version", &self.version_lines, &mut bytes);
        if let Some(threads) = &self.threads {
            push_section("*threads", threads, &mut bytes);
        }
        if let Some(methods) = &self.methods {
            push_section("*methods", methods, &mut bytes);
        }
        bytes.extend(b"*end\nSLOW");
        bytes.extend(self.version.to_le_bytes());
        bytes.extend(self.offset.to_le_bytes());
        bytes.extend(123_456_789u64.to_le_bytes());
        let mut header = 16;
        if self.version == 3 {
            bytes.extend(self.record_size.to_le_bytes());
            header += 2;
        }
        let gap = usize::from(self.offset).saturating_sub(header);
        bytes.resize(bytes.len() + gap.min(4096), 0);
        for record in &self.records {
            self.push_record(record, &mut bytes);
        }
        bytes.extend(&self.tail);
        bytes
    }

    fn push_record(&self, &(thread, method, time): &(u16, u32, u32), bytes: &mut Vec<u8>) {
        let start = bytes.len();
        match self.version {
            1 => bytes.push(thread as u8),
            _ => bytes.extend(thread.to_le_bytes()),
        }
        bytes.extend(method.to_le_bytes());
        bytes.extend(time.to_le_bytes());
        if self.version == 3 {
            let size = usize::from(self.record_size).clamp(10, 64);
            // The second clock, whose value must not matter.
            bytes.resize(start + size, 0xa5);
        }
    }
}

fn push_section(token: &str, lines: &[impl AsRef<[u8]>], bytes: &mut Vec<u8>) {
    let lines = lines.iter().map(AsRef::as_ref);
    for line in std::iter::once(token.as_bytes()).chain(lines) {
        bytes.extend(line);
        bytes.push(b'\n');
    }
}
