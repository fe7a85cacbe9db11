//! The rounding error of a thread's times.

use super::rows::Row;

/// The largest rounding error: a microsecond.
const LARGEST_NS: i64 = 1_000;

/// Returns the maximum rounding error in the times of a thread, ns. An inner slice may end later than its outer one by
/// this much. `rows` are sorted.
///
/// A program writes microseconds with a fixed number of decimal places, which may be zero. So the last decimal place in
/// use shows the error. Durations may have fewer decimal places than times.
pub(super) fn rounding(rows: &[Row]) -> i64 {
    let first = rows.first().map_or(0, |row| row.ts);
    let whole = || rows.iter().filter(|row| row.phase == b'X');
    let ends = rows.iter().filter(|row| matches!(row.phase, b'B' | b'E'));
    let starts = unit(whole().map(|row| row.ts.saturating_sub(first)));
    let durations = unit(whole().map(|row| row.dur));
    let ends = unit(ends.map(|row| row.ts.saturating_sub(first)));
    starts.max(durations).max(ends)
}

/// The largest power of ten that divides all `times`, up to [`LARGEST_NS`]; 1 if none differs from 0.
fn unit(times: impl Iterator<Item = i64>) -> i64 {
    let mut unit = LARGEST_NS;
    let mut is_known = false;
    for time in times.filter(|time| *time != 0) {
        is_known = true;
        while time % unit != 0 {
            unit /= 10;
        }
    }
    if is_known { unit } else { 1 }
}

#[cfg(test)]
mod tests {
    use traceloom_trace::RepairKind;

    use crate::chrome_json::tests::read;

    /// `name dur` of each slice, ns, and the number of slices that were cut.
    fn durations(text: &str) -> (Vec<String>, u64) {
        let trace = read(text);
        let row = |row: usize| {
            let name = trace.strings.get(trace.slices.name.get(row));
            format!("{name} {}", trace.slices.dur.get(row))
        };
        let rows = trace.slices.spans().map(row).collect();
        (rows, trace.repairs.count(RepairKind::MissingExit))
    }

    /// PyTorch's profiler writes kernels of a GPU with nanoseconds.
    #[test]
    fn slices_with_nanoseconds_keep_their_durations() {
        let (found, cut) = durations(
            r#"[{"ph":"X","pid":1,"tid":1,"ts":10,"dur":0.600,"name":"k1"},
                {"ph":"X","pid":1,"tid":1,"ts":10.500,"dur":0.900,"name":"k2"},
                {"ph":"X","pid":1,"tid":2,"ts":10.001,"dur":0.603,"name":"k3"},
                {"ph":"X","pid":1,"tid":2,"ts":10.501,"dur":0.104,"name":"rounded"}]"#,
        );
        assert_eq!(found, ["k1 600", "k3 603", "k2 900", "rounded 103"]);
        assert_eq!(cut, 1);
    }

    #[test]
    fn slices_with_whole_microseconds_nest() {
        let text = r#"[{"ph":"X","pid":1,"tid":1,"ts":10,"dur":5,"name":"outer"},
            {"ph":"X","pid":1,"tid":1,"ts":12,"dur":4,"name":"inner"},
            {"ph":"X","pid":1,"tid":2,"ts":10.125,"dur":5,"name":"a"},
            {"ph":"X","pid":1,"tid":2,"ts":11.250,"dur":4,"name":"b"},
            {"ph":"B","pid":1,"tid":3,"ts":10,"name":"c"},{"ph":"E","pid":1,"tid":3,"ts":13},
            {"ph":"X","pid":1,"tid":3,"ts":11.625,"dur":1.5,"name":"d"}]"#;
        let (found, cut) = durations(text);
        let expected = [
            "outer 5000",
            "c 3000",
            "a 5000",
            "b 3875",
            "d 1375",
            "inner 3000",
        ];
        let mut found = found;
        found.sort();
        let mut expected = expected;
        expected.sort_unstable();
        assert_eq!(found, expected);
        assert_eq!(cut, 3);
    }
}
