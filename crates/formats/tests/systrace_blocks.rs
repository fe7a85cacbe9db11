//! Pages of systrace with blocks of every kind, in every order and size.

mod common;

use common::{corpus, fingerprint, open, open_in_chunks};
use testkit::{PAGE_PID, PAGE_TID, PageBlock, Rng, systrace_page};
use traceloom_formats::ReadOptions;
use traceloom_trace::{RepairKind, RowId, Trace};

const VIEWER: &str = "<head><script>var a = '<script class=\"trace-data\">';</script></head><body>";

/// Whether a trace has the contents of a block of this kind.
fn shows(trace: &Trace, block: PageBlock) -> bool {
    let name = |wanted: &str| trace.strings.lookup(wanted);
    let slice = |wanted| name(wanted).is_some_and(|id| trace.slices.name.iter().any(|n| n == id));
    let track = |wanted| name(wanted).is_some_and(|id| trace.tracks.name.iter().any(|n| n == id));
    match block {
        PageBlock::Ftrace | PageBlock::PackedFtrace => slice("drawn"),
        PageBlock::Processes | PageBlock::LegacyProcesses => knows_the_app(trace),
        PageBlock::Cgroups => trace.metadata("cgroup.cpuset").is_some(),
        PageBlock::Memory => track("mem.rss") && knows_the_app(trace),
        PageBlock::Walt => slice("touched"),
        PageBlock::Battor => track("battor.power_mw"),
        PageBlock::Json => slice("loaded"),
    }
}

/// Whether the app has its name, and whether the thread that is only in dumps has its process.
fn knows_the_app(trace: &Trace) -> bool {
    trace.threads.rows().any(|thread| {
        thread.tid == PAGE_TID
            && trace.strings.get(thread.name) == "Worker"
            && thread.upid.some().is_some_and(|upid| {
                let process = trace.processes.row(upid.row());
                process.pid == PAGE_PID && trace.strings.get(process.name) == "com.example.app"
            })
    })
}

fn check(blocks: &[(PageBlock, usize)], before: &str, random: &mut Rng) {
    let texts: Vec<_> = blocks.iter().map(|(kind, rows)| kind.text(*rows)).collect();
    let page = systrace_page(before, &texts);
    let trace = open(&page, ReadOptions::default());
    for (block, _) in blocks {
        assert!(shows(&trace, *block), "{block:?} is lost in {blocks:?}");
    }
    for kind in [
        RepairKind::SkippedEntry,
        RepairKind::BrokenBlock,
        RepairKind::UnparsedLine,
    ] {
        assert_eq!(trace.repairs.count(kind), 0, "{kind:?} in {blocks:?}");
    }
    let most = [1, 7, 100, 5_000, 200_000][random.index(5)];
    if most > 1 || page.len() < 20_000 {
        let pieces = open_in_chunks(&page, random.next_u64(), most);
        assert!(
            fingerprint(&pieces) == fingerprint(&trace),
            "{blocks:?} in pieces of {most}"
        );
    }
}

#[test]
fn every_two_kinds_in_every_order() {
    let mut random = Rng::new(1);
    for first in PageBlock::ALL {
        for second in PageBlock::ALL {
            for before in ["", VIEWER] {
                check(&[(first, 0), (second, 0)], before, &mut random);
            }
        }
    }
}

#[test]
fn all_kinds_in_random_orders_and_sizes() {
    for seed in 0..60 {
        let mut random = Rng::new(seed);
        let count = random.between(1, 12) as usize;
        let blocks: Vec<_> = (0..count)
            .map(|_| {
                let kind = PageBlock::ALL[random.index(PageBlock::ALL.len())];
                let most = [1, 10, 100, 4_000][random.index(4)];
                (kind, random.index(most))
            })
            .collect();
        check(&blocks, [VIEWER, ""][random.index(2)], &mut random);
    }
}

/// A block that is truncated anywhere, even to one byte, does not damage another block.
#[test]
fn a_cut_block_harms_no_other() {
    for kind in PageBlock::ALL {
        let text = kind.text(0);
        for length in (1..text.len()).filter(|length| *length < 80 || length % 13 == 0) {
            let dump = PageBlock::Processes.text(0);
            let page = systrace_page(
                "",
                &[text[..length].to_vec(), dump, PageBlock::Ftrace.text(0)],
            );
            let trace = open(&page, ReadOptions::default());
            let whole = shows(&trace, PageBlock::Processes) && shows(&trace, PageBlock::Ftrace);
            assert!(whole, "{kind:?} cut to {length} bytes");
            let pieces = open_in_chunks(&page, length as u64, 90);
            assert!(
                fingerprint(&pieces) == fingerprint(&trace),
                "{kind:?} cut to {length} bytes"
            );
        }
    }
}

/// A page with the dump of another device contains all of its processes with their names.
#[test]
fn a_real_process_dump_in_a_real_page() {
    let Some(corpus) = corpus() else { return };
    let page = corpus.read("systrace-html/performance_tool__trace.html");
    let dump = corpus.read("ps-dump/SystraceAnalysis__PROCESS_DUMP.txt");
    let rows = dump
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .count()
        - 1;
    let block = [b"PROCESS DUMP\n", &dump[..]].concat();
    let end = memchr::memmem::find(&page, b"<!-- END TRACE -->").unwrap();
    let inner = systrace_page("", &[block]);
    let script = memchr::memmem::find(&inner, b"  <script").unwrap();
    let script_end = memchr::memmem::find(&inner, b"<!-- END").unwrap();
    let joined = [&page[..end], &inner[script..script_end], &page[end..]].concat();
    let (before, after) = (
        open(&page, ReadOptions::default()),
        open(&joined, ReadOptions::default()),
    );
    assert!(after.processes.len() >= rows && before.processes.len() < rows);
    assert!(
        after
            .processes
            .name
            .iter()
            .filter(|name| !name.is_empty())
            .count()
            >= rows
    );
    assert_eq!(before.slices.len(), after.slices.len());
}
