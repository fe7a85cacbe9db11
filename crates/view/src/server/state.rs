//! What all requests of a server share.

use std::sync::{Arc, Mutex};

use tokio::sync::Semaphore;
use traceloom_formats::ReadOptions;
use traceloom_trace::Trace;

use super::recording::Recording;
use super::token::Token;
use super::traces::Traces;
use crate::page::Page;
use crate::web::Web;

/// What is done to a dropped trace after it was read: original names, for example. The error says
/// why it cannot be.
pub type Finish = Arc<dyn Fn(Trace) -> Result<Trace, String> + Send + Sync>;

/// What all requests share.
pub(crate) struct State {
    pub token: Token,
    pub port: u16,
    pub web: Web,
    /// The page, unless it is made again each time.
    pub page: Mutex<Option<Arc<Page>>>,
    pub traces: Traces,
    /// How many questions may be worked on at once.
    pub workers: Semaphore,
    pub memory_limit: u64,
    pub read: ReadOptions,
    pub finish: Finish,
    /// The recording that the first trace comes from, if it is being recorded.
    pub recording: Option<Recording>,
}
