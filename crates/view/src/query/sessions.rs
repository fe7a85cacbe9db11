//! One session for each trace, so that a query finds the tables of earlier ones.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::Mutex as Turn;
use traceloom_engine::Engine;
use traceloom_query::{Limits, Names, QueryError, Session, Stop};

/// A session that has been opened.
pub(crate) struct Opened {
    pub session: Session,
    /// The names for completion, until a query may have changed them.
    pub names: Option<Arc<Names>>,
}

/// A session. Only one query at a time uses it.
pub(crate) type Slot = Arc<Turn<Option<Opened>>>;

/// The sessions of a server.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<Vec<(Weak<Engine>, Slot)>>);

impl Sessions {
    /// The session of a trace. Sessions of closed traces are dropped.
    pub fn of(&self, engine: &Arc<Engine>) -> Slot {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(engine, _)| engine.strong_count() > 0);
        let known = all
            .iter()
            .find(|(other, _)| std::ptr::eq(other.as_ptr(), Arc::as_ptr(engine)));
        if let Some((_, slot)) = known {
            return Arc::clone(slot);
        }
        let slot = Slot::default();
        all.push((Arc::downgrade(engine), Arc::clone(&slot)));
        slot
    }

    /// Drops the sessions of closed traces.
    pub fn forget_closed(&self) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(engine, _)| engine.strong_count() > 0);
    }
}

impl Opened {
    /// Opens the session of a trace.
    ///
    /// # Errors
    /// If SQLite does not work.
    pub fn new(engine: &Engine, limits: Limits) -> Result<Self, QueryError> {
        let session = Session::open(engine.shared_trace(), limits)?;
        Ok(Self {
            session,
            names: None,
        })
    }

    /// The names that can be typed now.
    pub fn names(&mut self) -> Arc<Names> {
        let names = self.names.take();
        let names = names.unwrap_or_else(|| Arc::new(Names::of(&mut self.session)));
        self.names = Some(Arc::clone(&names));
        names
    }

    /// The handle that stops the running query.
    pub fn stop(&self) -> Stop {
        self.session.stop()
    }
}
