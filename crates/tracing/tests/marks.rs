//! Tests of marks: as text, and in a recording of the running kernel.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use traceloom_tracing::MarkerLayer;
use tracing::{info, info_span};
use tracing_subscriber::prelude::*;

#[path = "../examples/worker.rs"]
#[allow(dead_code)]
mod worker;

/// Collects marks, one per line, with `PID` for the process id.
#[derive(Clone, Default)]
struct Collected(Arc<Mutex<String>>);

impl Write for &Collected {
    fn write(&mut self, mark: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(mark);
        let text = text.replace(&format!("|{}", std::process::id()), "|PID");
        let mut all = self.0.lock().unwrap();
        *all += &text;
        all.push('\n');
        Ok(mark.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The marks that `work` writes.
fn marks(with_fields: bool, work: impl FnOnce()) -> String {
    let collected = Collected::default();
    let layer = MarkerLayer::new(collected.clone()).with_fields(with_fields);
    tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), work);
    let all = collected.0.lock().unwrap();
    all.clone()
}

#[test]
fn spans_nest_and_events_are_instants_or_counters() {
    let work = || {
        let outer = info_span!("outer", size = 3, of = "x", later = tracing::field::Empty);
        outer.record("later", 9);
        outer.in_scope(|| {
            info!(counter.queued = 5_u64, counter.depth = -2);
            info_span!("inner").in_scope(|| info!(user = "ann", "logged in"));
        });
    };
    let expected = "B|PID|outer size=3 of=x later=9\nC|PID|queued|5\nC|PID|depth|-2\nB|PID|inner\nI|PID|logged in user=ann\nE|PID\nE|PID\n";
    assert_eq!(marks(true, work), expected);
    assert!(marks(false, work).starts_with("B|PID|outer\n"));
}

#[test]
fn an_async_span_is_one_slice_whichever_threads_enter_it() {
    let all = marks(true, || {
        let span = info_span!("load", r#async = true);
        span.in_scope(|| ());
        span.in_scope(|| ());
    });
    let lines: Vec<_> = all.lines().collect();
    assert_eq!(lines.len(), 2, "{all}");
    let cookie = lines[0].strip_prefix("S|PID|load|").unwrap();
    assert_eq!(lines[1], format!("F|PID|load|{cookie}"));
}

#[test]
fn a_mark_is_one_line_of_limited_length() {
    let long = "é".repeat(5000);
    let all = marks(true, || {
        info_span!("s", text = %format!("a\nb|c{long}")).in_scope(|| ())
    });
    let begin = all.lines().next().unwrap();
    assert!(begin.starts_with("B|PID|s text=a b|cééé"), "{begin}");
    assert!(begin.len() <= 1024);
    assert_eq!(all.lines().count(), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn the_example_in_a_recording_of_this_kernel() {
    use testkit::KernelTurn;
    use traceloom_formats::{ReadOptions, read_bytes};
    use traceloom_tracefs::{Catalog, Config, Mounted, NoProperties, Session, dump_text};

    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let (tree, catalog) = (Mounted::find().unwrap(), Catalog::built_in());
    let (categories, _) = catalog.choose(&["sched".to_owned()], &tree, &NoProperties);
    let config = Config {
        categories,
        ..Config::default()
    };
    let mut session = Session::start(&tree, &NoProperties, &catalog, &config).unwrap();
    let layer = traceloom_tracing::layer().unwrap();
    tracing_subscriber::registry().with(layer).init();
    worker::work();
    session.stop().unwrap();
    let mut text = Vec::new();
    dump_text(session.tree(), &mut text).unwrap();
    session.restore();

    let trace = read_bytes(&text, ReadOptions::default()).unwrap();
    let slices = |name: &str| -> Vec<(i64, i64)> {
        let named = |&row: &usize| trace.strings.get(trace.slices.name.get(row)) == name;
        let rows = (0..trace.slices.len()).filter(named);
        rows.map(|row| (trace.slices.ts.get(row), trace.slices.dur.get(row)))
            .collect()
    };
    let (decode, scale, request) = (
        slices("decode file=a.png"),
        slices("scale"),
        slices("request id=7"),
    );
    assert_eq!((decode.len(), scale.len(), request.len()), (1, 1, 1));
    assert!(decode[0].1 >= 15_000_000 && scale[0].1 >= 5_000_000);
    assert!(
        request[0].1 >= decode[0].1,
        "the request lasts until the thread has answered"
    );
    assert!(decode[0].0 <= scale[0].0 && scale[0].0 + scale[0].1 <= decode[0].0 + decode[0].1);
    assert_eq!(trace.counters.len(), 2);
    assert_eq!(trace.slices.instants().count(), 1);
}
