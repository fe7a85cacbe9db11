//! The report: one HTML file with the page, its engine and the trace.
//!
//! ```text
//! <head> report marker, Content-Security-Policy, title, first style
//! <body> shell, style
//!   <script id="traceloom-preview">           base64 of the gzipped answers for the first picture
//!   <script class="traceloom-result" …>       a result of a query as JSON, several
//!   <script type="module" async>              the page's modules, as they are written
//!   <script id="traceloom-engine">            base64 of gzipped WebAssembly
//!   <script class="traceloom-columns" …>      base64 of gzipped columns, several
//!   <script class="traceloom-blocks" …>       how many
//!   <!-- BEGIN TRACE --> <script class="trace-data"> …     with --embed-source
//!   <template id="traceloom-end">             missing if the file was truncated
//! ```
//! The script runs as soon as the browser has read it, and draws the preview. The rest of the file may be a hundred times
//! larger.

use std::io::{self, Write};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use thiserror::Error;
use traceloom_engine::Engine;
use traceloom_formats::{FORMATS, WriteError, WriteOptions};
use traceloom_report::{META, write_trace};
use traceloom_trace::Trace;

use crate::engine::engine;
use crate::page::{Page, PageError, REPORT, SCRIPT_START};
use crate::web::Web;

/// Options for a report.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// The title of the window.
    pub title: String,
    /// Whether the page also contains the trace in systrace's format, for tools that read such
    /// pages.
    pub embed_source: bool,
    /// Results of queries, from `answer_in_report`. The page shows them in a tab.
    pub results: Vec<serde_json::Value>,
    /// The maximum number of threads for compressing the trace, at least 1.
    pub threads: usize,
}

/// Why a report cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// Writing to the output failed.
    #[error("cannot write: {0}")]
    Io(#[from] io::Error),
    /// The page cannot be built.
    #[error(transparent)]
    Page(#[from] PageError),
    /// This build has no engine.
    #[error(
        "this build of traceloom cannot write reports, because it was built without Rust's WebAssembly target; \
         run `rustup target add wasm32-unknown-unknown` and build it again"
    )]
    NoEngine,
    /// The trace has nothing that systrace's format can express.
    #[error("--embed-source: {0}")]
    Source(#[source] WriteError),
}

/// The title in `page.html`.
const TITLE: &str = "<title>traceloom</title>";
/// The last element of a report. The page checks that it is present.
const END: &str = "<template id=\"traceloom-end\"></template>\n";

/// Writes a report of `trace`.
///
/// # Errors
/// See [`ReportError`]. After an error the output is incomplete.
pub fn write_report(
    trace: &Arc<Trace>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let engine = engine().ok_or(ReportError::NoEngine)?;
    let page = Page::new(&Web::from_environment(), REPORT)?;
    write_with(&page, engine, trace, options, out)
}

fn write_with(
    page: &Page,
    engine: &[u8],
    trace: &Arc<Trace>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let head = format!("<head>\n{META}\n{}", policy(page));
    let title = format!("<title>{}</title>", escaped(&options.title));
    let html = page.html.replacen("<head>", &head, 1);
    let html = html.replacen(TITLE, &title, 1);
    let end = "</body>";
    let (shell, script) = html
        .split_once(SCRIPT_START)
        .ok_or(PageError::NoPlace(SCRIPT_START))?;
    let (script, after) = script.rsplit_once(end).ok_or(PageError::NoPlace(end))?;
    out.write_all(shell.as_bytes())?;
    writeln!(out, "{}", element("traceloom-preview", &preview(trace)?))?;
    for result in &options.results {
        writeln!(out, "{}", result_block(result))?;
    }
    write!(out, "<script type=\"module\" async>{script}")?;
    writeln!(out, "{}", element("traceloom-engine", engine))?;
    write_trace(trace, options.threads, out)?;
    if options.embed_source {
        out.write_all(&source_blocks(trace)?)?;
    }
    out.write_all([END, end, after].concat().as_bytes())?;
    Ok(())
}

/// The engine's answers for the first picture, gzipped.
fn preview(trace: &Arc<Trace>) -> io::Result<Vec<u8>> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&Engine::new(Arc::clone(trace)).preview())?;
    gzip.finish()
}

/// An element with bytes.
fn element(id: &str, bytes: &[u8]) -> String {
    let text = STANDARD.encode(bytes);
    format!("<script type=\"application/octet-stream;base64\" id=\"{id}\">{text}</script>")
}

/// A result in an element that does not run. Without `<`, nothing in it can end the element.
fn result_block(result: &serde_json::Value) -> String {
    let json = result.to_string().replace('<', "\\u003c");
    format!("<script type=\"application/json\" class=\"traceloom-result\">{json}</script>")
}

/// Forbids network access and any script except the page's own and its engine.
fn policy(page: &Page) -> String {
    let Page {
        script_hash,
        style_hashes,
        ..
    } = page;
    format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         script-src {script_hash} 'wasm-unsafe-eval'; style-src {style_hashes}; worker-src blob:; \
         img-src data: blob:; connect-src 'none'; base-uri 'none'; form-action 'none'\">"
    )
}

/// The trace in systrace's container, cut out of a page made by its writer.
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

/// Escapes text for HTML.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests;
