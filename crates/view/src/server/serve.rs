//! The server: socket, routes, shutdown.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::routing::{get, post};
use thiserror::Error;
use tokio::sync::{Semaphore, watch};
use traceloom_formats::ReadOptions;

use super::connections::{Limits, serve};
use super::handle::Handle;
#[cfg(feature = "query")]
use super::query;
use super::recording::{LiveOptions, Recording};
use super::state::{Finish, State};
use super::token::Token;
use super::traces::Traces;
use super::{api, guard, html, live, open};
use crate::page::PageError;
use crate::web::Web;

/// The time limit for unfinished answers after the server is stopped.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Options of a server.
#[derive(Clone)]
pub struct ServerOptions {
    /// The port on 127.0.0.1; 0 chooses a free one.
    pub port: u16,
    /// Memory limit for opening dropped files, bytes.
    pub memory_limit: u64,
    /// How dropped files are read.
    pub read: ReadOptions,
    /// Postprocesses their traces.
    pub finish: Finish,
    /// Set if the first trace is being recorded. Such a server leaves Ctrl-C to the recorder.
    pub live: Option<LiveOptions>,
    /// Options of queries.
    #[cfg(feature = "query")]
    pub query: crate::query::QueryOptions,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            port: 0,
            memory_limit: 8 << 30,
            read: ReadOptions::default(),
            finish: Arc::new(Ok),
            live: None,
            #[cfg(feature = "query")]
            query: Default::default(),
        }
    }
}

/// The reason why a server cannot start or continue.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The port is not available.
    #[error("cannot listen on 127.0.0.1:{port}")]
    Listen {
        /// The requested port.
        port: u16,
        /// The system's error.
        source: io::Error,
    },
    /// The system has no random numbers for the token.
    #[error("the system provides no random numbers for the token: {0}")]
    Random(String),
    /// The page cannot be built.
    #[error(transparent)]
    Page(#[from] PageError),
    /// The system does not provide threads or sockets.
    #[error("the server stopped")]
    Run(#[from] io::Error),
}

/// A server that listens. It answers questions once it [runs](Self::run).
pub struct Server {
    pub(super) listener: TcpListener,
    pub(super) handle: Handle,
}

impl Server {
    /// Listens on 127.0.0.1. Its first trace is still loading: questions wait until
    /// [`Handle::ready`].
    ///
    /// # Errors
    /// If the port is taken, or the system gives no random token.
    pub fn bind(options: ServerOptions) -> Result<Self, ServerError> {
        let port = options.port;
        let fails = |source| ServerError::Listen { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(fails)?;
        let port = listener.local_addr().map_err(fails)?.port();
        listener.set_nonblocking(true).map_err(fails)?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let state = State {
            token: Token::random().map_err(ServerError::Random)?,
            port,
            web: Web::from_environment(),
            page: Mutex::default(),
            traces: Traces::with_one_loading(),
            workers: Semaphore::new(cores.max(2)),
            memory_limit: options.memory_limit,
            read: options.read,
            finish: options.finish,
            recording: options.live.map(Recording::new),
            #[cfg(feature = "query")]
            query: options.query,
            #[cfg(feature = "query")]
            sessions: Default::default(),
        };
        let handle = Handle {
            state: Arc::new(state),
            stop: watch::Sender::new(false),
        };
        Ok(Self { listener, handle })
    }

    /// The URL of the page, including the token.
    pub fn url(&self) -> String {
        let State { port, token, .. } = &*self.handle.state;
        format!("http://127.0.0.1:{port}/?token={}", token.text())
    }

    /// The handle that sets the server's trace and stops it.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Serves until [`Handle::stop`]. Without a recording, Ctrl-C and SIGTERM also end it.
    ///
    /// # Errors
    /// If the system does not provide threads or sockets.
    pub fn run(self) -> Result<(), ServerError> {
        self.run_after(|| ())
    }

    /// As [`run`](Self::run), but calls `begun` once signals are handled. A user who sees the
    /// output of `begun` can interrupt the server at once, and it still shuts down cleanly.
    ///
    /// # Errors
    /// The same as for [`run`](Self::run).
    pub fn run_after(self, begun: impl FnOnce()) -> Result<(), ServerError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?;
        let served = runtime.block_on(self.serve(begun));
        // An unanswered query must not keep the program running.
        runtime.shutdown_background();
        served
    }

    async fn serve(self, begun: impl FnOnce()) -> Result<(), ServerError> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let stop = self.handle.stop.clone();
        let is_recorded = self.handle.state.recording.is_some();
        let app = router(self.handle.state);
        let serving = serve(listener, app, Limits::default(), stop.subscribe());
        let signals = (!is_recorded).then(Signals::new);
        begun();
        let interrupted = async {
            match signals {
                Some(signals) => signals.wait().await,
                None => std::future::pending().await,
            }
            stop.send_replace(true);
            std::future::pending::<()>().await;
        };
        let overdue = async {
            stopped(stop.clone()).await;
            tokio::time::sleep(LAST_ANSWERS).await;
        };
        tokio::select! {
            () = serving => Ok(()),
            () = interrupted => Ok(()),
            () = overdue => Ok(()),
        }
    }
}

pub(super) fn router(state: Arc<State>) -> Router {
    let guard = axum::middleware::from_fn_with_state(state.clone(), guard::guard);
    let routes = Router::new();
    #[cfg(feature = "query")]
    let routes = routes
        .route("/query", post(query::run))
        .route("/query/complete", post(query::complete))
        .route("/query/history", get(query::history));
    routes
        .route("/", get(html::page))
        .route("/api", post(api::answer))
        .route("/open", post(open::open))
        .route("/status", get(api::status))
        .route("/live", get(live::live))
        .route("/stop", post(live::stop))
        .fallback(api::not_found)
        .layer(guard)
        .with_state(state)
}

async fn stopped(stop: watch::Sender<bool>) {
    // The sender lives here, so the channel cannot close earlier.
    let mut stopped = stop.subscribe();
    drop(stopped.wait_for(|&stop| stop).await);
}

/// Ctrl-C and SIGTERM. They are handled from the moment this exists.
struct Signals {
    #[cfg(unix)]
    all: Vec<tokio::signal::unix::Signal>,
}

impl Signals {
    #[cfg(unix)]
    fn new() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        // Without a handler, the signal still ends the program.
        let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
        Self {
            all: kinds
                .into_iter()
                .filter_map(|kind| signal(kind).ok())
                .collect(),
        }
    }

    #[cfg(not(unix))]
    fn new() -> Self {
        Self {}
    }

    /// Resolves when the user or the system ends the program.
    #[cfg(unix)]
    async fn wait(mut self) {
        std::future::poll_fn(|context| {
            let mut all = self.all.iter_mut();
            if all.any(|signal| signal.poll_recv(context).is_ready()) {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
    }

    /// Resolves when the user ends the program.
    #[cfg(not(unix))]
    async fn wait(self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
