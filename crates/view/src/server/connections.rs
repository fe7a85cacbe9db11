//! Limits the number of connections, and the time until they must send a request.
//!
//! Any program on this machine can connect, so a connection is not trusted until it has shown the
//! token. A new connection replaces the oldest one that is not trusted. Thus half-open requests
//! cannot keep the user's browser out.

use std::collections::VecDeque;
use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

/// The limits of a server's connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The maximum number of open connections. A browser opens at most six for a page.
    pub most: usize,
    /// The time limit for the head of a request.
    pub head: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            most: 128,
            head: Duration::from_secs(10),
        }
    }
}

/// The waiting time if the system accepts no connection because no file descriptors are left.
const RETRY: Duration = Duration::from_millis(100);

/// The state of a connection's client.
#[derive(Debug, Default)]
pub(crate) struct Peer {
    is_trusted: AtomicBool,
    close: Notify,
}

impl Peer {
    /// The client has shown the token.
    pub fn trust(&self) {
        self.is_trusted.store(true, Ordering::Relaxed);
    }
}

/// All open connections, oldest first.
#[derive(Debug, Default)]
struct Peers(Mutex<VecDeque<Arc<Peer>>>);

impl Peers {
    /// Adds a connection. If there are too many, the oldest untrusted one is closed for it. `None`
    /// if all are trusted.
    fn add(&self, most: usize) -> Option<Arc<Peer>> {
        let mut open = self.open();
        if open.len() >= most {
            let is_trusted = |peer: &Arc<Peer>| peer.is_trusted.load(Ordering::Relaxed);
            let oldest = open.iter().position(|peer| !is_trusted(peer))?;
            if let Some(peer) = open.remove(oldest) {
                peer.close.notify_one();
            }
        }
        let peer = Arc::new(Peer::default());
        open.push_back(Arc::clone(&peer));
        Some(peer)
    }

    fn remove(&self, gone: &Arc<Peer>) {
        self.open().retain(|peer| !Arc::ptr_eq(peer, gone));
    }

    fn open(&self) -> MutexGuard<'_, VecDeque<Arc<Peer>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves until `stop` is true, and then finishes the current answers.
pub(crate) async fn serve(
    listener: TcpListener,
    app: Router,
    limits: Limits,
    mut stop: watch::Receiver<bool>,
) {
    let peers = Arc::new(Peers::default());
    let mut serving = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener) => accepted,
            _ = stop.wait_for(|&stop| stop) => break,
        };
        // Removes the results of connections that have ended.
        while serving.try_join_next().is_some() {}
        let (Ok(stream), Some(peer)) = (accepted, peers.add(limits.most)) else {
            continue;
        };
        let (app, peers, stop) = (app.clone(), Arc::clone(&peers), stop.clone());
        serving.spawn(async move {
            answer(stream, app, limits, &peer, stop).await;
            peers.remove(&peer);
        });
    }
    drop(listener);
    while serving.join_next().await.is_some() {}
}

async fn accept(listener: &TcpListener) -> io::Result<TcpStream> {
    let accepted = listener.accept().await;
    if accepted.is_err() {
        tokio::time::sleep(RETRY).await;
    }
    let (stream, _) = accepted?;
    // An answer is often one small packet, which must not be delayed.
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Answers the requests of one connection.
async fn answer(
    stream: TcpStream,
    app: Router,
    limits: Limits,
    peer: &Arc<Peer>,
    mut stop: watch::Receiver<bool>,
) {
    let service = TowerToHyperService::new(app.layer(Extension(Arc::clone(peer))));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let mut is_stopping = false;
    loop {
        tokio::select! {
            // An interrupted connection or an invalid request affects no other connection.
            _ = connection.as_mut() => return,
            () = peer.close.notified() => return,
            _ = stop.wait_for(|&stop| stop), if !is_stopping => {
                is_stopping = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}
