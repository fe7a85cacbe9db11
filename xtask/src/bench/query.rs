//! SQL queries, compared with SQLite's own tables of the same rows.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::Options;
use super::child::{Cost, medians, once, turns};
use super::data::file;
use super::figures::{seconds, traceloom};
use super::report::Report;
use crate::run::{check, have};

/// A query: its title, its SQL, the number of lookups in it, and the promised time of one lookup, s.
struct Question {
    title: &'static str,
    sql: &'static str,
    answers: u32,
    promised_s: f64,
}

const QUESTIONS: &[Question] = &[
    Question {
        title: "`count(*)`",
        sql: "SELECT count(*) FROM slice",
        answers: 1,
        promised_s: 0.01,
    },
    Question {
        title: "`sum(dur)`",
        sql: "SELECT sum(dur) FROM slice",
        answers: 1,
        promised_s: 0.6,
    },
    Question {
        title: "`name, count(*), sum(dur)` by name",
        sql: "SELECT name, count(*), sum(dur) FROM slice GROUP BY name",
        answers: 1,
        promised_s: 5.0,
    },
    Question {
        title: "slices, tracks and threads joined, by thread name",
        sql: "SELECT thread.name, count(*), sum(slice.dur) FROM slice \
              JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid) GROUP BY thread.name",
        answers: 1,
        promised_s: 6.0,
    },
    Question {
        title: "the slices of one track in a window of 100 ms",
        sql: "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999), \
              start AS MATERIALIZED (SELECT ts FROM slice WHERE id = 0) \
              SELECT sum((SELECT count(*) FROM slice WHERE track_id = i % 200 \
              AND ts BETWEEN start.ts + i * 1000000 AND start.ts + i * 1000000 + 100000000)) FROM n, start",
        answers: 1000,
        promised_s: 0.002,
    },
    Question {
        title: "100,000 slices by id",
        sql: "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999) \
              SELECT sum((SELECT dur FROM slice WHERE id = i * 97 % 9000000)) FROM n",
        answers: 1,
        promised_s: 0.03,
    },
];

/// Measures queries on a method trace: CPU time, which is less noisy than wall time here, because a query uses one
/// thread. The time to read the trace is that of `SELECT 1`, and is subtracted.
pub fn query(options: Options, report: &mut Report) -> Result<()> {
    let slices = options.size(10_000_000);
    let path = file("wide", 2 * slices)?;
    let native = native(&path)?;
    let millions = slices as f64 / 1e6;
    report.table(
        &format!("Questions in SQL, {millions} million slices"),
        &[
            "what",
            "CPU s",
            "promised",
            "SQLite's own tables, CPU s",
            "more memory than `SELECT 1`, MB",
        ],
    );
    for question in QUESTIONS {
        let [empty, full] = asked(options, question.sql, &|sql| {
            let mut command = traceloom(&["query"]);
            command.arg(&path).arg(sql);
            command
        })?;
        let own = match &native {
            Some(native) => Some(asked(options, question.sql, &|sql| {
                let mut command = Command::new("sqlite3");
                command.arg(native).arg(sql);
                command
            })?),
            None => None,
        };
        let took = |[empty, full]: [Cost; 2]| {
            let more = seconds(full.cpu) - seconds(empty.cpu);
            format!("{:.4}", more.max(0.0) / f64::from(question.answers))
        };
        let more_bytes = full.peak_bytes.saturating_sub(empty.peak_bytes);
        report.row(&[
            question.title.to_owned(),
            took([empty, full]),
            format!("≤ {}", question.promised_s),
            own.map_or_else(|| "–".to_owned(), took),
            format!("{:.0}", more_bytes as f64 / 1e6),
        ]);
    }
    Ok(())
}

/// The costs of `SELECT 1` and of a query, run alternately.
fn asked(options: Options, sql: &str, ask: &dyn Fn(&str) -> Command) -> Result<[Cost; 2]> {
    let runs = turns(
        options.repeats(),
        [&|| once(ask("SELECT 1")), &|| once(ask(sql))],
    )?;
    Ok(medians(&runs))
}

/// The same tables in an SQLite database, with the indexes that a person would create; `None` if the program sqlite3 is
/// missing.
fn native(trace: &Path) -> Result<Option<std::path::PathBuf>> {
    if !have("sqlite3") {
        return Ok(None);
    }
    let path = trace.with_extension("sqlite");
    if !path.exists() {
        let mut export = traceloom(&["export", "--all", "-o"]);
        export.arg(&path).arg(trace);
        check(export)?;
        let mut index = Command::new("sqlite3");
        index
            .arg(&path)
            .arg("CREATE INDEX slice_of_track ON slice(track_id, ts)");
        check(index)?;
    }
    Ok(Some(path))
}
