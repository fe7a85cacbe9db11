//! Inputs that make readers use as much memory as possible per byte.

use std::io::Write;

use testkit::Proto;

use crate::makers::{
    back_in_time, dat, json, key_section, many, new_edges, new_paths, packets, protos, text,
    v1_header, v2_header,
};

/// An input that consists of repetitions of one kind of data.
pub struct Hostile {
    pub name: &'static str,
    /// The commands that used the most memory for it before there were limits.
    pub worst_for: &'static [&'static str],
    /// Makes an input of about this many bytes.
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

/// The worst known input for each reader.
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
    hostile("ftrace: fields of one line", &["info"], |bytes| {
        let line = b"-1 [0] 1.0: a: ".to_vec();
        many(line, bytes, |out, _| out.extend(b"a=1 "))
    }),
    hostile("ftrace: events with as many fields", &["info"], |bytes| {
        text(bytes, |out, n| {
            let fields = "a=b ".repeat(16_000);
            writeln!(out, "-1 [0] 1.0: {n:x}: {fields}").unwrap()
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
    hostile("perfetto: instants", &[], |bytes| {
        protos(bytes, |_| Proto::new().message(11, Proto::new().uint(9, 3)))
    }),
    hostile("perfetto: names", &[], |bytes| {
        let name = |n| Proto::new().message(2, Proto::new().uint(1, n));
        protos(bytes, |n| Proto::new().message(12, name(n)))
    }),
    hostile("perfetto: states", &[], |bytes| {
        protos(bytes, |_| {
            Proto::new()
                .uint(13, 1)
                .message(11, Proto::new().uint(9, 3))
        })
    }),
    hostile("perfetto: tracks", &[], |bytes| {
        protos(bytes, |n| Proto::new().message(60, Proto::new().uint(1, n)))
    }),
    hostile("perfetto: threads", &[], |bytes| {
        let thread = |n| Proto::new().uint(1, n).message(4, Proto::new().uint(2, n));
        protos(bytes, |n| Proto::new().message(60, thread(n)))
    }),
    hostile("perfetto: bundles", &[], |bytes| {
        let event = || Proto::new().message(3, Proto::new());
        protos(bytes, |_| {
            Proto::new().message(1, Proto::new().message(2, event()).message(2, event()))
        })
    }),
    hostile("perfetto: events", &[], |bytes| {
        let event = Proto::new().uint(1, 1).message(3, Proto::new());
        let bundle =
            (0..bytes / 6).fold(Proto::new(), |bundle, _| bundle.message(2, event.clone()));
        let packet = Proto::new().message(1, bundle);
        Proto::new().message(1, packet).bytes().to_vec()
    }),
    hostile("perfetto: CPU times", &[], |bytes| {
        protos(bytes, |n| {
            let cpu = Proto::new().message(3, Proto::new().uint(1, 0));
            Proto::new().uint(8, n).message(7, cpu)
        })
    }),
    hostile("perfetto: frames", &[], |bytes| {
        protos(bytes, |n| {
            let frame = Proto::new().uint(1, n).uint(2, n).uint(4, 1);
            Proto::new()
                .uint(8, n)
                .message(76, Proto::new().message(2, frame))
        })
    }),
    hostile("strace: calls", &[], |bytes| {
        many(Vec::new(), bytes, |out, _| out.extend(b"0 a()=\n"))
    }),
    hostile("strace: threads", &[], |bytes| {
        many(Vec::new(), bytes, |out, n| {
            writeln!(out, "{n} 0 a()=").unwrap();
        })
    }),
    hostile("strace: threads that end", &[], |bytes| {
        many(Vec::new(), bytes, |out, n| {
            writeln!(out, "{n} 0 fork()={n}\n{n} 0 +++ a +++").unwrap();
        })
    }),
    hostile("perfetto: switches", &[], |bytes| {
        let ones = vec![1; bytes / 5];
        let columns = [1, 2, 3, 4, 6].into_iter();
        let compact = columns.fold(Proto::new(), |compact, column| {
            compact.packed(column, &ones)
        });
        let packet = Proto::new().message(1, Proto::new().message(4, compact));
        Proto::new().message(1, packet).bytes().to_vec()
    }),
];
