//! `traceloom report`: writes one HTML file with the trace and the page that shows it.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use traceloom_view::{ReportError, ReportOptions, has_engine, write_report};

use crate::align::{AlignArgs, read_traces};
use crate::input::InputArgs;
use crate::output::write_file;
use crate::times::TimeRange;

/// Write one HTML file that shows a trace in any browser, offline
///
/// Several files share one time line. A report is itself a trace: every command opens it.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  traceloom report app.trace -o app.html\n  traceloom report systrace.html app.trace -o both.html --from 1.2s --until 2s
  traceloom report app.trace -o app.html --query slow.sql --query-title \"Slow calls\"",
    mut_arg("until", |until| until.visible_alias("to"))
)]
pub struct ReportArgs {
    /// The traces to show; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The file to write; - is standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// Title of the page [default: the names of the files]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Embed the trace as systrace text too, so that Perfetto and old scripts can open the file
    #[arg(long)]
    embed_source: bool,

    #[cfg(feature = "query")]
    #[command(flatten)]
    queries: super::query::ReportQueryArgs,

    #[command(flatten)]
    range: TimeRange,

    #[command(flatten)]
    align: AlignArgs,

    #[command(flatten)]
    open: InputArgs,
}

/// Runs the command.
///
/// # Errors
/// If this build has no engine, a file cannot be read, the range is empty, or the report cannot be
/// written.
pub fn run(args: &ReportArgs) -> Result<ExitCode> {
    check_engine()?;
    #[cfg(feature = "query")]
    let queries = args.queries.queries()?;
    let open = InputArgs {
        without_folders: true,
        ..args.open.clone()
    };
    let mut trace = read_traces(&args.files, &args.align, &open)?;
    if let Some((from, until)) = args.range.within(&trace)? {
        trace = trace.cut(from, until);
        // The file must not contain names from outside the range.
        trace.drop_unused();
    }
    let trace = Arc::new(trace);
    #[cfg(feature = "query")]
    let results = args.queries.results(&trace, &queries)?;
    #[cfg(not(feature = "query"))]
    let results = Vec::new();
    let options = ReportOptions {
        title: args.title.clone().unwrap_or_else(|| title(&args.files)),
        embed_source: args.embed_source,
        results,
        threads: args.open.threads(),
    };
    write_file(&args.output, |out| Ok(write_report(&trace, &options, out)?))?;
    Ok(ExitCode::SUCCESS)
}

/// Fails early if the result would be a report that this build cannot write.
///
/// # Errors
/// If this build has no engine for reports.
pub fn check_engine() -> Result<()> {
    anyhow::ensure!(has_engine(), ReportError::NoEngine);
    Ok(())
}

fn title(files: &[PathBuf]) -> String {
    let name = |file: &PathBuf| match file.file_name() {
        Some(name) if name == "-" => "standard input".to_owned(),
        Some(name) => name.to_string_lossy().into_owned(),
        None => file.display().to_string(),
    };
    files.iter().map(name).collect::<Vec<_>>().join(" + ")
}
