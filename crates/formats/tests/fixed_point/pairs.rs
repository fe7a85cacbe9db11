//! Events of the table of pairs, in several orders.

use traceloom_formats::{ReadOptions, read_bytes};

use crate::made_events::{SAMPLES, sample_text};
use crate::trip::trip;

/// The maximum distance of the two events of a pair in the list of samples.
const NEAR: usize = 3;

/// The occurrences and the order of two events.
const ORDERS: &[&str] = &["AB", "A", "B", "ABAB", "AABB", "AAB", "ABB", "BA"];

#[test]
fn pairs_reach_a_fixed_point() {
    let mut failed = Vec::new();
    let mut checked = 0;
    for (at, (firsts, first)) in SAMPLES.iter().enumerate() {
        for (seconds, second) in SAMPLES.iter().skip(at).take(NEAR) {
            for a in firsts.split(' ').filter(|name| !name.contains('=')) {
                for b in seconds.split(' ').filter(|name| !name.contains('=')) {
                    let lines = [line(a, first), line(b, second)];
                    if !makes_a_slice(&lines) {
                        continue;
                    }
                    checked += 1;
                    failed.extend(ORDERS.iter().filter_map(|order| failure(&lines, order)));
                }
            }
        }
    }
    println!("{checked} pairs of events checked");
    assert!(checked > 150, "{checked}");
    assert!(
        failed.is_empty(),
        "{} differ:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

/// Whether the first event begins a slice that the second ends.
fn makes_a_slice(lines: &[String; 2]) -> bool {
    let trace = read_bytes(&text(lines, "AB"), ReadOptions::default()).expect("ftrace text");
    trace.slices.dur.iter().any(|dur| dur > 0)
}

fn line(name: &str, sample: &str) -> String {
    format!("{name}: {}", sample_text(sample))
}

/// The differences after a conversion to tables and back.
fn failure(lines: &[String; 2], order: &str) -> Option<String> {
    let text = text(lines, order);
    let trip = trip(&text, "ftrace")?;
    let found = trip.differences();
    let shown: Vec<String> = found
        .iter()
        .map(|(table, rows)| format!("{table}: {rows}"))
        .collect();
    let written = String::from_utf8_lossy(&trip.texts[0]);
    let read = String::from_utf8_lossy(&text);
    (!found.is_empty()).then(|| format!("{}\n{read}{written}", shown.join("\n")))
}

fn text(lines: &[String; 2], order: &str) -> Vec<u8> {
    let mut text = "# tracer: nop\n#\n".to_owned();
    for (nth, event) in order.bytes().enumerate() {
        let event = &lines[usize::from(event - b'A')];
        text += &format!("             app-7       (      7) [000] .... 1.00000{nth}: {event}\n");
    }
    text.into_bytes()
}
