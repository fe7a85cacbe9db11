//! Traces that each show one thing.

use crate::build::{ENTER, EXIT, Trace, UNROLL};

/// Every case, by name.
pub fn all() -> Vec<(String, Vec<u8>)> {
    let mut cases = Vec::new();
    formats(&mut cases);
    stacks(&mut cases);
    names(&mut cases);
    keys(&mut cases);
    broken(&mut cases);
    cases
}

type Cases = Vec<(String, Vec<u8>)>;

fn add(cases: &mut Cases, name: impl Into<String>, trace: &Trace) {
    cases.push((name.into(), trace.bytes()));
}

/// Two threads, nested calls, a call left open.
fn plain(version: u16) -> Trace {
    let mut trace = Trace::with_methods(version, 5);
    trace
        .record(1, 4, ENTER, 100)
        .record(1, 8, ENTER, 250)
        .record(2, 12, ENTER, 300)
        .record(1, 8, EXIT, 1_750)
        .record(1, 16, ENTER, 2_000)
        .record(2, 12, UNROLL, 2_500)
        .record(1, 16, EXIT, 9_000)
        .record(1, 8, ENTER, 9_500);
    trace
}

fn formats(cases: &mut Cases) {
    for version in 1..=3 {
        add(cases, format!("version {version}"), &plain(version));
        for offset in [0, 4, 16, 17, 18, 20, 64, 0x7fff, 0xffff, 0xfff0, 0x8000] {
            let mut trace = plain(version);
            trace.offset = offset;
            add(cases, format!("version {version}, offset {offset}"), &trace);
        }
        for tail in 1..14 {
            let mut trace = plain(version);
            trace.tail = vec![if tail % 3 == 0 { 7 } else { 0xff }; tail];
            add(
                cases,
                format!("version {version}, torn after {tail}"),
                &trace,
            );
        }
    }
    for size in [0, 1, 9, 10, 11, 14, 18, 64, 0x8000, 0xffff, 0x7fff] {
        let mut trace = plain(3);
        trace.record_size = size;
        add(cases, format!("record size {size}"), &trace);
    }
    for version in [0, 4, 5, 0xf3, 0xffff, 0x8001] {
        add(cases, format!("header version {version}"), &plain(version));
    }
    let whole = plain(3).bytes();
    let header = whole.windows(4).position(|w| w == b"SLOW").unwrap_or(0);
    for cut in 0..40 {
        let end = whole.len().min(header + cut);
        cases.push((
            format!("cut {cut} bytes into the header"),
            whole[..end].to_vec(),
        ));
    }
}

fn stacks(cases: &mut Cases) {
    let mut trace = Trace::with_methods(2, 4);
    for i in 0..20 {
        trace.record(1, 4, ENTER, i * 10);
    }
    for i in 20..40 {
        trace.record(1, 4, EXIT, i * 10);
    }
    add(cases, "direct recursion", &trace);
    let mut trace = Trace::with_methods(2, 4);
    for i in 0..30 {
        trace.record(1, 4 + 4 * (i % 3), ENTER, i * i);
    }
    for i in (0..30).rev() {
        trace.record(1, 4 + 4 * (i % 3), EXIT, 2_000 - i * 7);
    }
    add(cases, "mutual recursion", &trace);
    let mut trace = Trace::with_methods(2, 4);
    for i in 0..30 {
        trace.record(1, 4 + 4 * (i % 3), ENTER, i * 100);
    }
    add(cases, "open recursion", &trace);
    let mut trace = Trace::with_methods(2, 4);
    trace.record(1, 4, EXIT, 500).record(1, 8, UNROLL, 700);
    trace.record(1, 4, ENTER, 800).record(1, 4, EXIT, 900);
    add(cases, "exits on an empty stack", &trace);
    trace.records.truncate(1);
    add(cases, "a single exit: no total", &trace);
    let mut trace = Trace::with_methods(2, 3);
    trace.record(1, 4, ENTER, 7).record(1, 4, EXIT, 7);
    add(cases, "no time at all", &trace);
    add(cases, "no records", &Trace::with_methods(2, 3));
    let mut trace = Trace::with_methods(2, 3);
    trace
        .record(1, 4, ENTER, u32::MAX - 5)
        .record(1, 8, ENTER, 10);
    trace.record(1, 8, EXIT, 5).record(1, 4, EXIT, u32::MAX);
    add(cases, "time wraps and steps back", &trace);
    let mut trace = plain(2);
    trace.record(7, 4, ENTER, 1).record(7, 0x4000, ENTER, 2);
    trace.record(7, 0x8000, EXIT, 9).record(7, 0, ENTER, 11);
    trace.record(7, 0xffff_fffc, ENTER, 12).record(7, 4, 3, 40);
    add(cases, "unknown methods, a thread nobody declared", &trace);
    let mut trace = plain(2);
    for thread in [32_767u16, 32_768, 40_000, 49_151] {
        trace
            .record(thread, 4, ENTER, 100)
            .record(thread, 8, ENTER, 150);
        trace.record(thread, 8, EXIT, 190);
    }
    add(cases, "thread numbers beyond 32767", &trace);
    deep(cases);
}

fn deep(cases: &mut Cases) {
    for depth in [9_999, 10_000, 10_001, 10_500] {
        let mut trace = Trace::with_methods(2, 4);
        for i in 0..depth {
            trace.record(1, 4 + 4 * (i % 4), ENTER, i);
        }
        add(cases, format!("{depth} frames"), &trace);
    }
    let mut trace = Trace::with_methods(2, 4);
    trace
        .record(1, 4, ENTER, 1)
        .record(1, 8, ENTER, 2)
        .record(1, 12, ENTER, 4);
    trace
        .record(1, 4, EXIT, 8)
        .record(1, 8, EXIT, 16)
        .record(1, 16, ENTER, 32);
    trace.record(1, 16, EXIT, 64);
    add(cases, "exits that do not match", &trace);
}

fn names(cases: &mut Cases) {
    let mut trace = plain(2);
    trace.methods = Some(Vec::new());
    trace
        .method("4\tA & B\t<init>\t(I)Ljava/util/List<\"x\">;\tA.java\t12")
        .method("8\tA & B\t<init>\t(I)V\tA.java\t12")
        .method("12\tA & B\tm\t\tA.java\t12")
        .method("16\tjust_a_function");
    add(cases, "markup in names, four to six fields", &trace);
    let mut trace = plain(2);
    trace.methods = Some(Vec::new());
    for id in [4, 8, 12, 16, 20] {
        trace.method(&format!("{id}\tSame\tsame\t()V"));
    }
    add(cases, "one name for all", &trace);
    trace
        .method("4\tOther\tother\t()V")
        .method("4\tSame\tthird\t()V");
    add(cases, "one id for several", &trace);
    let mut trace = plain(2);
    trace.methods = Some(Vec::new());
    trace
        .method("4\tX")
        .method("8\tX\ta\t()V")
        .method("12\tX\tb\t()V")
        .method("16\tX");
    trace
        .method("2\tX\tzz\t")
        .method("20\tX\ta\t()I")
        .method("24\t(toplevel)\tm\t()V");
    add(cases, "methods with and without names in one class", &trace);
    let mut trace = plain(2);
    trace
        .method("-3\tBelow\tall\t()V")
        .method("-1\tMinus\tone\t()V");
    trace.method("0xfffffffffffffffe\tMinus\ttwo\t()V");
    trace.method("99999999999999999999\tHuge\tid\t()V");
    add(cases, "negative and huge ids", &trace);
    for (i, line) in [
        &b"4\t\tm\t()V"[..],
        b"4\tC\t\t()V",
        b"4\tC\tm\t\t\t",
        b"4\tC\tm\t()V\t\t3",
        b"4\tC\tm\t()V\tF\t",
        b"4\tC\tm",
        b"4\tC\tm\t",
        b"\tC\tm\t()V",
        b" +4\tC\tm\t()V\textra\tline\tmore\tfields",
        b"4\tC\xc3\xa9\tm\xff\t()V\x01",
        b"4\tC\0c\tm\0m\t()V\0s",
        b"010\tC\tm\t()V",
    ]
    .iter()
    .enumerate()
    {
        let mut trace = plain(2);
        trace.methods.get_or_insert_default().remove(0);
        trace.methods.get_or_insert_default().push(line.to_vec());
        add(cases, format!("method line {i}"), &trace);
    }
    let mut trace = plain(2);
    trace.method(&format!("4\t{}\tm\t()V", "<".repeat(2_560)));
    add(cases, "a name beyond the original's buffer", &trace);
}

fn keys(cases: &mut Cases) {
    let mut trace = plain(2);
    trace.threads = None;
    add(cases, "no threads section", &trace);
    trace.methods = None;
    add(cases, "no threads, no methods", &trace);
    let mut trace = plain(2);
    trace.threads = Some(Vec::new());
    add(cases, "empty threads", &trace);
    let mut trace = plain(2);
    trace.methods = Some(Vec::new());
    add(cases, "empty methods", &trace);
    let mut trace = plain(2);
    trace.methods = None;
    add(cases, "no methods section", &trace);
    let mut trace = plain(2);
    trace.threads = Some(
        [
            "3\tthree",
            "",
            "no tab",
            "-5\tminus",
            "1\tone\twith tab",
            "1\tagain",
            "2147483647\tmax",
        ]
        .map(String::from)
        .to_vec(),
    );
    add(cases, "odd threads", &trace);
    for version in [
        "",
        "x",
        "0x10",
        "010",
        "-1",
        "99999999999999999999",
        " 3 ",
        "3\r",
    ] {
        let mut trace = plain(2);
        trace.version_lines = vec![version.into(), "key=value".into(), String::new()];
        add(cases, format!("version line {version:?}"), &trace);
    }
    let mut trace = plain(2);
    trace.version_lines.clear();
    add(cases, "empty version", &trace);
    for line in ["no tab", "zz\tC\tm\t()V", "4x\tC\tm\t()V", "", "0x\tC"] {
        let mut trace = plain(2);
        trace.method(line);
        add(cases, format!("broken method line {line:?}"), &trace);
    }
}

fn broken(cases: &mut Cases) {
    for text in [
        &b""[..],
        b"\n",
        b"no trace, but long enough",
        b"*",
        b"*version",
        b"*version\n",
        b"*version\n3\n",
        b"*ver\n3\n*threads\n",
        b"*versionX\n3\n*threadsX\n1\tmain\n*methodsX\n4\tC\n*endX\n",
        b"*version\n3\n*thr\n",
        b"*version\n3\n*thr",
        b"*version\n3\n*threads\n1\tmain\n*methods\n4\tC\n*end",
        b"*version\n3\n*threads\n1\tmain\n*methods\n4\tC\n*end\n",
        b"*version\n3\n*threads\n1\tmain\n*methods\n4\tC\n*en\nd",
        b"*version\n3\n*threads\n1\tmain\n*other\n*methods\n4\tC\n*end\n",
    ] {
        let name = format!("text {:?}", String::from_utf8_lossy(text));
        cases.push((name, text.to_vec()));
    }
}
