//! The four tables of regression mode, in Traceview's layout. Times are µs.

use traceloom_trace::sort;

use super::call::{Call, Thread};
use super::engine::Engine;
use super::java::{compare_strings, hash_map_order};

/// Adds `value`, padded with spaces to `width` bytes, and a space.
fn column(out: &mut Vec<u8>, value: i64, width: usize) {
    let mut digits = [b' '; 24];
    let mut at = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        at -= 1;
        digits[at] = b'-';
    }
    at = at.min(digits.len() - width);
    out.extend_from_slice(&digits[at..]);
    out.push(b' ');
}

/// A row: the id two characters wide, the times eight, two spaces, the name.
fn row(out: &mut Vec<u8>, id: i64, times: &[i64], name: &str) {
    column(out, id, 2);
    for &time in times {
        column(out, time, 8);
    }
    out.push(b' ');
    out.extend_from_slice(name.as_bytes());
    out.push(b'\n');
}

/// Prints the whole output of regression mode.
pub(crate) fn report(engine: &mut Engine) -> Vec<u8> {
    let (cpu, wall) = engine.finish();
    let mut out = format!("totalCpuTime {cpu}us\ntotalRealTime {wall}us\n").into_bytes();
    thread_times(&mut out, engine);
    call_times(&mut out, engine);
    method_stats(&mut out, engine);
    time_records(&mut out, engine);
    out
}

fn in_map_order(engine: &Engine) -> impl Iterator<Item = &Thread> {
    let ids: Vec<i32> = engine
        .threads
        .iter()
        .map(|thread| thread.id as i32)
        .collect();
    let order = hash_map_order(&ids);
    order.into_iter().map(|position| &engine.threads[position])
}

fn thread_times(out: &mut Vec<u8>, engine: &Engine) {
    out.extend_from_slice(b"\nThread Times\n");
    out.extend_from_slice(b"id  t-start    t-end  g-start    g-end     name\n");
    for thread in in_map_order(engine) {
        let cpu = [thread.cpu_start, thread.cpu_end];
        let wall = [thread.wall_start, thread.wall_end];
        row(out, thread.id, &[cpu, wall].concat(), &thread.name);
    }
}

fn bounds(call: &Call) -> [i64; 4] {
    [call.cpu_start, call.cpu_end, call.wall_start, call.wall_end]
}

fn call_times(out: &mut Vec<u8>, engine: &Engine) {
    out.extend_from_slice(b"\nCall Times\n");
    out.extend_from_slice(b"id  t-start    t-end  g-start    g-end    excl.    incl.  method\n");
    for call in &engine.calls {
        let [t_start, t_end, g_start, g_end] = bounds(call);
        let (exclusive, inclusive) = (call.exclusive_cpu, call.inclusive_cpu);
        let times = [t_start, t_end, g_start, g_end, exclusive, inclusive];
        let id = engine.threads[call.thread as usize].id;
        row(out, id, &times, engine.methods.name(call.method));
    }
}

fn method_stats(out: &mut Vec<u8>, engine: &Engine) {
    out.extend_from_slice(b"\nMethod Stats\n");
    out.extend_from_slice(b"Excl Cpu  Incl Cpu  Excl Real Incl Real    Calls  Method\n");
    for (rank, tally) in engine.methods.ranked(engine.clock()).iter().enumerate() {
        column(out, tally.exclusive_cpu, 9);
        column(out, tally.inclusive_cpu, 9);
        column(out, tally.exclusive_wall, 9);
        column(out, tally.inclusive_wall, 9);
        let calls = format!("{}+{}", tally.calls, tally.recursive_calls);
        out.extend_from_slice(format!("{calls:>9}  {rank} {}\n", tally.name).as_bytes());
    }
}

/// The rows of the time line: threads with calls (except one with id 0) by time, then all calls.
fn time_records(out: &mut Vec<u8>, engine: &Engine) {
    out.extend_from_slice(b"\nTime Records\n");
    out.extend_from_slice(b"id  t-start    t-end  g-start    g-end  method\n");
    let mut threads: Vec<&Thread> = in_map_order(engine).collect();
    sort::by(&mut threads, |a, b| {
        let by_time = engine.preferred_time(b).cmp(&engine.preferred_time(a));
        by_time.then_with(|| compare_strings(&b.name, &a.name))
    });
    let shown = threads
        .iter()
        .filter(|thread| !thread.is_empty && thread.id != 0);
    for call in shown.map(|thread| &thread.root).chain(&engine.calls) {
        let id = engine.threads[call.thread as usize].id;
        row(out, id, &bounds(call), engine.methods.name(call.method));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns() {
        let mut out = Vec::new();
        for value in [0, -7, 123, 12_345_678_901, i64::MIN] {
            column(&mut out, value, 8);
        }
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "       0       -7      123 12345678901 -9223372036854775808 "
        );
    }
}
