//! The state that all requests of a server share.

use std::sync::{Arc, Mutex};

use tokio::sync::Semaphore;
use traceloom_formats::ReadOptions;
use traceloom_trace::Trace;

use super::recording::Recording;
use super::token::Token;
use super::traces::Traces;
use crate::page::Page;
use crate::web::Web;

/// Postprocesses a dropped trace, for example with original names. The error gives the reason of a
/// failure.
pub type Finish = Arc<dyn Fn(Trace) -> Result<Trace, String> + Send + Sync>;

/// The shared state.
pub(crate) struct State {
    pub token: Token,
    pub port: u16,
    pub web: Web,
    /// The page, once it is built; never cached if it is read from a folder.
    pub page: Mutex<Option<Arc<Page>>>,
    pub traces: Traces,
    /// Limits the number of concurrent questions.
    pub workers: Semaphore,
    pub memory_limit: u64,
    pub read: ReadOptions,
    pub finish: Finish,
    /// The recording of the first trace, if it is being recorded.
    pub recording: Option<Recording>,
    #[cfg(feature = "query")]
    pub query: crate::query::QueryOptions,
    #[cfg(feature = "query")]
    pub sessions: crate::query::Sessions,
}
