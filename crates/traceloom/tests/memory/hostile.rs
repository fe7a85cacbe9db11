//! Inputs that make readers keep as much as possible for each of their bytes.

use std::io::Write;

/// An input that is all of one kind.
pub struct Hostile {
    pub name: &'static str,
    /// The commands that took the most for it before there were limits.
    pub worst_for: &'static [&'static str],
    /// Makes an input of about so many bytes.
    pub make: fn(usize) -> Vec<u8>,
}

const fn hostile(
    name: &'static str,
    worst_for: &'static [&'static str],
    make: fn(usize) -> Vec<u8>,
) -> Hostile {
    Hostile {
        name,
        worst_for,
        make,
    }
}

/// The worst that was thought of for each reader.
pub const HOSTILE: &[Hostile] = &[
    hostile("b, one clock: pairs", &[], |bytes| {
        packets(0xF4, true, bytes, &[&[1], &[3, 0]])
    }),
    hostile(
        "b, one clock: pairs that go back in time",
        &[],
        back_in_time,
    ),
    hostile("b, one clock: entries", &["info", "profile"], |bytes| {
        packets(0xF4, true, bytes, &[&[0, 0]])
    }),
    hostile("b, one clock: new paths", &[], |bytes| {
        new_paths(0xF4, bytes)
    }),
    hostile("b, two clocks: entries", &[], |bytes| {
        packets(0xF5, true, bytes, &[&[0, 0, 0]])
    }),
    hostile("b, two clocks: pairs", &[], |bytes| {
        packets(0xF5, true, bytes, &[&[1, 0], &[3, 0, 0]])
    }),
    hostile("b, two clocks: new paths", &[], |bytes| {
        new_paths(0xF5, bytes)
    }),
    hostile("a, one clock: entries", &[], |bytes| {
        packets(0xF4, false, bytes, &[&[0, 0]])
    }),
    hostile("a, two clocks: entries", &[], |bytes| {
        packets(0xF5, false, bytes, &[&[0, 0, 0]])
    }),
    hostile("a, one clock: pairs", &[], |bytes| {
        packets(0xF4, false, bytes, &[&[1, 1], &[0x7F, 1]])
    }),
    hostile("a: new methods", &["profile"], |bytes| {
        packets(0xF4, false, bytes, &[&[4, 0]])
    }),
    hostile("packets that name threads", &["info"], |bytes| {
        many(v2_header(0xF5, true), bytes, |out, n| {
            out.push(0);
            out.extend((n as u32).to_le_bytes());
            out.extend([0, 0]);
        })
    }),
    hostile(
        "packets of one record of new threads",
        &["profile"],
        |bytes| {
            many(v2_header(0xF5, true), bytes, |out, n| {
                out.push(2);
                out.extend((n as u32).to_le_bytes());
                out.extend([0, 0, 0, 3, 0, 0, 0, 0, 0, 0]);
            })
        },
    ),
    hostile("packets that name methods", &[], |bytes| {
        many(v2_header(0xF5, true), bytes, |out, n| {
            out.push(1);
            out.extend((n as u64 * 4).to_le_bytes());
            out.extend([0, 0]);
        })
    }),
    hostile("v1: new methods", &["profile"], |bytes| {
        many(v1_header(), bytes, |out, n| {
            out.push(1);
            out.extend((n as u32 * 4).to_le_bytes());
            out.extend([0; 4]);
        })
    }),
    hostile("v1: new edges", &[], new_edges),
    hostile(
        "report: slices that follow from each other",
        &["info", "profile"],
        testkit::dense_report,
    ),
    hostile("trace.dat: new threads", &["info"], |bytes| {
        dat(bytes, "", |n| {
            let thread = (n as u32 + 1).to_le_bytes();
            [&100u16.to_le_bytes()[..], &[0, 0], &thread].concat()
        })
    }),
    hostile("trace.dat: fields on the same bytes", &["info"], |bytes| {
        let field = |n| format!("\tfield:char f{n};\toffset:0;\tsize:1;\tsigned:0;\n");
        let fields: String = (0..500).map(field).collect();
        dat(bytes, &fields, |_| {
            [&100u16.to_le_bytes()[..], &[0; 6]].concat()
        })
    }),
    hostile("trace.dat: switches of eight bytes", &[], |bytes| {
        let names = [
            "prev_pid",
            "prev_prio",
            "prev_state",
            "next_pid",
            "next_prio",
        ];
        let field = |name| format!("\tfield:int {name};\toffset:4;\tsize:4;\tsigned:1;\n");
        let texts = ["prev_comm", "next_comm"];
        let text = |name| format!("\tfield:char {name}[3];\toffset:4;\tsize:3;\tsigned:0;\n");
        let fields: String = names
            .map(field)
            .into_iter()
            .chain(texts.map(text))
            .collect();
        dat(bytes, &fields, |n| {
            let thread = (n as u32 % 1_000_000).to_le_bytes();
            [&100u16.to_le_bytes()[..], &[0, 0], &thread].concat()
        })
    }),
    hostile("trace.dat: CPUs of one byte", &["info"], |bytes| {
        let mut dat = testkit::DatBytes::of(6, testkit::Machine::USUAL, vec![vec![0]; bytes / 96]);
        dat.align = 64;
        dat.to_bytes()
    }),
    hostile("trace.dat: names of threads", &["info"], |bytes| {
        let mut dat = testkit::DatBytes::of(6, testkit::Machine::USUAL, vec![Vec::new()]);
        dat.cmdlines = (0..bytes / 9).map(|n| format!("{n} a\n")).collect();
        dat.to_bytes()
    }),
    hostile("trace.dat: symbols", &["info"], |bytes| {
        let mut dat = testkit::DatBytes::of(6, testkit::Machine::USUAL, vec![Vec::new()]);
        dat.kallsyms = "1 T a\n".repeat(bytes / 12);
        dat.printk_formats = (0..bytes / 24).map(|n| format!("0x{n:x} :\"\n")).collect();
        dat.to_bytes()
    }),
    hostile("key section: threads", &[], |bytes| {
        let mut out = b"*version\n1\nclock=wall\n*threads\n".to_vec();
        out = many(out, bytes, |out, n| writeln!(out, "{n}\t").unwrap());
        out.extend(b"*methods\n*end\n");
        out.extend(v1_header());
        out
    }),
    hostile("key section: methods", &["profile"], |bytes| {
        key_section(bytes, "1\t\n", |out, n| {
            writeln!(out, "{n}\t").unwrap();
        })
    }),
    hostile(
        "key section: lines of two bytes",
        &["dmtracedump"],
        |bytes| key_section(bytes, "1\tmain\n", |out, _| out.extend(b"\t\n")),
    ),
    hostile("key section: methods with short names", &[], |bytes| {
        key_section(bytes, "1\tmain\n", |out, n| {
            writeln!(out, "{n}\ta\tb\tc").unwrap()
        })
    }),
    hostile(
        "key section: empty thread lines",
        &["dmtracedump"],
        |bytes| {
            let mut out = b"*version\n1\nclock=wall\n*threads\n".to_vec();
            out.resize(bytes, b'\n');
            out.extend(b"*methods\n4\tA\tb\tc\n*end\n");
            out.extend(v1_header());
            out
        },
    ),
    hostile("key section: options", &["info"], |bytes| {
        let out = many(b"*version\n1\n".to_vec(), bytes, |out, _| {
            out.extend(b"=\n")
        });
        [
            &out[..],
            b"*threads\n1\t\n*methods\n4\tA\tb\tc\n*end\n",
            &v1_header(),
        ]
        .concat()
    }),
    hostile("ftrace: threads", &[], |bytes| {
        text(bytes, |out, n| writeln!(out, "-{n} [0] 1.0: a:").unwrap())
    }),
    hostile("ftrace: names", &[], |bytes| {
        text(bytes, |out, n| writeln!(out, "-1 [0] 1.0: {n:x}:").unwrap())
    }),
    hostile("ftrace: slices", &[], |bytes| {
        text(bytes, |out, _| {
            writeln!(out, "-1 [0] 1.0: 0: B|1|a").unwrap()
        })
    }),
    hostile("ftrace: switches", &[], |bytes| {
        text(bytes, |out, n| {
            writeln!(
                out,
                "-1 [0] 1.0: sched_switch: prev_pid={n} ==> next_pid={}",
                n + 1
            )
            .unwrap()
        })
    }),
    hostile("ftrace: tracks", &[], |bytes| {
        text(bytes, |out, n| {
            writeln!(out, "-1 [0] 1.0: 0: S|1|{n:x}|1").unwrap()
        })
    }),
    hostile("ftrace: counters", &[], |bytes| {
        text(bytes, |out, n| {
            writeln!(out, "-1 [0] 1.0: 0: C|1|{n:x}|1").unwrap()
        })
    }),
    hostile("json: members", &[], |bytes| {
        many(b"{\"traceEvents\":[],".to_vec(), bytes, |out, _| {
            out.extend(b"\"\":1,")
        })
    }),
    hostile("json: begins", &[], |bytes| {
        json(bytes, |out, _| {
            writeln!(out, r#"{{"ph":"B","ts":1}},"#).unwrap()
        })
    }),
    hostile("json: slices of new threads", &[], |bytes| {
        json(bytes, |out, n| {
            writeln!(out, r#"{{"ph":"X","ts":1,"dur":1,"tid":{n}}},"#).unwrap()
        })
    }),
    hostile("json: slices that cross", &[], |bytes| {
        json(bytes, |out, n| {
            writeln!(out, r#"{{"ph":"X","ts":{n},"dur":{n}000}},"#).unwrap()
        })
    }),
    hostile("json: async slices", &[], |bytes| {
        json(bytes, |out, n| {
            writeln!(out, r#"{{"ph":"b","ts":1,"id":{n}}},"#).unwrap()
        })
    }),
    hostile("json: async slices of new names", &[], |bytes| {
        json(bytes, |out, n| {
            writeln!(
                out,
                r#"{{"ph":"b","ts":1,"id":1,"pid":{n}}},{{"ph":"S","ts":1,"name":{n}}},"#
            )
            .unwrap()
        })
    }),
    hostile("json: counters", &[], |bytes| {
        json(bytes, |out, n| {
            writeln!(out, r#"{{"ph":"C","ts":1,"name":{n},"args":{{"a":1}}}},"#).unwrap()
        })
    }),
    hostile("json: series", &[], |bytes| {
        json(bytes, |out, n| {
            writeln!(
                out,
                r#"{{"ph":"C","ts":1,"args":{{"{n}":1,"a{n}":1,"b{n}":1,"c{n}":1,"d{n}":1}}}},"#
            )
            .unwrap()
        })
    }),
    hostile("json: arguments", &[], |bytes| {
        json(bytes, |out, _| {
            writeln!(
                out,
                r#"{{"ph":"B","ts":1,"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1}},"#
            )
            .unwrap()
        })
    }),
    hostile("json: facts", &[], |bytes| {
        json(bytes, |out, _| {
            writeln!(
                out,
                r#"{{"ph":"M","name":"a","args":{{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}}}},"#
            )
            .unwrap()
        })
    }),
    hostile("json: flows", &[], |bytes| {
        json(bytes, |out, n| {
            writeln!(out, r#"{{"ph":"B","ts":1,"flow_out":true,"bind_id":{n}}},"#).unwrap()
        })
    }),
];

/// `one` again and again, with its number, up to `bytes`.
/// A `trace.dat` of events with number 100, whose format has `fields`; `event` makes the bytes of each.
fn dat(bytes: usize, fields: &str, event: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
    let machine = testkit::Machine::USUAL;
    let mut pages = testkit::RingPages::new(machine, 4096);
    let length = event(0).len() + 4;
    (0..bytes / length).for_each(|n| pages.push(1_000 + n as u64, &event(n)));
    let mut dat = testkit::DatBytes::of(6, machine, vec![pages.finish()]);
    dat.only = vec!["print"];
    let format = format!("name: sched_switch\nID: 100\nformat:\n{fields}\nprint fmt: \"\"\n");
    dat.more_formats = vec![("sched", format)];
    dat.to_bytes()
}

fn many(mut out: Vec<u8>, bytes: usize, mut one: impl FnMut(&mut Vec<u8>, usize)) -> Vec<u8> {
    let mut n = 1;
    while out.len() < bytes {
        one(&mut out, n);
        n += 1;
    }
    out
}

fn text(bytes: usize, line: impl FnMut(&mut Vec<u8>, usize)) -> Vec<u8> {
    many(b"# tracer: nop\n".to_vec(), bytes, line)
}

fn json(bytes: usize, event: impl FnMut(&mut Vec<u8>, usize)) -> Vec<u8> {
    many(b"[{\"ph\":\"M\"},".to_vec(), bytes, event)
}

fn key_section(bytes: usize, thread: &str, line: impl FnMut(&mut Vec<u8>, usize)) -> Vec<u8> {
    let head = format!("*version\n1\nclock=wall\n*threads\n{thread}*methods\n");
    let mut out = many(head.into_bytes(), bytes, line);
    out.extend(b"*end\n");
    out.extend(v1_header());
    out.extend([1, 4, 0, 0, 0, 0, 0, 0, 0]);
    out.extend([1, 5, 0, 0, 0, 9, 0, 0, 0]);
    out
}

fn v1_header() -> Vec<u8> {
    let mut out = b"SLOW\x01\x00\x10\x00".to_vec();
    out.extend([0; 8]);
    out
}

/// The header of a second encoding; with ticks a second it is of encoding B.
fn v2_header(version: u16, is_b: bool) -> Vec<u8> {
    let mut out = b"SLOW".to_vec();
    out.extend(version.to_le_bytes());
    out.extend(5_000_000_000_000u64.to_le_bytes());
    out.extend(0u64.to_le_bytes());
    out.extend(if is_b { 1_000_000_000u64 } else { 0 }.to_le_bytes());
    out.extend([0, 0]);
    out
}

/// One packet of one thread with these records over and over.
fn packets(version: u16, is_b: bool, bytes: usize, records: &[&[u8]]) -> Vec<u8> {
    let records = records.concat();
    packet(version, is_b, &records.repeat(bytes / records.len()))
}

/// Calls and returns, each before the one before.
fn back_in_time(bytes: usize) -> Vec<u8> {
    // An exit with nothing open, late.
    let late = [0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20];
    let pairs = [0x7B, 0, 1].repeat(bytes / 3);
    packet(0xF4, true, &[&late[..], &pairs].concat())
}

fn packet(version: u16, is_b: bool, payload: &[u8]) -> Vec<u8> {
    let mut out = v2_header(version, is_b);
    out.extend([2, 1, 0, 0, 0, 0, 0, 0]);
    out.extend((payload.len() as u32).to_le_bytes());
    out.extend(payload);
    out
}

/// A walk through a tree of paths in which every method calls many others.
fn new_paths(version: u16, bytes: usize) -> Vec<u8> {
    const CHILDREN: i64 = 32;
    let mut walk = Walk {
        payload: Vec::new(),
        bytes,
        dual: version == 0xF5,
        method: 0,
        action: 0,
    };
    // Deep enough for any size asked for.
    for _ in 0.. {
        let child = walk.method / 4 + 1;
        walk.enter(4 * (child % CHILDREN));
        if walk.below(4, CHILDREN) {
            break;
        }
        if walk.payload.len() >= bytes {
            break;
        }
    }
    packet(version, true, &walk.payload)
}

/// Writes entries and exits, and stops at a size.
struct Walk {
    payload: Vec<u8>,
    bytes: usize,
    dual: bool,
    method: i64,
    action: i64,
}

impl Walk {
    /// Calls every path of so many levels; whether the size is reached.
    fn below(&mut self, levels: usize, children: i64) -> bool {
        if levels == 0 {
            return self.payload.len() >= self.bytes;
        }
        for child in 0..children {
            self.enter(child);
            if self.below(levels - 1, children) {
                return true;
            }
            self.exit();
        }
        false
    }

    fn time(&mut self, action: i64) {
        // The time stands still, so the difference is that of the actions.
        self.payload.push((action - self.action) as u8 & 0x7F);
        self.action = action;
        if self.dual {
            self.payload.push(0);
        }
    }

    fn enter(&mut self, method: i64) {
        self.time(0);
        self.payload.push((method - self.method) as u8 & 0x7F);
        self.method = method;
    }

    fn exit(&mut self) {
        self.time(1);
    }
}

/// Entries only: each one below the one before, and no method calls another twice.
fn new_edges(bytes: usize) -> Vec<u8> {
    const METHODS: usize = 4096;
    let mut out = b"*version\n1\nclock=wall\n*threads\n1\tmain\n*methods\n".to_vec();
    (1..=METHODS).for_each(|n| writeln!(out, "{}\ta\tb\tc", n * 4).unwrap());
    out.extend(b"*end\n");
    out.extend(v1_header());
    let (mut at, mut time) = (0, 0u32);
    many(out, bytes, |out, n| {
        at = (at + n / METHODS + 1) % METHODS;
        time += 1;
        out.push(1);
        out.extend((at as u32 * 4 + 4).to_le_bytes());
        out.extend(time.to_le_bytes());
    })
}
