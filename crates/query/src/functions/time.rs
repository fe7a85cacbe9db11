//! Functions that convert times of the trace to times of other clocks and to texts.

use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::functions::Context;
use rusqlite::types::{Value, ValueRef};
use traceloom_trace::ClockKind;

use super::arguments::refused;
use super::flags::PURE;
use crate::schema::Data;

const NS: i64 = 1_000_000_000;
const SECONDS_OF_A_DAY: i64 = 86_400;

/// Readings of a clock: the trace's time and the clock's time, ns, sorted by the trace's time.
type Readings = Vec<(i64, i64)>;

/// Registers the functions with a connection.
pub(super) fn register(connection: &Connection, data: &Data) -> rusqlite::Result<()> {
    let realtime = Arc::new(readings(data, ClockKind::Realtime));
    let monotonic = Arc::new(readings(data, ClockKind::Monotonic));
    let clocks = [
        (["to_realtime", "__intrinsic_to_realtime"], &realtime),
        (["to_monotonic", "__intrinsic_to_monotonic"], &monotonic),
    ];
    for (names, readings) in clocks {
        for name in names {
            let readings = readings.clone();
            connection.create_scalar_function(name, 1, PURE, move |context| {
                Ok(time(context)?.and_then(|ts| convert(&readings, ts)))
            })?;
        }
    }
    for name in ["abs_time_str", "__intrinsic_abs_time_str"] {
        let readings = realtime.clone();
        connection.create_scalar_function(name, 1, PURE, move |context| {
            let time = time(context)?.and_then(|ts| convert(&readings, ts));
            Ok(time.map(date_and_time))
        })?;
    }
    for name in ["to_timecode", "__intrinsic_to_timecode"] {
        connection.create_scalar_function(name, 1, PURE, |context| {
            Ok(time(context)?.map_or(Value::Null, |ns| Value::Text(timecode(ns))))
        })?;
    }
    Ok(())
}

fn readings(data: &Data, clock: ClockKind) -> Readings {
    let rows = data.trace.clocks.iter().filter(|row| row.clock == clock);
    let mut readings: Readings = rows.map(|row| (row.ts, row.value_ns)).collect();
    readings.sort_unstable();
    readings
}

/// The argument; `None` for NULL.
fn time(context: &Context<'_>) -> rusqlite::Result<Option<i64>> {
    match context.get_raw(0) {
        ValueRef::Null => Ok(None),
        ValueRef::Integer(ts) => Ok(Some(ts)),
        _ => Err(refused(
            "the argument must be a time: a whole number of nanoseconds",
        )),
    }
}

/// The clock's time at `ts`, from the last reading that is not after `ts`, or else from the first one. It is never
/// after the next reading. `None` if the trace has no reading.
fn convert(readings: &Readings, ts: i64) -> Option<i64> {
    let after = readings.partition_point(|(at, _)| *at <= ts);
    let (at, value) = readings.get(after.saturating_sub(1))?;
    let time = value.checked_add(ts.checked_sub(*at)?)?;
    let next = readings.get(after).filter(|_| after > 0);
    Some(next.map_or(time, |(_, next)| time.min(*next)))
}

/// `hh:mm:ss mmm uuu nnn`.
fn timecode(ns: i64) -> String {
    let part = |unit: i64, of: i64| (ns / unit) % of;
    format!(
        "{:02}:{:02}:{:02} {:03} {:03} {:03}",
        ns / (3600 * NS),
        part(60 * NS, 60),
        part(NS, 60),
        part(1_000_000, 1000),
        part(1000, 1000),
        part(1, 1000)
    )
}

/// Date and time (UTC) of nanoseconds since 1970, as in ISO 8601.
fn date_and_time(ns: i64) -> String {
    let (seconds, fraction) = (ns.div_euclid(NS), ns.rem_euclid(NS));
    let second = seconds.rem_euclid(SECONDS_OF_A_DAY);
    let (year, month, day) = date(seconds.div_euclid(SECONDS_OF_A_DAY));
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:09}")
}

/// Year, month and day of a number of days since 1970. Years begin in March, so that the leap day is the last one.
fn date(days: i64) -> (i64, i64, i64) {
    const DAYS_OF_400_YEARS: i64 = 146_097;
    let days = days + 719_468;
    let (era, day) = (
        days.div_euclid(DAYS_OF_400_YEARS),
        days.rem_euclid(DAYS_OF_400_YEARS),
    );
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day_of_month = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (year + era * 400 + next, month, day_of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_sqlite() {
        let sqlite = Connection::open_in_memory().unwrap();
        for seconds in [
            0,
            951_782_399,
            951_782_400,
            1_709_164_800,
            4_102_444_800,
            -86_401,
        ] {
            let sql = "SELECT strftime('%Y-%m-%dT%H:%M:%S', ?1, 'unixepoch')";
            let expected: String = sqlite.query_row(sql, [seconds], |row| row.get(0)).unwrap();
            assert_eq!(date_and_time(seconds * NS + 5), expected + ".000000005");
        }
    }

    #[test]
    fn the_last_reading_before_a_time_counts() {
        let readings = vec![(100, 1000), (200, 1150)];
        let at = |ts| convert(&readings, ts);
        assert_eq!(
            [at(90), at(150), at(210)],
            [Some(990), Some(1050), Some(1160)]
        );
        assert_eq!(convert(&Vec::new(), 5), None);
        assert_eq!(timecode(3_723_004_005_006), "01:02:03 004 005 006");
    }
}
