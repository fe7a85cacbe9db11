//! Times and durations of calls.

use traceloom_trace::{RepairKind, Trace};

use crate::format::ReadOptions;
use crate::read_bytes;

fn read(text: &str) -> Trace {
    read_bytes(text.as_bytes(), ReadOptions::default()).unwrap()
}

/// Formats each call as `name depth start+duration`. Times are ns after the first second.
fn calls(trace: &Trace) -> Vec<String> {
    let rows = trace.slices.rows().map(|row| {
        let (name, ts) = (trace.strings.get(row.name), row.ts - 1_000_000_000);
        format!("{name} {} {ts}+{}", row.depth, row.dur)
    });
    rows.collect()
}

#[test]
fn a_call_lasts_as_long_as_the_kernel_printed() {
    let trace = read(
        "\
a-1 [000] 1.000106: funcgraph_entry:                   |  outer() {
a-1 [000] 1.000107: funcgraph_entry:        0.179 us   |    first();
a-1 [000] 1.000107: funcgraph_entry:        1.679 us   |    second();
a-1 [000] 1.000108: funcgraph_exit:         2.930 us   |  }
a-1 [000] 1.000110: funcgraph_entry:                   |  short() {
a-1 [000] 1.000110: funcgraph_exit:         0.730 us   |  }
",
    );
    let expected = [
        "outer 0 106000+2930",
        "first 1 107000+179",
        "second 1 107179+1679",
        "short 0 110000+730",
    ];
    assert_eq!(calls(&trace), expected);
}

/// Without a thread, a call is on the track of its CPU.
#[test]
fn rows_with_a_time_of_their_own_column() {
    let trace = read(
        "\
    1.000100 |   3)               |  lock() {
    1.000100 |   3)   0.081 us    |    enter();
    1.000101 |   3)   0.228 us    |  } /* lock */
    1.000101 |   3)   0.100 us    |  next();
",
    );
    let expected = [
        "lock 0 100000+228",
        "enter 1 100000+81",
        "next 0 101000+100",
    ];
    assert_eq!(calls(&trace), expected);
}

/// Here, rounding makes the callee end later than its caller's duration says.
#[test]
fn a_call_ends_after_the_calls_in_it() {
    let trace = read(
        "\
a-1 [000] 1.000100: funcgraph_entry:                   |  outer() {
a-1 [000] 1.000101: funcgraph_entry:        0.900 us   |    inner();
a-1 [000] 1.000101: funcgraph_exit:         1.200 us   |  }
",
    );
    let expected = ["outer 0 100000+1900", "inner 1 101000+900"];
    assert_eq!(calls(&trace), expected);
}

#[test]
fn printed_times_win_over_durations_that_differ_by_more_than_rounding() {
    let trace = read(
        "\
a-1 [000] 1.000010: funcgraph_entry:   5000000.000 us  |  damaged();
a-1 [000] 1.000011: funcgraph_entry:        0.500 us   |  next();
a-1 [000] 1.000020: funcgraph_entry:                   |  long() {
a-1 [000] 1.000025: funcgraph_exit:       900.000 us   |  }
a-1 [000] 1.000030: funcgraph_entry:                   |  asleep() {
a-1 [000] 1.000050: funcgraph_exit:         3.000 us   |  }
",
    );
    let expected = [
        "damaged 0 10000+5000000000",
        "next 0 11000+500",
        "long 0 20000+5000",
        "asleep 0 30000+20000",
    ];
    assert_eq!(calls(&trace), expected);
}

#[test]
fn calls_of_a_cpu_and_of_a_task_are_in_order() {
    let trace = read(
        "\
a-1 [000] 1.000001: funcgraph_entry:        0.700 us   |  first();
b-2 [000] 1.000001: funcgraph_entry:        0.100 us   |  same_cpu();
b-2 [001] 1.000001: funcgraph_entry:        0.050 us   |  same_task();
c-3 [002] 1.000001: funcgraph_entry:        0.300 us   |  neither();
",
    );
    let expected = [
        "first 0 1000+700",
        "neither 0 1000+300",
        "same_cpu 0 1700+100",
        "same_task 0 1800+50",
    ];
    assert_eq!(calls(&trace), expected);
}

#[test]
fn rows_about_interrupts_are_no_losses() {
    let trace = read(
        "\
 1)               |  sys_open() {
 1)   ==========> |
 1)               |    do_irq() {
 1)   0.500 us    |      irq_enter();
 1)   1.500 us    |    }
 1)   <========== |
 1)   3.000 us    |  }
",
    );
    let expected = ["sys_open", "do_irq", "irq_enter"];
    let names = trace.slices.name.iter().map(|name| trace.strings.get(name));
    assert!(names.eq(expected));
    assert_eq!(
        trace.slices.dur.iter().collect::<Vec<_>>(),
        [3000, 1500, 500]
    );
    assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 0);
    assert_eq!(trace.repairs.count(RepairKind::RebuiltTime), 5);
}
