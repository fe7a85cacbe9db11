//! Tests of traces with several machines.

use testkit::Proto;
use traceloom_trace::{ArgValue, RowId, Trace};

use super::tests::{packet, read};

/// A packet with the descriptor of a process.
fn process(sequence: i64, pid: i64) -> Proto {
    let content = Proto::new()
        .int(1, pid)
        .message(3, Proto::new().int(1, pid));
    packet(0, 60, content).int(10, sequence).int(41, 1)
}

/// The machines of the processes, and of each machine the id and the label.
fn machines(trace: &Trace) -> (Vec<i64>, Vec<(i64, i64)>) {
    let sources = trace.processes.source.iter().skip(1);
    let of_processes = sources.map(|source| trace.sources.machine.get(source.row()));
    let table = trace.strings.lookup("machine");
    let rows = trace.records.rows().table.iter().enumerate();
    let rows = rows.filter(|(_, of)| Some(*of) == table);
    let cell = |row, column| match trace
        .records
        .cell(row, trace.strings.lookup(column).unwrap())
    {
        Some(ArgValue::Int(number)) => number,
        other => panic!("{column} is {other:?}"),
    };
    let facts = rows.map(|(row, _)| (cell(row, "raw_id"), cell(row, "label_index")));
    (of_processes.collect(), facts.collect())
}

#[test]
fn the_machine_of_the_first_packet_recorded() {
    let marker = Proto::new().text(36, "marker");
    let trace = read([
        marker,
        process(1, 5).int(98, 77),
        process(2, 6).int(98, 78),
        process(3, 7).int(98, 77),
    ]);
    let expected = (vec![0, 0, 1], vec![(77, 1), (78, 2)]);
    assert_eq!(machines(&trace), expected);
}

#[test]
fn a_packet_without_an_id_is_of_the_machine_that_recorded() {
    let trace = read([process(1, 5), process(2, 6).int(98, 77)]);
    assert_eq!(machines(&trace), (vec![0, 1], vec![(0, 0), (77, 1)]));
}
