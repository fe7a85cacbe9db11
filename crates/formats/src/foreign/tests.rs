use super::*;

#[test]
fn other_tools_files_are_named() {
    let name = |head: &[u8]| recognise(head).map(|format| format.name);
    assert!(name(b"PERFFILEh\0\0\0").unwrap().contains("perf.data"));
    assert!(name(b"FLR\0\0\x02\0\0").unwrap().contains("JFR"));
    for pprof in [
        b"\x0a\x04\x08\x02\x10\x01\x0a\x04",
        b"\x5a\x04\x08\x01\x10\x02\x60\x80",
    ] {
        assert!(name(pprof).unwrap().contains("pprof"));
    }
    assert!(
        name(b"main;run;draw 12\nmain;run 3\n")
            .unwrap()
            .contains("collapsed")
    );
    for text in [
        &b"cpu-clock: \n\tffffffff821f236b default_idle\n"[..],
        b"cycles:u: \n\t     613 alpha (/bin/a)\n",
    ] {
        assert!(name(text).unwrap().contains("perf script"));
    }
    assert_eq!(name(b"print(x)\nprint(y)\n"), None);
    assert_eq!(name(b"f(x) = 2\ng(x) = 3\n"), None);
    let summary = b"% time     seconds  usecs/call     calls    errors syscall\n";
    assert!(name(summary).unwrap().contains("summary of strace"));
    let attached = [&b"strace: Process 15 attached\n"[..], summary].concat();
    assert!(name(&attached).unwrap().contains("summary of strace"));
    let report = b"# To display the perf.data header info, please use --header\n#\n# Samples: 7K of event 'cycles'\n";
    assert!(name(report).unwrap().contains("report of perf"));
    assert!(name(b"\x7fELF\x02").unwrap().contains("ELF"));
    assert!(
        name(b"version: 1\ncreator: callgrind-3\n")
            .unwrap()
            .contains("Callgrind")
    );
    assert!(name(b"\x89PNG\r\n\x1a\n").unwrap().contains("picture"));
    let trace = b"     0.000 ( 0.016 ms): ls/1234 openat(dfd: CWD) = 3\n";
    assert!(name(trace).unwrap().contains("perf trace"));
    let waiting = b"     0.050 (         ): ls/1234 read(fd: 0) ...\n";
    assert!(name(waiting).unwrap().contains("perf trace"));
    let dump = b"\n0x8f8@perf.data [0x38]: event: 79\n.\n. ... raw event: size 56 bytes\n";
    assert!(name(dump).unwrap().contains("perf script -D"));
    assert!(name(b"go 1.22 trace\0\0\0").unwrap().contains("Go"));
    let log =
        b"12-31 19:00:00.123  1000  1001 I Manager: a\n12-31 19:00:00.124  1000  1001 D B: c\n";
    assert!(name(log).unwrap().contains("logcat"));
    assert!(
        name(b"I/Manager( 1000): a\nD/B( 1): c\n")
            .unwrap()
            .contains("logcat")
    );
    assert_eq!(name(b"I/O is slow\nI/O is slow\n"), None);
    assert_eq!(name(b"hello; world 5 and more\n"), None);
    assert_eq!(name(b"\x0a"), None);
    assert_eq!(name(b""), None);
}
