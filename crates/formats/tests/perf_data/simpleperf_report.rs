//! `simpleperf report --print-event-count` for two files, as in Perfetto's tests of its importer.

use std::collections::HashMap;

use traceloom_formats::{ReadOptions, read_bytes};

use super::real_files;
use super::tables::{self, Sample};

fn samples_of(name: &str) -> Option<Vec<Sample>> {
    let file = real_files()
        .into_iter()
        .find(|file| file.name.ends_with(name));
    let Some(file) = file else {
        eprintln!("skipped: no {name}");
        return None;
    };
    let trace = read_bytes(&file.read(), ReadOptions::default()).unwrap();
    Some(tables::samples(&trace))
}

/// The sum of a counter, by thread, file and function. A function without a name is shown by its address.
fn counts(samples: &[Sample], event: &str) -> HashMap<(i64, String, String), u64> {
    let mut counts = HashMap::new();
    for sample in samples {
        let innermost = sample.stack.first().unwrap();
        let place = match &innermost.name {
            name if name.is_empty() => format!("{:x}", innermost.rel_pc),
            name => name.clone(),
        };
        let of_event = sample.counts.iter().filter(|(name, _)| name == event);
        let count: u64 = of_event.map(|(_, count)| count).sum();
        *counts
            .entry((sample.tid, innermost.file.clone(), place))
            .or_default() += count;
    }
    counts
}

#[test]
fn counts_by_function_are_those_of_simpleperf() {
    let Some(mut samples) = samples_of("simpleperf__perf.data") else {
        return;
    };
    samples.retain(|sample| matches!(sample.cpu, Some(2 | 6 | 7)));
    let counts = counts(&samples, "cpu-cycles");
    let module = "/lib/modules/3.13.0-76-generic/kernel/drivers/ata/pata_acpi.ko";
    for (count, tid, file, place) in [
        (130_707_953, 26130, "/t2", "51c"),
        (126_249_237, 26083, "/elf", "51c"),
        (109_687_208, 26124, "/t1", "523"),
        (107_027_760, 26124, "/t1", "51c"),
        (101_887_409, 26130, "/t2", "523"),
        (92_421_568, 26083, "/elf", "523"),
        (61_539_363, 26124, "/t1", "518"),
        (60_355_129, 26083, "/elf", "513"),
        (54_840_659, 26124, "/t1", "4ed"),
        (52_233_968, 26083, "/elf", "4ed"),
        (50_833_094, 26124, "/t1", "4f7"),
        (50_746_374, 26130, "/t2", "4ed"),
        (49_185_691, 26083, "/elf", "4f7"),
        (47_520_901, 26130, "/t2", "513"),
        (45_979_652, 26083, "/elf", "518"),
        (44_834_371, 26130, "/t2", "4f7"),
        (42_928_068, 26130, "/t2", "518"),
        (39_608_138, 26124, "/t1", "513"),
        (1_390_415, 26124, "/t1", "4fa"),
        (1_390_305, 26130, "/t2", "4fa"),
        (1_390_173, 26083, "/elf", "500"),
        (1_389_030, 26130, "/t2", "500"),
        (693_786, 26130, module, "ffffffffa05c4da4"),
    ] {
        let found = counts.iter().filter(|((of, name, at), _)| {
            // Perfetto's test shows addresses of modules in memory.
            *of == tid && name == file && (at == place || file == module)
        });
        let found: u64 = found.map(|(_, count)| count).sum();
        assert_eq!(found, count, "{tid} {file} {place}");
    }
    assert_eq!(counts.len(), 23, "{counts:?}");
}

#[test]
fn groups_of_counters_are_those_of_simpleperf() {
    let Some(samples) = samples_of("perf_with_add_counter.data") else {
        return;
    };
    let cycles = counts(&samples, "cpu-cycles");
    let instructions = counts(&samples, "instructions");
    let libc = "/lib/x86_64-linux-gnu/libc-2.32.so";
    let kernel = "[kernel.kallsyms]";
    for (cycle, instruction, file, place) in [
        (1_011_567, 1_188_389, kernel, "ffffffffa8cc9d30"),
        (219_490, 233_619, kernel, "ffffffffa8e498c6"),
        (191_017, 157_031, kernel, "ffffffffa94d0901"),
        (175_099, 140_443, libc, "_dl_addr"),
        (152_310, 130_151, kernel, "ffffffffa8e30c70"),
        (122_439, 87_058, kernel, "ffffffffa960015d"),
        (89_368, 68_332, kernel, "ffffffffa8e03757"),
        (40_272, 30_457, "/lib/x86_64-linux-gnu/ld-2.32.so", "1767b"),
        (14_742, 7_858, kernel, "ffffffffa8ce7a78"),
        (7_551, 1_953, kernel, "ffffffffa8cc90c5"),
        (7_080, 2_940, kernel, "ffffffffa8cc8119"),
        (3_520, 295, kernel, "ffffffffa8c6b3e6"),
    ] {
        let key = (689_664, file.to_owned(), place.to_owned());
        assert_eq!(cycles.get(&key), Some(&cycle), "{key:?}: {cycles:?}");
        assert_eq!(instructions.get(&key), Some(&instruction), "{key:?}");
    }
}
