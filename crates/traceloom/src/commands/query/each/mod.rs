//! `--each`: runs the query on each file by itself and puts the results below each other.

mod below;
mod failures;
mod file;
mod job;
mod room;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use traceloom_query::Limits;

use super::args::QueryArgs;
use super::input::Question;
use super::print::print;
use crate::input::once_a_pair;
use crate::output::write_file;
use below::Below;
use failures::Failures;
use file::{Answer, answer};
use job::Job;
use room::Room;

/// The maximum number of files per worker with results in memory.
const AHEAD: usize = 8;

/// Runs the query on each file, several at a time. Files that fail are reported and counted.
///
/// # Errors
/// If no file has an answer, or the result cannot be written.
pub(super) fn run(args: &QueryArgs, question: &Question, limits: Limits) -> Result<ExitCode> {
    let job = Job::new(args, question, limits);
    let files = once_a_pair(&question.files);
    let mut failures = Failures::default();
    write_file(&args.output, |out| {
        print(args, out, |output| {
            let mut below = Below::new(&job.own, output);
            all(&job, &files, &mut below, &mut failures)
        })
    })?;
    failures.finish(files.len(), args.strict)
}

/// Passes the results on in the order of the files.
fn all(
    job: &Job<'_>,
    files: &[&Path],
    below: &mut Below<'_>,
    failures: &mut Failures,
) -> Result<()> {
    let workers = job.args.open.threads().min(files.len()).max(1);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(workers)
        .build()?;
    let room = Room::new(job.args.memory_limit / 2);
    let one = |path: &&Path| {
        let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
        let _taken = room.take(bytes);
        answer(job, path)
    };
    for group in files.chunks(workers * AHEAD) {
        let results: Vec<Result<Answer>> = pool.install(|| group.par_iter().map(one).collect());
        for result in results {
            match result {
                Ok(rows) => below.add(&rows)?,
                Err(error) => failures.note(&error),
            }
        }
    }
    Ok(())
}
