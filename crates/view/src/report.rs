//! The report: one HTML file with the page, the engine and the trace.
//!
//! ```text
//! <head> marker of a report, policy, title, style
//! <body> shell
//!   <script id="traceloom-unpacker">          base64 of gzipped WebAssembly, which unpacks the next two
//!   <script id="traceloom-page">              base64 of the page's style and script, packed
//!   <script id="traceloom-engine">            base64 of WebAssembly, packed
//!   <script class="traceloom-columns" …>      base64 of gzipped columns, several
//!   <!-- BEGIN TRACE --> <script class="trace-data"> …     with --embed-source
//!   <script type="module">                    unpacks and starts the page
//! ```

use std::error::Error;
use std::io::{self, Write};

use thiserror::Error as ThisError;
use traceloom_formats::{
    FORMATS, REPORT_META, WriteError, WriteOptions, report_data, report_engine,
};
use traceloom_trace::Trace;

/// Choices for a report.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// The title of the window.
    pub title: String,
    /// Whether the trace also stands in the page as systrace wrote it, for tools that read that.
    pub embed_source: bool,
    /// How many threads may pack the trace at once, at least 1.
    pub threads: usize,
}

/// What a report is put into: the page's shell, style and script, and the engine.
pub trait ReportShell {
    /// The document, with `head` at the start of its head and `data` before its script.
    ///
    /// # Errors
    /// If the shell has no place for one of them.
    fn document(&self, head: &str, data: &str) -> Result<String, Box<dyn Error + Send + Sync>>;
    /// Source expressions of a Content-Security-Policy that allow the shell's style and its scripts.
    fn style_and_script(&self) -> (String, String);
    /// The engine, packed WebAssembly; empty if the shell needs none.
    ///
    /// # Errors
    /// If this program was built without it.
    fn engine_packed(&self) -> Result<&[u8], Box<dyn Error + Send + Sync>>;
}

/// Why there is no report.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum ReportError {
    /// The sink failed.
    #[error("cannot write: {0}")]
    Io(#[from] io::Error),
    /// The page is not whole.
    #[error("{0}")]
    Shell(#[source] Box<dyn Error + Send + Sync>),
    /// The trace has nothing that systrace's format holds.
    #[error("--embed-source: {0}")]
    Source(#[source] WriteError),
}

/// Stands where the data goes while the document is put together. No shell has it: a comment
/// cannot hold two hyphens.
const DATA: &str = "<!--traceloom--data-->";
/// The title of the shell.
const TITLE: &str = "<title>traceloom</title>";

/// Writes a report of `trace`.
///
/// # Errors
/// See [`ReportError`]; what was written then is no report.
pub fn write_report(
    trace: &Trace,
    options: &ReportOptions,
    shell: &dyn ReportShell,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let engine = shell.engine_packed().map_err(ReportError::Shell)?;
    let head = format!("\n{REPORT_META}\n{}", policy(shell));
    let document = shell.document(&head, DATA).map_err(ReportError::Shell)?;
    let (before, after) = document.split_once(DATA).unwrap_or((&document, ""));
    let title = format!("<title>{}</title>", escaped(&options.title));
    out.write_all(before.replacen(TITLE, &title, 1).as_bytes())?;
    if !engine.is_empty() {
        out.write_all(report_engine(engine).as_bytes())?;
    }
    report_data(trace, options.threads, out)?;
    if options.embed_source {
        out.write_all(&source_blocks(trace)?)?;
    }
    out.write_all(after.as_bytes())?;
    Ok(())
}

/// Nothing may be fetched, nothing may run but the page's own script and engine.
fn policy(shell: &dyn ReportShell) -> String {
    let (style, script) = shell.style_and_script();
    let allowed = |what: &str| if what.is_empty() { "'none'" } else { what }.to_owned();
    let script = if script.is_empty() {
        allowed("")
    } else {
        format!("{script} 'wasm-unsafe-eval'")
    };
    format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         script-src {script}; style-src {}; worker-src blob:; img-src data: blob:; \
         connect-src 'none'; base-uri 'none'; form-action 'none'\">",
        allowed(&style)
    )
}

/// The trace in systrace's own container, cut out of the page that its writer makes.
fn source_blocks(trace: &Trace) -> Result<Vec<u8>, ReportError> {
    const BEGIN: &[u8] = b"<!-- BEGIN TRACE -->";
    const END: &[u8] = b"<!-- END TRACE -->\n";
    let format = FORMATS.iter().find(|format| format.id() == "systrace-html");
    let Some(writer) = format.and_then(|format| format.writer()) else {
        return Ok(Vec::new());
    };
    let mut page = Vec::new();
    let written = writer.write(trace, &WriteOptions::default(), &mut page);
    written.map_err(ReportError::Source)?;
    let find = |what: &[u8]| page.windows(what.len()).position(|window| window == what);
    let rfind = |what: &[u8]| page.windows(what.len()).rposition(|window| window == what);
    Ok(match (find(BEGIN), rfind(END)) {
        (Some(begin), Some(end)) => page[begin..end + END.len()].to_vec(),
        _ => Vec::new(),
    })
}

/// Text that means nothing in HTML.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// A page without a viewer, for programs that are built without one: the trace is in it, and it
/// says what opens it.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainShell;

impl ReportShell for PlainShell {
    fn document(&self, head: &str, data: &str) -> Result<String, Box<dyn Error + Send + Sync>> {
        Ok(format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>{head}\n<meta charset=\"utf-8\">\n{TITLE}\n</head>\n<body>\n\
             <p>This page holds a trace, and no viewer. Open it with <code>traceloom</code>.</p>\n{data}</body>\n</html>\n"
        ))
    }

    fn style_and_script(&self) -> (String, String) {
        Default::default()
    }

    fn engine_packed(&self) -> Result<&[u8], Box<dyn Error + Send + Sync>> {
        Ok(&[])
    }
}

#[cfg(test)]
mod tests;
