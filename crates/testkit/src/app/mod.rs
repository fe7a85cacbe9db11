//! A synthetic method trace of a small news app: a user scrolls the list of articles, and the app stutters. Names and times
//! are made up; the structure is that of real recordings.

mod scenes;
mod script;

use crate::method_trace::{Clock, MethodTraceBytes};
use script::{Methods, Script};

/// The threads: number, name, and time of the first event, µs.
const THREADS: &[(u16, &str, u32)] = &[
    (1, "main", 0),
    (2, "RenderThread", 9_000),
    (3, "binder:14230_2", 61_000),
    (4, "pool-2-thread-1", 14_000),
    (5, "pool-2-thread-2", 17_500),
    (6, "FinalizerDaemon", 402_000),
    (7, "Signal Catcher", 0),
];

/// The app's trace: dual clock, version 3. It contains:
///
/// - a slow frame of 0.2 s: `ArticleAdapter.onBindViewHolder` parses JSON on the main thread;
/// - recursion: `JSONTokener.nextValue` calls itself through `readObject` and `readArray`;
/// - an exception: a cache miss leaves three methods on a pool thread;
/// - exits without entries at the start, and calls that never end: recording began inside `onClick` and ended inside the
///   loop.
pub fn app_trace() -> MethodTraceBytes {
    let mut methods = Methods::default();
    let mut records = Vec::new();
    for &(tid, name, start_us) in THREADS {
        let mut script = Script::new(tid, start_us, &mut methods);
        scenes::play(name, &mut script);
        records.extend(script.into_records());
    }
    // Threads share one buffer, so the file is in order of wall time.
    records.sort_by_key(|record| record.time_us);
    MethodTraceBytes {
        version: 3,
        clock: Clock::Dual,
        vm: "art",
        pid: Some(14230),
        start_us: 8_412_377_041,
        elapsed_us: records
            .last()
            .map_or(0, |last| u64::from(last.time_us) + 1_873),
        threads: THREADS
            .iter()
            .map(|&(tid, name, _)| (tid, name.to_owned()))
            .collect(),
        methods: methods.lines(),
        records,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trace_matches_its_description() {
        let trace = app_trace();
        assert!(
            (3_000..9_000).contains(&trace.records.len()),
            "{}",
            trace.records.len()
        );
        assert_eq!(
            trace
                .records
                .iter()
                .filter(|record| record.action == 2)
                .count(),
            3
        );
        let mut depth = [0i32; 10];
        let mut unmatched = 0;
        for record in &trace.records {
            let depth = &mut depth[record.tid as usize];
            match record.action {
                0 => *depth += 1,
                _ if *depth == 0 => unmatched += 1,
                _ => *depth -= 1,
            }
        }
        assert_eq!(unmatched, 4, "exits without entries");
        assert!(depth.iter().any(|&open| open > 0), "calls that never end");
        assert_eq!(trace.to_bytes(), app_trace().to_bytes());
    }

    #[test]
    fn cpu_time_never_exceeds_wall_time() {
        let mut last = [(0, 0); 10];
        for record in app_trace().records {
            let (cpu, wall) = &mut last[record.tid as usize];
            if *wall > 0 {
                assert!(record.cpu_us - *cpu <= record.time_us - *wall);
            }
            (*cpu, *wall) = (record.cpu_us, record.time_us);
        }
    }
}
