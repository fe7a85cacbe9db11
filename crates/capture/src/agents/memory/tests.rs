//! Snapshots through a shell with the output of a phone's shell.

use std::collections::BTreeMap;
use std::time::Duration;

use super::json::Dump;
use super::parse::Now;
use super::snapshot::{machine, processes};
use super::{FullDump, MemoryOptions, ProcShell};
use crate::error::Result;

/// A phone without root: its clock includes suspended time, and files of other users are missing.
#[derive(Clone)]
struct Phone;

impl ProcShell for Phone {
    fn output(&self, line: &str, _: Duration) -> Result<Vec<u8>> {
        let output = match line {
            line if line.contains("printf") => {
                "\u{1}2\n\u{1}788\ncom.example.app\0--x\0\u{1}900\nzygote64\0\u{1}\n\
                 lrwxrwxrwx 1 u0_a1 u0_a1 0 2026-01-01 10:00 788/exe -> /system/bin/app_process64\n\
                 lrwxrwxrwx 1 root root 0 2026-01-01 10:00 /proc/900/exe -> /system/bin/app_process64\n"
            }
            line if line.contains("smaps") => {
                "=788\n12c00000-52c00000 rw-p 00000000 00:04 7225  /dev/ashmem/dalvik main (deleted)\n\
                 Rss:                8 kB\nPss:                6 kB\nShared_Clean:       1 kB\n\
                 7f0000-7f1000 r-xp 00001000 fd:00 12 \nPss:                4 kB\nSwap:  2 kB\n"
            }
            line if line.contains("stat") => {
                "1234.56 999.00\n/proc/2/stat:2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 7 0 0 20 0 1 0 3\n\
                 /proc/2/oom_score:0\n\
                 /proc/788/status:VmSize:\t 2629440 kB\n/proc/788/status:VmRSS:\t  249348 kB\n\
                 /proc/788/stat:788 (a) b (c) S 1 788 0 0 -1 4194624 17 0 5 0 83 11 0 0 20 0 1 0 3\n\
                 /proc/788/oom_score:6\n/proc/788/oom_score_adj:-900\n\
                 /proc/900/status:VmSize:\t 9 kB\n\
                 /proc/788/task/793/comm:Signal: Catcher\nnonsense\n/proc/x/stat:1\n/proc/9/stat:9 (\n"
            }
            _ => "1234.56 999.00\nMemTotal:  1848224 kB\nHugePages_Total:  0\nodd\n",
        };
        Ok(output.as_bytes().to_vec())
    }
}

const LIMIT: Duration = Duration::from_secs(1);

#[test]
fn a_phone_without_root() {
    let machine = machine(&Phone, LIMIT).unwrap();
    let kb = [
        ("MemTotal".to_owned(), 1848224),
        ("HugePages_Total".to_owned(), 0),
    ];
    assert_eq!(machine.kb, kb);
    let at = Now {
        ms: 1_234_560,
        is_monotonic: false,
    };
    assert_eq!(machine.at, at);
    let options = MemoryOptions {
        full: FullDump::Named(vec!["com.example.app".to_owned()]),
        mmaps: true,
        ..MemoryOptions::default()
    };
    let seen = processes(&Phone, &options, &BTreeMap::new(), LIMIT).unwrap();
    let app = &seen.all[&788];
    assert_eq!((app.virt_kb, app.rss_kb), (Some(2_629_440), 249_348));
    assert_eq!((app.oom_score, app.oom_score_adj), (6, -900));
    let counts = [
        app.minor_faults,
        app.major_faults,
        app.user_time,
        app.kernel_time,
    ];
    assert_eq!((counts, app.comm.as_str()), ([17, 5, 83, 11], "a) b (c"));
    assert_eq!(app.threads[&793], "Signal: Catcher");
    let identity = app.identity.as_ref().unwrap();
    assert!(identity.name == "com.example.app" && identity.is_app());
    assert!(
        !seen.all[&900].identity.as_ref().unwrap().is_app(),
        "zygote"
    );
    let full = app.full.as_ref().unwrap();
    assert_eq!((full.sum.pss, full.sum.swap, full.sum.rss), (10, 2, 8));
    let files: Vec<_> = full.maps.iter().map(|map| map.file.as_str()).collect();
    assert_eq!(files, ["/dev/ashmem/dalvik main (deleted)", ""]);
    assert_eq!(full.maps[1].range, "7f0000-7f1000");
    assert_eq!(full.maps[1].flags, "r-xp");
    assert_eq!(
        (full.maps[1].sizes.pss, full.maps[0].sizes.shared_clean),
        (4, 1)
    );
    assert_eq!(seen.all[&2].virt_kb, None, "a kernel thread");
    assert!(seen.all[&900].full.is_none());
}

#[test]
fn the_dump_can_be_read() {
    let mut dump = Dump::default();
    dump.add_machine(&machine(&Phone, LIMIT).unwrap());
    let options = MemoryOptions {
        full: FullDump::Named(vec!["com.example.app".to_owned()]),
        mmaps: true,
        ..MemoryOptions::default()
    };
    dump.add_processes(processes(&Phone, &options, &BTreeMap::new(), LIMIT).unwrap());
    assert_eq!(dump.identities().len(), 3 + 1, "9 has an empty identity");
    let json = dump.finish(&[("id-1".to_owned(), 1_234_500)]);
    let options = traceloom_formats::ReadOptions::default();
    let trace = traceloom_formats::read_bytes(json.as_bytes(), options).unwrap();
    assert!(
        trace.repairs.rows().is_empty(),
        "{:?}\n{json}",
        trace.repairs
    );
    let names: Vec<_> = trace
        .processes
        .name
        .iter()
        .map(|id| trace.strings.get(id))
        .collect();
    for name in ["com.example.app", "zygote64", "kthreadd"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert_eq!(trace.slices.instants().count(), 2);
    assert_eq!(trace.clocks.len(), 1, "its clock is not CLOCK_MONOTONIC");
}
