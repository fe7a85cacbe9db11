use traceloom_trace::RepairKind;

use super::begins_script;
use super::frame::Frame;
use super::line::Head;

fn head(line: &str) -> Head<'_> {
    Head::read(line).unwrap_or_else(|| panic!("{line}"))
}

#[test]
fn columns_depend_on_the_fields_that_are_printed() {
    let whole = head("com.example app\t31/32 [005] 684943.518055: 250000 cpu-clock:");
    let expected = Head {
        comm: "com.example app",
        pid: Some(31),
        tid: 32,
        cpu: Some(5),
        ts_ns: Some(684_943_518_055_000),
        period: Some(250_000),
        event: "cpu-clock",
        rest: "",
    };
    assert_eq!(whole, expected);
    let short = head("     swapper     0 49497.388439776: ");
    assert_eq!((short.comm, short.tid, short.pid), ("swapper", 0, None));
    assert_eq!((short.ts_ns, short.event), (Some(49_497_388_439_776), ""));
    assert_eq!(
        head("27/-1 [000] GK    0.000001: cycles:u: ").event,
        "cycles:u"
    );
    assert_eq!(head("27/-1 [000] GK    0.000001: cycles:u: ").tid, -1);
    let point = head("a 1.000000: b 2 [001] 3.000000: sched:sched_switch: prev_comm=a: b");
    assert_eq!((point.comm, point.tid), ("a 1.000000: b", 2));
    assert_eq!(point.event, "sched:sched_switch");
    assert_eq!(point.rest, "prev_comm=a: b");
    let timed = head("sh 7 [001] 2026-11-28 02:01:17.070398 1795831277.070401:    5 cycles: ");
    assert_eq!((timed.comm, timed.tid, timed.cpu), ("sh", 7, Some(1)));
    assert_eq!(timed.ts_ns, Some(1_795_831_277_070_401_000));
    assert_eq!(head("sh 7 disabled 1.000000: cycles: ").comm, "sh");
    let record = head("sh 1 [000] 1.000000: PERF_RECORD_COMM: sh:1/1");
    assert_eq!(
        (record.event, record.rest),
        ("", "PERF_RECORD_COMM: sh:1/1")
    );
}

#[test]
fn samples_may_have_no_times() {
    let head = |line| Head::without_time(line).unwrap_or_else(|| panic!("{line}"));
    let short = head("com.example app 19983 cycles: ");
    assert_eq!(
        (short.comm, short.tid, short.event),
        ("com.example app", 19983, "cycles")
    );
    assert_eq!((short.ts_ns, short.period), (None, None));
    let whole = head("            java 31/32    [005]     250000 cpu-clock:pppH:");
    assert_eq!((whole.pid, whole.tid, whole.cpu), (Some(31), 32, Some(5)));
    assert_eq!(
        (whole.period, whole.event),
        (Some(250_000), "cpu-clock:pppH")
    );
    let point = head("sh 7 sched:sched_switch: prev_comm=a: b");
    assert_eq!(
        (point.event, point.rest),
        ("sched:sched_switch", "prev_comm=a: b")
    );
    let named = head("thr 1: x 12999    2004008 cpu-clock:  5599177b8238 leaf (/bin/work)");
    assert_eq!((named.comm, named.tid), ("thr 1: x", 12999));
    assert_eq!((named.period, named.event), (Some(2_004_008), "cpu-clock"));
    assert_eq!(head("a 1 2: x 7 cycles:").comm, "a 1 2: x");
    for line in [
        "",
        "app-7 [000] .... 1.000010: cpuhp_enter: cpu: 0001 target: 159 step: 9 (f)",
        "cycles:",
        "7 cycles:",
        "sh cycles:",
        "sh 7 cycles",
        "[ perf record: Woken up 5 times to write data ]",
        "            dd777 v8::internal::Execution::Call(v8::internal::Isolate*) (/usr/bin/node)",
    ] {
        assert_eq!(Head::without_time(line), None, "{line}");
    }
}

#[test]
fn other_lines_begin_no_sample() {
    for line in [
        "",
        "\tffffffff821f236b default_idle+0x5 ([kernel.kallsyms])",
        "cpu-clock:",
        "sh 7 250000 cpu-clock:",
        "sh-7 [000] d... 12.345678: sched_switch: prev_comm=a",
        "at 9 o'clock 12.345678: hello",
        "sh 7 [000] 12.34567: cycles:",
        "sh 7 [000] 99999999999999999999.345678: cycles:",
        "sh 7 [000] 9223372036.999999: cycles:",
    ] {
        assert_eq!(Head::read(line), None, "{line}");
    }
}

#[test]
fn names_and_files_may_contain_parentheses() {
    fn read(line: &str) -> Option<(&str, &str)> {
        Frame::read(line).map(|frame| (frame.name, frame.file))
    }
    for (line, expected) in [
        (
            "\t 613 f(int, char (*)()) const+0x12 (/lib/x.so (deleted))",
            ("f(int, char (*)()) const", "/lib/x.so (deleted)"),
        ),
        ("\tffff start_kernel", ("start_kernel", "")),
        ("\tffff f(int)", ("f(int)", "")),
        (
            "\t 6ce258d4c544155 [unknown] ([unknown])",
            ("[unknown]", "[unknown]"),
        ),
        ("\t 40 operator+ (/bin/a+0x40)", ("operator+", "/bin/a")),
        ("\t 40 g (inlined)", ("g", "inlined")),
        ("\t 40 x)", ("x)", "")),
    ] {
        assert_eq!(read(line), Some(expected), "{line}");
    }
    for name in [
        "f (",
        "f ((",
        "f )(",
        "(",
        "f (a",
        "f (\u{fffd}",
        "f) (\u{fffd}",
    ] {
        let line = format!("\t 40 {name}");
        assert_eq!(read(&line), Some((name, "")), "{line}");
    }
    assert_eq!(read("  file.c:12"), None);
    assert_eq!(read("  [kernel.kallsyms][ffffffff821f236b]"), None);
    let branch = Frame::on_first_line("tr strt   0 [unknown] (foo.so) =>   7ff g+0x6 (foo.so)");
    assert_eq!(branch.map(|frame| frame.name), Some("[unknown]"));
    let first = |rest| Frame::on_first_line(rest).map(|frame| frame.name);
    assert_eq!(
        first("ffffffff821f236b add ([kernel.kallsyms])"),
        Some("add")
    );
    assert_eq!(first("0 ffffffff821f236b f (a)"), Some("f"));
    assert_eq!(first("prev_comm=a prev_pid=1"), None);
}

/// Each colon could be the end of a time.
#[test]
fn a_line_of_colons_takes_no_long_time() {
    assert_eq!(Head::read(&":".repeat(4 << 20)), None);
    assert_eq!(Head::read(&"1.000000:".repeat(1 << 20)), None);
    assert_eq!(Head::read(&" 1.000000:".repeat(1 << 20)), None);
}

#[test]
fn a_header_or_a_sample_begins_a_script() {
    assert!(begins_script(b"\n# ========\n# captured on: Thu Jul  9\n"));
    assert!(begins_script(
        b"# ========\n# cmdline : simpleperf record\n# ========\n#\nsh\t7/9 [000] 1.345678: 5 cycles:\n"
    ));
    assert!(begins_script(b"#\nsh\t7/9 [000] 1.345678: 5 cycles:\n"));
    assert!(!begins_script(
        b"# ========\n# cmdline : a\n# ========\n#\nsh-7 [000] .... 1.345678: a: b\n"
    ));
    assert!(begins_script(
        b"PERF_RECORD_FINISHED_ROUND\nsh 7 12.345678: cycles: \n"
    ));
    assert!(begins_script(b"sh  7/9 [000] 12.345678: cycles: \n"));
    assert!(!begins_script(b"# ========\n# tracer: nop\n"));
    assert!(!begins_script(b"# tracer: nop\n"));
    assert!(!begins_script(b"\xff\xfe"));
    assert!(begins_script(
        b"java 19983 cycles:\nffff8103d0ca f ([kernel])\n"
    ));
    assert!(begins_script(
        b"java 19983 cycles: ffff8103d0ca f ([kernel])\n"
    ));
    assert!(!begins_script(b"bought 12 things:\n add one\n"));
    assert!(!begins_script(
        b"# ========\n# captured on: Thu Jul  9\n# ========\n#\n# Samples: 7K of event 'cycles'\n"
    ));
}

/// Rounds, lines of a record and registers are neither samples nor functions.
#[test]
fn lines_of_others_are_no_functions() {
    let text = "PERF_RECORD_FINISHED_ROUND\n\
        sh 7 [000] 1.000000: PERF_RECORD_NAMESPACES 7/7 - nr_namespaces: 2\n\
        \t\t[0/net: 4/0xeffffff9, 1/uts: 4/0xeffffffe, \n\
        \t\t 4/user: 4/0xeffffffd, 5/mnt: 4/0xeffffff8]\n\
        sh 7 [000] 2.000000: cycles: \n\
        \t    40a0 draw (/bin/app)\n \
        ABI:2    AX:0x5    BX:0x3293\n\
        PERF_RECORD_FINISHED_ROUND\n";
    let trace = crate::read_bytes(text.as_bytes(), crate::ReadOptions::default()).unwrap();
    let kinds = RepairKind::ALL.iter();
    let repairs = kinds.map(|kind| (*kind, trace.repairs.count(*kind)));
    let repairs: Vec<_> = repairs.filter(|(_, count)| *count > 0).collect();
    // The record, and the registers.
    assert_eq!(repairs, [(RepairKind::SkippedEntry, 2)]);
}
