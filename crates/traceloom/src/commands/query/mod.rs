//! `traceloom query`: answers questions in SQL.

mod args;
mod each;
mod input;
mod modules;
mod note;
mod page;
mod pattern;
mod print;
mod prompt;
mod report;
mod rows;
mod running;
mod table;

use std::process::ExitCode;

use anyhow::Result;
use traceloom_query::Limits;

use crate::output::write_file;
use crate::print::csv_for_spreadsheets;
use crate::read::read_files;
use input::{Question, is_prompt, question};
use modules::open_session;
use note::advise;
use print::print;
use prompt::prompt;
use running::Running;

pub use args::QueryArgs;
pub(crate) use input::keep_comments;
pub use page::PageQueryArgs;
pub use report::ReportQueryArgs;

/// Runs the command.
///
/// # Errors
/// If a file cannot be read, the SQL is wrong or breaks a limit, or the result cannot be written.
pub fn run(args: &QueryArgs) -> Result<ExitCode> {
    args.check()?;
    csv_for_spreadsheets(args.csv_safe);
    let limits = Limits {
        timeout: args.timeout,
        memory: Some(args.memory_limit),
    };
    if is_prompt(args) {
        return ask(args, limits);
    }
    let question = question(args)?;
    if args.each {
        return each::run(args, &question, limits);
    }
    let Question { files, name, sql } = question;
    let trace = read_files(&files, &args.align, &args.open)?;
    let mut session = open_session(trace, limits, &args.sql_modules)?;
    write_file(&args.output, |out| {
        print(args, out, |output| {
            let mut output = Running::new(output);
            session.run(&name, &sql, &args.param, &mut output)?;
            Ok(())
        })
    })?;
    advise(&sql);
    // The kernel frees the memory faster than a walk over all tables would.
    std::mem::forget(session);
    Ok(ExitCode::SUCCESS)
}

/// Shows a prompt.
fn ask(args: &QueryArgs, limits: Limits) -> Result<ExitCode> {
    let trace = read_files(&args.inputs, &args.align, &args.open)?;
    let mut session = open_session(trace, limits, &args.sql_modules)?;
    prompt(&mut session, args)?;
    std::mem::forget(session);
    Ok(ExitCode::SUCCESS)
}
