//! Builds the page: the document with its styles and its script, and the hashes that allow them in the
//! Content-Security-Policy.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::join::{JoinError, join};
use crate::web::Web;

/// The entry modules of a report's page.
pub(crate) const REPORT: &[&str] = &["app/main", "query/included"];
/// The entry modules of a server's page, which can also follow a recording and run SQL.
#[cfg(feature = "query")]
pub(crate) const SERVER: &[&str] = &["app/main", "live/live", "query/query"];
/// The entry modules of a server's page, which can also follow a recording.
#[cfg(not(feature = "query"))]
pub(crate) const SERVER: &[&str] = &["app/main", "live/live"];

/// The placeholder in `page.html` for `first.css`.
const FIRST_STYLE: &str = "<style id=\"first-style\"></style>";
/// The placeholder for all other style sheets.
const STYLE: &str = "<style id=\"page-style\"></style>";
/// The placeholder for the script.
const SCRIPT: &str = "<script type=\"module\"></script>";
/// The position of the script in the finished page.
pub(crate) const SCRIPT_START: &str = "<script type=\"module\">";

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
    /// `page.html` lacks one of the placeholders.
    #[error("web/page.html has no {0}")]
    NoPlace(&'static str),
}

/// The page, and the parts of its Content-Security-Policy that contain hashes.
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
    /// Builds the page with the entry modules `entries`.
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
        let html = fill(&html, SCRIPT, SCRIPT_START, &script, "</script>")?;
        Ok(Self {
            html,
            style_hashes: format!("{} {}", hash(&first_style), hash(&style)),
            script_hash: hash(&script),
        })
    }
}

/// Replaces an empty element by one with contents.
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
