//! The page, put together: shell, style and script, with the hashes that its policy names.

use std::error::Error;

use sha2::{Digest, Sha256};
use thiserror::Error as ThisError;

use crate::assets::Web;
use crate::base64;
use crate::bundle::BundleError;
use crate::closures::bundle;
use crate::report::ReportShell;

/// The module that starts the page.
const ENTRY: &str = "app/main";
/// The module that unpacks it in a report, and starts it.
const START: &str = "source/start";
/// The module that follows a recording, in pages of a server.
const LIVE: &str = "live/live";
/// Where the style goes in `page.html`.
const STYLE: &str = "<style></style>";
/// Where the script goes.
const SCRIPT: &str = "<script type=\"module\"></script>";

/// All modules that [`ENTRY`] imports, joined and shortened by `build/main.rs`.
const PAGE_SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/page.js"));
/// Likewise of [`START`].
const START_SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/start.js"));
/// Likewise of [`LIVE`].
const LIVE_SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/live.js"));
/// What a report shows before it is unpacked: `first.css`, shortened.
const FIRST_STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/first.css"));
/// `page.css` and the rooms' own, but for [`LIVE_STYLE`].
const PAGE_STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/page.css"));
/// The style of what follows a recording.
const LIVE_STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/live.css"));
/// [`PAGE_STYLE`], a zero byte and [`PAGE_SCRIPT`], packed.
const PAGE_PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page.pack"));

/// The engine, packed; empty if the toolchain that built this lacked the target.
const ENGINE_PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/engine.pack"));
/// What unpacks both: WebAssembly, gzipped. Empty likewise.
const UNPACKER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/unpacker.wasm.gz"));

/// Why there is no page.
#[derive(Clone, PartialEq, Eq, Debug, ThisError)]
#[non_exhaustive]
pub enum PageError {
    /// The modules cannot be joined.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A file of the page is not there.
    #[error("web/{0} is missing")]
    Missing(&'static str),
    /// The shell has no place for a part.
    #[error("web/page.html has no {0}")]
    NoPlace(&'static str),
    /// The program was built without the part that goes into reports.
    #[error(
        "this traceloom was built without the engine that a report carries: `rustup target add wasm32-unknown-unknown`, and build it again"
    )]
    NoEngine,
}

/// What the page is made of.
#[derive(Clone, Debug)]
pub struct PageParts {
    /// The shell, with empty `<style>` and `<script type="module">` elements.
    pub html: String,
    /// The style sheet of a server's page.
    pub css: String,
    /// The part of it that a report has unpacked, for what it shows before its script runs.
    pub first_css: String,
    /// All modules as one module script.
    pub script: String,
    /// The module script that unpacks it in a report.
    pub start: String,
    /// What a page of a server has besides: it follows a recording.
    pub live: String,
}

/// A page as text, and what its Content-Security-Policy must allow.
#[derive(Clone, Debug)]
pub struct Page {
    /// The document.
    pub html: String,
    /// `'sha256-…'` of the style.
    pub style_hash: String,
    /// `'sha256-…'` of the script.
    pub script_hash: String,
}

impl PageParts {
    /// The parts that are in the program.
    ///
    /// # Errors
    /// None in a program whose tests passed: they join the modules.
    pub fn new() -> Result<Self, PageError> {
        Self::from_web(&Web::Inside)
    }

    pub(crate) fn from_web(web: &Web) -> Result<Self, PageError> {
        let file = |name| web.file(name).ok_or(PageError::Missing(name));
        let find = |name: &str| web.file(&format!("{name}.js"));
        let script = |entry, made: &str| match web {
            Web::Inside => Ok(made.to_owned()),
            Web::Folder(_) => bundle(entry, &find),
        };
        Ok(Self {
            html: file("page.html")?,
            css: match web {
                Web::Inside => [FIRST_STYLE, PAGE_STYLE, LIVE_STYLE].concat(),
                Web::Folder(_) => style(web)?,
            },
            first_css: FIRST_STYLE.to_owned(),
            script: script(ENTRY, PAGE_SCRIPT)?,
            start: script(START, START_SCRIPT)?,
            live: script(LIVE, LIVE_SCRIPT)?,
        })
    }

    /// What unpacks the others, gzipped WebAssembly; the page's style and script, packed; and the
    /// engine that answers in a report, packed.
    ///
    /// # Errors
    /// If the toolchain that built this program could not compile them; says how to add that.
    pub fn packed(&self) -> Result<[&'static [u8]; 3], PageError> {
        match ENGINE_PACKED {
            [] => Err(PageError::NoEngine),
            engine => Ok([UNPACKER, PAGE_PACKED, engine]),
        }
    }

    /// The script of a server's page: that of all pages, and what follows a recording.
    pub fn server_script(&self) -> String {
        // The short names of the second are its own.
        format!("{}\n{{{}}}", self.script, self.live)
    }

    /// Puts the page of a server together. `head` goes to the start of the document's head, `data` before
    /// the script; both are HTML, made by the caller.
    ///
    /// # Errors
    /// If the shell lacks a place for a part.
    pub fn page(&self, head: &str, data: &str) -> Result<Page, PageError> {
        let script = self.server_script();
        Ok(Page {
            html: self.html_with(&self.css, &script, head, data)?,
            style_hash: hash(&self.css),
            script_hash: hash(&script),
        })
    }

    fn html_with(
        &self,
        css: &str,
        script: &str,
        head: &str,
        data: &str,
    ) -> Result<String, PageError> {
        let (before, rest) = split(&self.html, STYLE)?;
        let (middle, after) = split(rest, SCRIPT)?;
        let (top, below) = split(before, "<head>")?;
        Ok(format!(
            "{top}<head>{head}{below}<style>{css}</style>{middle}{data}<script type=\"module\">{script}</script>{after}"
        ))
    }
}

impl ReportShell for PageParts {
    fn document(&self, head: &str, data: &str) -> Result<String, Box<dyn Error + Send + Sync>> {
        let [unpacker, page, _] = self.packed()?;
        let packed = element("unpacker", unpacker) + &element("page", page);
        Ok(self.html_with(&self.first_css, &self.start, head, &(packed + data))?)
    }

    fn style_and_script(&self) -> (String, String) {
        let scripts = [&self.start, &self.script].map(|script| hash(script));
        let styles = [&self.first_css, PAGE_STYLE].map(hash);
        (styles.join(" "), scripts.join(" "))
    }

    fn engine_packed(&self) -> Result<&[u8], Box<dyn Error + Send + Sync>> {
        let [_, _, engine] = self.packed()?;
        Ok(engine)
    }
}

/// Packed content in a report.
fn element(name: &str, packed: &[u8]) -> String {
    let text = base64::encode(packed);
    format!(
        "<script type=\"application/octet-stream;base64\" id=\"traceloom-{name}\">{text}</script>\n"
    )
}

/// `first.css`, `page.css`, then the rooms' own.
fn style(web: &Web) -> Result<String, PageError> {
    let file = |name| web.file(name).ok_or(PageError::Missing(name));
    let mut css = file("first.css")? + &file("page.css")?;
    for path in web.styles() {
        css += &web.file(&path).unwrap_or_default();
    }
    Ok(css)
}

fn split<'a>(text: &'a str, at: &'static str) -> Result<(&'a str, &'a str), PageError> {
    text.split_once(at).ok_or(PageError::NoPlace(at))
}

/// A source expression of a Content-Security-Policy that allows just this text.
pub fn hash(text: &str) -> String {
    format!("'sha256-{}'", base64::encode(&Sha256::digest(text)))
}
