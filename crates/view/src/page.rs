//! Builds the page: the document with its styles and its script, and the hashes that allow them in the
//! Content-Security-Policy.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::join::{JoinError, join};
use crate::web::Web;

/// The modules that start the page of a report.
pub(crate) const REPORT: &[&str] = &["app/main"];
/// The modules that start a server's page, which can also follow a recording.
pub(crate) const SERVER: &[&str] = &["app/main", "live/live"];

/// Where `first.css` goes in `page.html`.
const FIRST_STYLE: &str = "<style id=\"first-style\"></style>";
/// Where all other style sheets go.
const STYLE: &str = "<style id=\"page-style\"></style>";
/// Where the script goes.
const SCRIPT: &str = "<script type=\"module\"></script>";

/// Why the page cannot be built.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum PageError {
    /// The modules cannot be joined.
    #[error(transparent)]
    Join(#[from] JoinError),
    /// A file of the page is missing.
    #[error("web/{0} is missing")]
    Missing(&'static str),
    /// `page.html` lacks an element that is filled in.
    #[error("web/page.html has no {0}")]
    NoPlace(&'static str),
}

/// The page, and the parts of its Content-Security-Policy that name hashes.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// The document.
    pub html: String,
    /// `'sha256-…'` of each style.
    pub style_hashes: String,
    /// `'sha256-…'` of the script.
    pub script_hash: String,
}

impl Page {
    /// Builds the page that starts with the modules `entries`.
    pub fn new(web: &Web, entries: &[&str]) -> Result<Self, PageError> {
        let file = |path| web.file(path).ok_or(PageError::Missing(path));
        let (first_style, mut style) = (file("first.css")?, file("page.css")?);
        for path in web.folder_styles() {
            style += &file(path)?;
        }
        let script = join(entries, &|name| web.file(&format!("{name}.js")))?;
        let html = file("page.html")?;
        let html = fill(&html, FIRST_STYLE, "<style>", &first_style, "</style>")?;
        let html = fill(&html, STYLE, "<style>", &style, "</style>")?;
        let html = fill(
            &html,
            SCRIPT,
            "<script type=\"module\">",
            &script,
            "</script>",
        )?;
        Ok(Self {
            html,
            style_hashes: format!("{} {}", hash(&first_style), hash(&style)),
            script_hash: hash(&script),
        })
    }
}

/// Replaces an empty element by one with content.
fn fill(
    html: &str,
    place: &'static str,
    start: &str,
    content: &str,
    end: &str,
) -> Result<String, PageError> {
    let (before, after) = html.split_once(place).ok_or(PageError::NoPlace(place))?;
    Ok([before, start, content, end, after].concat())
}

/// The source expression of a Content-Security-Policy that allows exactly this text.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}
