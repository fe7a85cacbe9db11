use traceloom_trace::Trace;

use super::{Copied, CopyForm, TextCopy, TextSurvey, WhyNot};
use crate::capture::corpus_root;
use crate::format::{ReadOptions, Reader, Target};
use crate::registry::AnyReader;
use crate::{ReadError, WriteError, read_bytes};

const TEXT: &str = "\
# tracer: nop
#
 app-10    (   10) [000] ...1     1.000000: tracing_mark_write: trace_event_clock_sync: parent_ts=1.000000
 app-10    (   10) [000] ...1     2.000000: tracing_mark_write: B|10|outer
 app-10    (   10) [000] ...1     2.100000: tracing_mark_write: B|10|inner
##### CPU 1 buffer started ####
 <...>-11  (-----) [001] d..2     2.200000: workqueue_queue_work: work struct=00000000b1a1e8a5 function=f
 app-10    (   10) [000] ...1     2.300000: print: 0xffffffff81234567: two
lines of it
 app-10    (   10) [000] ...1     2.400000: tracing_mark_write: E|10
 app-10    (   10) [000] ...1     2.500000: tracing_mark_write: S|10|FT|987654
 app-10    (   10) [000] ...1     2.600000: tracing_mark_write: E|10
 no event at all";

/// Pushes an input through both passes.
fn copy(
    bytes: &[u8],
    chunk: usize,
    form: CopyForm,
    range: Option<(i64, i64)>,
) -> Result<(Vec<u8>, Copied), WhyNot> {
    let mut survey = TextSurvey::new();
    let _ = push(bytes, chunk, &mut Target::Text(&mut survey));
    survey.check(range.is_some())?;
    let mut out = Vec::new();
    let mut copier = TextCopy::new(form, range, &mut out);
    push(bytes, chunk, &mut Target::Text(&mut copier)).unwrap();
    let copied = copier.finish().unwrap();
    Ok((out, copied))
}

fn push(bytes: &[u8], chunk: usize, out: &mut Target<'_>) -> Result<(), ReadError> {
    let mut reader = AnyReader::new(ReadOptions::default());
    for chunk in bytes.chunks(chunk) {
        reader.feed(chunk, out)?;
    }
    reader.finish(out)
}

fn text_of(bytes: &[u8], range: Option<(i64, i64)>) -> String {
    let (text, _) = copy(bytes, 7, CopyForm::Text, range).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn a_text_without_a_range_is_the_same_text() {
    for chunk in [1, 5, TEXT.len()] {
        let (text, copied) = copy(TEXT.as_bytes(), chunk, CopyForm::Text, None).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), TEXT);
        assert_eq!(copied, Copied::default());
    }
}

#[test]
fn a_range_takes_whole_lines_and_what_belongs_to_them() {
    let lines: Vec<&str> = TEXT.split_inclusive('\n').collect();
    let range = (2_150_000_000, 2_400_000_001);
    let kept = [0, 1, 2, 5, 6, 7, 8, 9].map(|line| lines[line]).concat();
    for chunk in [1, 5, TEXT.len()] {
        let (text, copied) = copy(TEXT.as_bytes(), chunk, CopyForm::Text, Some(range)).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), kept);
        // One slice ends in the range, another one surrounds it.
        assert_eq!(copied.cut_slices, 2);
    }
    let mut survey = TextSurvey::new();
    push(TEXT.as_bytes(), 9, &mut Target::Text(&mut survey)).unwrap();
    assert_eq!(survey.check(true), Ok(()));
    assert_eq!(survey.bounds(), Some((2_000_000_000, 2_600_000_000)));
}

#[test]
fn a_range_without_events_is_refused() {
    let mut out = Vec::new();
    let mut copier = TextCopy::new(CopyForm::Text, Some((5, 6)), &mut out);
    push(TEXT.as_bytes(), 9, &mut Target::Text(&mut copier)).unwrap();
    assert!(matches!(copier.finish(), Err(WriteError::EmptyRange)));
}

#[test]
fn a_page_holds_the_same_lines() {
    let (page, _) = copy(TEXT.as_bytes(), 9, CopyForm::Page, None).unwrap();
    assert_eq!(text_of(&page, None), TEXT);
    let (again, _) = copy(&page, 9, CopyForm::Page, None).unwrap();
    assert_eq!(again, page);
}

#[test]
fn what_is_not_text_alone_is_not_copied() {
    let why = |bytes: &[u8], range| copy(bytes, 99, CopyForm::Text, range).unwrap_err();
    let graph = b"# tracer: function_graph\n 0)   0.541 us    |    getname();\n";
    assert_eq!(why(graph, Some((0, 1))), WhyNot::NoTimes);
    assert!(copy(graph, 99, CopyForm::Text, None).is_ok());
    assert_eq!(why(b"# tracer: nop\n#\n", None), WhyNot::NoText);
    let json = br#"[{"name":"a","ph":"X","ts":1,"dur":1,"pid":1,"tid":1}]"#;
    assert_eq!(why(json, None), WhyNot::NoText);
    let folded = b"a;b 1\n";
    assert_eq!(why(folded, None), WhyNot::NoText);
}

mod generated {
    use super::{TEXT, text_of};
    use proptest::prelude::*;

    /// Lines of every kind, and their time in ms.
    fn line() -> impl Strategy<Value = (String, Option<i64>)> {
        let at = |ms: i64, event: &str| {
            let line = format!(
                "  a-{} [000] .... {}.{:03}000: {event}\n",
                ms % 3 + 1,
                ms / 1000,
                ms % 1000
            );
            (line, Some(ms))
        };
        let event = prop_oneof![
            Just("tracing_mark_write: B|1|x"),
            Just("tracing_mark_write: E|1"),
            Just("sched_wakeup: comm=a pid=1 prio=120 target_cpu=000"),
            Just("unknown_event: a (b) = c, d:e"),
        ];
        prop_oneof![
            4 => (0i64..3000, event).prop_map(move |(ms, event)| at(ms, event)),
            1 => Just(("# a comment\n".to_owned(), None)),
            1 => Just(("CPU:1 [LOST 3 EVENTS]\r\n".to_owned(), None)),
            1 => "[a-z ]{0,9}\n".prop_map(|text| (text, None)),
        ]
    }

    proptest! {
        #[test]
        fn lines_are_a_part_of_the_original_in_order(
            lines in prop::collection::vec(line(), 1..60),
            (from, length) in (0i64..3000, 1i64..2000),
        ) {
            let text: String = lines.iter().map(|(line, _)| line.as_str()).collect();
            let text = format!("{}\n{text}", TEXT.lines().next().unwrap());
            let inside = |ms: i64| from <= ms && ms < from + length;
            prop_assume!(lines.iter().any(|(_, ms)| ms.is_some_and(inside)));
            let ns = |ms: i64| ms * 1_000_000;
            let cut = text_of(text.as_bytes(), Some((ns(from), ns(from + length))));
            let events: String = lines
                .iter()
                .filter_map(|(line, ms)| ms.filter(|ms| inside(*ms)).map(|_| line.as_str()))
                .collect();
            let found: String = cut.split_inclusive('\n').filter(|line| line.contains(" [000] ")).collect();
            prop_assert_eq!(found, events);
            let mut rest = text.split_inclusive('\n');
            for line in cut.split_inclusive('\n') {
                prop_assert!(rest.any(|original| original == line), "{line:?}");
            }
        }
    }
}

/// The rows of each table.
fn rows(trace: &Trace) -> [usize; 7] {
    [
        trace.slices.span_count(),
        trace.counters.len(),
        trace.slices.instants().count(),
        trace.sched_slices.len(),
        trace.thread_states.len(),
        trace.ftrace_events.len(),
        trace.threads.len(),
    ]
}

#[test]
fn real_texts_are_copied() {
    let mut checked = 0;
    for folder in ["ftrace-text", "systrace-html", "atrace-compressed"] {
        let Ok(entries) = std::fs::read_dir(corpus_root().join(folder)) else {
            eprintln!("skipped: no corpus ({folder})");
            return;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            let bytes = std::fs::read(&path).unwrap();
            checked += usize::from(check_real(&bytes, &path.display().to_string()));
        }
    }
    println!("{checked} real traces checked");
}

fn check_real(bytes: &[u8], name: &str) -> bool {
    let whole = match copy(bytes, 1 << 16, CopyForm::Text, None) {
        Ok((text, _)) => text,
        Err(why) => {
            println!("{name}: {why:?}");
            return false;
        }
    };
    let trace = read_bytes(bytes, ReadOptions::default()).unwrap();
    let again = read_bytes(&whole, ReadOptions::default()).unwrap();
    assert_eq!(rows(&trace)[..6], rows(&again)[..6], "{name}");
    let mut survey = TextSurvey::new();
    push(bytes, 1 << 16, &mut Target::Text(&mut survey)).unwrap();
    if survey.check(true).is_err() {
        return true;
    }
    assert_eq!(survey.bounds(), Some(trace.bounds), "{name}");
    let length = trace.duration_ns();
    let range = (trace.bounds.0 + length / 3, trace.bounds.0 + length / 2);
    let Some(cut) = cut_of(bytes, range) else {
        return true;
    };
    let mut rest = whole.split_inclusive(|&byte| byte == b'\n');
    for line in cut.split_inclusive(|&byte| byte == b'\n') {
        assert!(
            rest.any(|original| original == line),
            "{name}: {:?}",
            line.escape_ascii().to_string()
        );
    }
    true
}

/// The lines in a range; `None` if the range contains no event.
fn cut_of(bytes: &[u8], range: (i64, i64)) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut copier = TextCopy::new(CopyForm::Text, Some(range), &mut out);
    push(bytes, 4096, &mut Target::Text(&mut copier)).unwrap();
    match copier.finish() {
        Ok(_) => Some(out),
        Err(WriteError::EmptyRange) => None,
        Err(error) => panic!("{error}"),
    }
}
