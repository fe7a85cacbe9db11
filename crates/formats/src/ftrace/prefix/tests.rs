//! Lines of all layouts.

use super::*;
use crate::ftrace::fast::prefix;

fn read(line: &str) -> (String, i32, i32, u32, i64, String) {
    let prefix = prefix(line.as_bytes()).unwrap_or_else(|| panic!("not read: {line}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let Prefix {
        comm,
        tid,
        tgid,
        cpu,
        ts,
        rest,
    } = prefix;
    (text(comm), tid, tgid, cpu, ts, text(rest))
}

#[test]
fn every_layout_of_the_columns() {
    let expect = |comm: &str, tgid| {
        let (tid, cpu, ts) = (77, 3, 12_000_345_000);
        (comm.to_owned(), tid, tgid, cpu, ts, "ev: a=1".to_owned())
    };
    for (line, comm, tgid) in [
        (
            "          <idle>-77    [003] d.h4    12.000345: ev: a=1",
            "<idle>",
            -1,
        ),
        (
            "           <...>-77    (-----) [003] ...1    12.000345: ev: a=1",
            "<...>",
            -1,
        ),
        ("app-77 (   77) [003] d..112.000345: ev: a=1", "app", 77),
        ("app-77 (   77) [003] d..1.12.000345: ev: a=1", "app", 77),
        (
            "           <...>-77      (-------) [003] .....    12.000345: ev: a=1",
            "<...>",
            -1,
        ),
        (
            "  surfaceflinger-77   (  598) [003] .... 12.000345: ev: a=1",
            "surfaceflinger",
            598,
        ),
        (
            "  surfaceflinger-77      (    598) [003] DNZff    12.000345: ev: a=1",
            "surfaceflinger",
            598,
        ),
        (
            "              sh-77    [003]    12.000345: ev:          a=1",
            "sh",
            -1,
        ),
        ("x-77 [003] 12.000345: ev: a=1", "x", -1),
        (
            "rs:main Q:Reg-77 [003] b.s1 12.000345: ev: a=1",
            "rs:main Q:Reg",
            -1,
        ),
        (
            "a-1 [000]-77    [003] d.h. 12.000345: ev: a=1",
            "a-1 [000]",
            -1,
        ),
        (
            "com.example.x-10-77  [003] .... 12.000345: ev: a=1",
            "com.example.x-10",
            -1,
        ),
        (
            "kworker/u8:2-ev-77 [003] d.L1 12.000345: ev: a=1",
            "kworker/u8:2-ev",
            -1,
        ),
        (
            "\t  (sd-pam)-77 [003] .... 12.000345: ev: a=1",
            "(sd-pam)",
            -1,
        ),
        ("-77 [003] .... 12.000345: ev: a=1", "", -1),
    ] {
        let mut read = read(line);
        read.5 = read.5.replace("         ", "");
        assert_eq!(read, expect(comm, tgid), "{line}");
    }
}

#[test]
fn clocks_that_count_no_seconds() {
    assert_eq!(read("a-1 [000] ....        12345: ev: a").4, 12345);
    assert_eq!(read("a-1 [000] .... 1.123456789: ev: a").4, 1_123_456_789);
}

#[test]
fn latency_format() {
    // These lines are from Linux 6.18 and trace-cmd report -l.
    let line = "   sleep-2304      1d..2. 7843065108us!: sched_switch: prev_comm=sleep";
    let expect = ("sleep".to_owned(), 2304, -1, 1, 7_843_065_108_000);
    let (comm, tid, tgid, cpu, ts, rest) = read(line);
    assert_eq!((comm, tid, tgid, cpu, ts), expect);
    assert_eq!(rest, "sched_switch: prev_comm=sleep");
    let line = "rcu_pree-15       12d..2. 7843081892us : ev: a";
    assert_eq!((read(line).3, read(line).4), (12, 7_843_081_892_000));
    let line = "  <idle>-0         2d.h2. 259445.106966: ev: a=1";
    let (comm, tid, _, cpu, ts, _) = read(line);
    assert_eq!((comm.as_str(), tid, cpu), ("<idle>", 0, 2));
    assert_eq!(ts, 259_445_106_966_000);
    // A time in ticks follows without a space.
    let line = "load.sh-22543   1.....56374176421221: sys_exit: NR 1 = 1";
    assert_eq!((read(line).3, read(line).4), (1, 56_374_176_421_221));
    // trace-cmd report -l -R
    let line = "trace-cm-6973    2-0x1 259445.106948920: bprint: ip=0x1";
    let (comm, tid, _, cpu, ts, rest) = read(line);
    assert_eq!((comm.as_str(), tid, cpu), ("trace-cm", 6973, 2));
    assert_eq!((ts, rest.as_str()), (259_445_106_948_920, "bprint: ip=0x1"));
    for line in [
        "05-12 12:34:56.789  123  456 I tag: text",
        "a-1 2-0x1: ev",
        "a-1 2-0x1 12.5 ev",
        "a-1 2-0xz 12.5: ev",
        "a-1 2d..2. 12us?: ev",
        "a-1 2 12us: ev",
        "a-1 2d..2.",
        "2026-05-12 12d... 1",
    ] {
        assert_eq!(prefix(line.as_bytes()), None, "{line}");
    }
}

#[test]
fn latency_format_with_verbose() {
    // These lines are from Linux 6.18.
    for (line, comm, tid, cpu, ts) in [
        (
            "       opt cgu.0   29074   0 1 00000002 00000003 [308562e99] 13024767.641ms (+0.004ms): \
             ev: a=1",
            "opt cgu.0",
            29074,
            0,
            13_024_767_641_000,
        ),
        (
            " build-script-bu   28920   1 1 00000002 00000002 [308562dae] 13024767.406ms (+0.236ms): \
             ev: a=1",
            "build-script-bu",
            28920,
            1,
            13_024_767_406_000,
        ),
        (
            "            bash   29552   1 0 00000001 00000037 [0000000000000012] 18 (+0): ev: a=1",
            "bash",
            29552,
            1,
            18,
        ),
    ] {
        let found = read(line);
        let expected = (comm.to_owned(), tid, -1, cpu, ts, "ev: a=1".to_owned());
        assert_eq!(found, expected, "{line}");
    }
    for line in [
        "a 1 0 1 2 3 [12] 1.000ms +1.000ms): ev",
        "1 0 1 2 3 [12] 1.000ms (+1.000ms): ev",
        "a 1 0 1 2 3 [xy] 1.000ms (+1.000ms): ev",
        "a x 0 1 2 3 [12] 1.000ms (+1.000ms): ev",
    ] {
        assert_eq!(prefix(line.as_bytes()), None, "{line}");
    }
}

#[test]
fn what_is_no_line() {
    for line in [
        "",
        "some = 000, other = 0x4",
        "a-1 [000] ....",
        "a-99999999999 [000] .... 1.000000: x",
        "a-1 [abc] .... 1.000000: x",
        "a-1 (12 [000] .... 1.000000: x",
        "a-1 [000] .... 1.000000 x",
    ] {
        assert_eq!(prefix(line.as_bytes()), None, "{line}");
    }
}
