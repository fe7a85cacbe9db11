//! Traces that each test one thing.

use crate::build::{ENTER, EXIT, Trace};

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
    trace.calls("1+4@100 1+8@250 2+12@300 1-8@1750 1+16@2000 2~12@2500 1-16@9000 1+8@9500");
    trace
}

/// Adds [`plain`], changed.
fn changed(cases: &mut Cases, name: impl Into<String>, change: impl FnOnce(&mut Trace)) {
    changed_version(cases, 2, name, change);
}

fn changed_version(
    cases: &mut Cases,
    version: u16,
    name: impl Into<String>,
    change: impl FnOnce(&mut Trace),
) {
    let mut trace = plain(version);
    change(&mut trace);
    add(cases, name, &trace);
}

fn formats(cases: &mut Cases) {
    for version in 1..=3 {
        add(cases, format!("version {version}"), &plain(version));
        for offset in [0, 4, 16, 17, 18, 20, 64, 0x7fff, 0xffff, 0xfff0, 0x8000] {
            let name = format!("version {version}, offset {offset}");
            changed_version(cases, version, name, |t| t.offset = offset);
        }
        for tail in 1..14 {
            let name = format!("version {version}, torn after {tail}");
            let byte = if tail % 3 == 0 { 7 } else { 0xff };
            changed_version(cases, version, name, |t| t.tail = vec![byte; tail]);
        }
    }
    for tail in [&[1][..], &[0xff, 1], &[1, 0xff]] {
        changed(cases, format!("torn: {tail:?}"), |t| t.tail = tail.to_vec());
    }
    for size in [0, 1, 9, 10, 11, 14, 18, 64, 0x8000, 0xffff, 0x7fff] {
        let name = format!("record size {size}");
        changed_version(cases, 3, name, |t| t.record_size = size);
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
    let direct = (0..40).map(|i| (4, if i < 20 { ENTER } else { EXIT }, i * 10));
    add(cases, "direct recursion", &made_of(direct));
    let mutual = (0..30).map(|i| (4 + 4 * (i % 3), ENTER, i * i));
    let returns = (0..30)
        .rev()
        .map(|i| (4 + 4 * (i % 3), EXIT, 2_000 - i * 7));
    add(cases, "mutual recursion", &made_of(mutual.chain(returns)));
    let open = (0..30).map(|i| (4 + 4 * (i % 3), ENTER, i * 100));
    add(cases, "open recursion", &made_of(open));
    for depth in [9_999, 10_000, 10_001, 10_500] {
        let deep = (0..depth).map(|i| (4 + 4 * (i % 4), ENTER, i));
        add(cases, format!("{depth} frames"), &made_of(deep));
    }
    for (name, calls) in [
        ("exits on an empty stack", "1-4@500 1~8@700 1+4@800 1-4@900"),
        ("a single exit: no total", "1-4@500"),
        ("no time at all", "1+4@7 1-4@7"),
        ("no records", ""),
        (
            "time wraps and steps back",
            "1+4@4294967290 1+8@10 1-8@5 1-4@4294967295",
        ),
        (
            "exits that do not match",
            "1+4@1 1+8@2 1+12@4 1-4@8 1-8@16 1+16@32 1-16@64",
        ),
    ] {
        let mut trace = Trace::with_methods(2, 4);
        trace.calls(calls);
        add(cases, name, &trace);
    }
    changed(cases, "unknown methods, a thread nobody declared", |t| {
        t.calls("7+4@1 7+16384@2 7-32768@9 7+0@11 7+4294967292@12");
        t.record(7, 4, 3, 40);
    });
    changed(cases, "thread numbers beyond 32767", |t| {
        for thread in [32_767, 32_768, 40_000, 49_151] {
            t.calls(&format!("{thread}+4@100 {thread}+8@150 {thread}-8@190"));
        }
    });
}

/// Four methods and records of thread 1: id, action and time.
fn made_of(records: impl Iterator<Item = (u32, u32, u32)>) -> Trace {
    let mut trace = Trace::with_methods(2, 4);
    for (method, action, time) in records {
        trace.record(1, method, action, time);
    }
    trace
}

fn names(cases: &mut Cases) {
    let lines = "4\tA & B\t<init>\t(I)Ljava/util/List<\"x\">;\tA.java\t12|8\tA & B\t<init>\t(I)V\tA.java\t12\
                 |12\tA & B\tm\t\tA.java\t12|16\tjust_a_function";
    changed(cases, "markup in names, four to six fields", |t| {
        t.methods = Some(lines.split('|').map(Vec::from).collect());
    });
    let mut trace = plain(2);
    trace.methods = Some(Vec::new());
    for id in [4, 8, 12, 16, 20] {
        trace.method(&format!("{id}\tSame\tsame\t()V"));
    }
    add(cases, "one name for all", &trace);
    for ids in [
        "4 8 400",
        "4 0x60000000 0xfffffffc",
        "3 -8 0x200000000",
        "4 4 4",
        "4 4 4 4",
        "4 4 4 4 4",
    ] {
        let mut trace = Trace::new(2);
        for (i, id) in ids.split(' ').enumerate() {
            trace.method(&format!("{id}\tC\tm{i}\t()V"));
        }
        for id in [4, 8, 400, 12, 0, 0x6000_0000, 0xffff_fffc] {
            trace
                .record(1, id, ENTER, 7)
                .record(1, id, EXIT, 9 + id % 31);
        }
        add(cases, format!("ids {ids}"), &trace);
    }
    trace
        .method("4\tOther\tother\t()V")
        .method("4\tSame\tthird\t()V");
    add(cases, "one id for several", &trace);
    let lines =
        "4\tX|8\tX\ta\t()V|12\tX\tb\t()V|16\tX|2\tX\tzz\t|20\tX\ta\t()I|24\t(toplevel)\tm\t()V";
    changed(cases, "methods with and without names in one class", |t| {
        t.methods = Some(lines.split('|').map(Vec::from).collect());
    });
    changed(cases, "negative and huge ids", |t| {
        t.method("-3\tBelow\tall\t()V")
            .method("-1\tMinus\tone\t()V");
        t.method("0xfffffffffffffffe\tMinus\ttwo\t()V");
        t.method("99999999999999999999\tHuge\tid\t()V");
    });
    let lines = [
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
    ];
    for (i, line) in lines.iter().enumerate() {
        changed(cases, format!("method line {i}"), |t| {
            let methods = t.methods.get_or_insert_default();
            methods.remove(0);
            methods.push(line.to_vec());
        });
    }
    changed(cases, "a name beyond the original's buffer", |t| {
        t.method(&format!("4\t{}\tm\t()V", "<".repeat(2_560)));
    });
}

fn keys(cases: &mut Cases) {
    changed(cases, "no threads section", |t| t.threads = None);
    changed(cases, "no threads, no methods", |t| {
        (t.threads, t.methods) = (None, None);
    });
    changed(cases, "empty threads", |t| t.threads = Some(Vec::new()));
    changed(cases, "empty methods", |t| t.methods = Some(Vec::new()));
    changed(cases, "no methods section", |t| t.methods = None);
    changed(cases, "empty version", |t| t.version_lines.clear());
    let lines = "3\tthree||no tab|-5\tminus|1\tone\twith tab|1\tagain|2147483647\tmax|12abc|  -7|x|+3\
                 |4294967297|99999999999999999999|-99999999999999999999";
    let lines = lines.split('|').map(String::from).collect();
    changed(cases, "odd threads", |t| t.threads = Some(lines));
    let versions =
        "|x|0x10|010|09|0x|0xg|-1|-| 3 | 5z|3\r|99999999999999999999|-99999999999999999999";
    for version in versions.split('|') {
        changed(cases, format!("version line {version:?}"), |t| {
            t.version_lines = vec![version.into(), "key=value".into(), String::new()];
        });
    }
    for line in ["no tab", "zz\tC\tm\t()V", "4x\tC\tm\t()V", "", "0x\tC"] {
        let name = format!("broken method line {line:?}");
        changed(cases, name, |t| {
            t.method(line);
        });
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
        b"*sersion\n2\n",
        b"*version\n*t",
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
