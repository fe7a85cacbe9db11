//! A small assembler for hand-made traces, in which every field is named.

/// Bytes that are being assembled.
#[derive(Clone, Debug, Default)]
pub struct Asm(pub Vec<u8>);

impl Asm {
    pub fn text(mut self, text: &str) -> Self {
        self.0.extend(text.as_bytes());
        self
    }

    pub fn u8(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }

    pub fn u16(mut self, value: u16) -> Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    pub fn u32(mut self, value: u32) -> Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    pub fn u64(mut self, value: u64) -> Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    pub fn zeros(mut self, count: usize) -> Self {
        self.0.resize(self.0.len() + count, 0);
        self
    }

    /// The key section of a trace with two threads and three methods.
    pub fn keys(self, version: u16, options: &str) -> Self {
        self.text(&format!("*version\n{version}\n{options}"))
            .text("*threads\n1\tmain\n2\tworker\n")
            .text("*methods\n")
            .text("0x4\ta.A\tone\t()V\tA.java\n")
            .text("0x8\ta.A\ttwo\t(I)I\tA.java\t12\n")
            .text("0xc\tb.B\tthree\t()V\t(null)\n")
            .text("*end\n")
    }

    /// A header that is 32 bytes long.
    pub fn header(self, version: u16, start_us: u64) -> Self {
        let record = if version & 0xF == 3 { 14 } else { 0 };
        self.text("SLOW")
            .u16(version)
            .u16(32) // offset to data
            .u64(start_us)
            .u16(record) // record size
            .zeros(14)
    }

    pub fn v1(self, tid: u8, word: u32, us: u32) -> Self {
        self.u8(tid).u32(word).u32(us)
    }

    pub fn v2(self, tid: u16, word: u32, us: u32) -> Self {
        self.u16(tid).u32(word).u32(us)
    }

    pub fn v3(self, tid: u16, word: u32, cpu_us: u32, wall_us: u32) -> Self {
        self.u16(tid).u32(word).u32(cpu_us).u32(wall_us)
    }

    /// A streaming trace's new method.
    pub fn new_method(self, line: &str) -> Self {
        self.u16(0).u8(1).u16(line.len() as u16).text(line)
    }

    /// A streaming trace's new thread.
    pub fn new_thread(self, tid: u16, name: &str) -> Self {
        self.u16(0).u8(2).u16(tid).u16(name.len() as u16).text(name)
    }

    /// A streaming trace's summary.
    pub fn summary(self, text: &str) -> Self {
        self.u16(0).u8(3).u32(text.len() as u32).text(text)
    }
}

/// A dual-clock trace with recursion, an exception and two threads.
pub fn dual() -> Vec<u8> {
    Asm::default()
        .keys(3, "clock=dual\nnum-method-calls=8\npid=77\n")
        .header(3, 5_000_000)
        .v3(1, 0x4, 0, 10)
        .v3(1, 0x8, 5, 20)
        .v3(2, 0xc, 0, 25)
        .v3(1, 0x8, 6, 30)
        .v3(1, 0x9, 8, 40)
        .v3(1, 0xa, 9, 50) // an exception leaves the method
        .v3(2, 0xd, 3, 55)
        .v3(1, 0x5, 11, 60)
        .0
}

/// Like [`dual`], as the streaming recorder writes it.
pub fn streaming() -> Vec<u8> {
    Asm::default()
        .header(0xF3, 5_000_000)
        .new_thread(1, "main")
        .new_method("0\ta.A\tone\t()V\tA.java\n")
        .v3(1, 0x0, 0, 10)
        .new_method("0x8\ta.A\ttwo\t(I)I\t(null)\n")
        .v3(1, 0x8, 5, 20)
        .new_thread(2, "worker")
        .new_method("0xc\tb.B\tthree\t()V\tB.java\n")
        .v3(2, 0xc, 0, 25)
        .v3(1, 0x8, 6, 30)
        .new_method("0x8\ta.A\ttwo\t(I)I\t(null)\n")
        .v3(1, 0x9, 8, 40)
        .v3(1, 0xa, 9, 50)
        .v3(2, 0xd, 3, 55)
        .v3(1, 0x1, 11, 60)
        .summary("*version\n3\nclock=dual\npid=77\n*threads\n1\tmain\n2\tworker\n*methods\n*end\n")
        .0
}

/// Numbers of variable length and packets of ART's second encodings.
impl Asm {
    pub fn uleb(mut self, mut value: u64) -> Self {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
        self
    }

    pub fn sleb(mut self, mut value: i64) -> Self {
        loop {
            let byte = (value & 0x7f) as u8;
            value >>= 7;
            let sign_is_clear = byte & 0x40 == 0;
            if (value == 0 && sign_is_clear) || (value == -1 && !sign_is_clear) {
                self.0.push(byte);
                return self;
            }
            self.0.push(byte | 0x80);
        }
    }

    /// A header of the second encodings; the last two fields are encoding B's.
    pub fn header_2(self, version: u16, start: u64, start_ticks: u64, frequency: u64) -> Self {
        self.text("SLOW")
            .u16(version)
            .u64(start)
            .u64(start_ticks)
            .u64(frequency)
            .u16(0)
    }

    pub fn thread_packet(self, tid: u32, name: &str) -> Self {
        self.u8(0).u32(tid).u16(name.len() as u16).text(name)
    }

    pub fn method_packet(self, id: u64, line: &str) -> Self {
        self.u8(1).u64(id).u16(line.len() as u16).text(line)
    }

    /// A packet of records. `count` is what the header claims, which readers must not trust.
    pub fn records_packet(mut self, tid: u32, count: u32, payload: Asm) -> Self {
        self = self.u8(2).u32(tid);
        self.0.extend(&count.to_le_bytes()[..3]);
        self = self.u32(payload.0.len() as u32);
        self.0.extend(payload.0);
        self
    }

    pub fn summary_packet(self, text: &str) -> Self {
        self.u8(3).u16(text.len() as u16).text(text)
    }
}
