//! A recording: from the settings it needs to the settings there were before it.

mod config;
mod set_up;

use std::io;

pub use config::{Config, Warning};

use crate::guardian::Guardian;
use crate::settings::Settings;
use crate::tree::Instance;
use crate::turn::Turn;
use crate::undo::{Undo, undo_all};
use crate::{Catalog, Error, Properties, Tracefs, state, tree};

/// A recording under way. Dropped, it puts everything back.
pub struct Session<'a> {
    properties: &'a dyn Properties,
    settings: Settings<'a>,
    state: state::File,
    warnings: Vec<Warning>,
    /// Kept to the end: only then may another begin.
    _turn: Option<Turn>,
}

impl<'a> Session<'a> {
    /// Sets everything up and records. What failed on the way is put back.
    ///
    /// # Errors
    /// If a setting is refused, or [`Error::Busy`] while another recording has the buffer.
    pub fn start(
        whole: &'a dyn Tracefs,
        properties: &'a dyn Properties,
        catalog: &Catalog,
        config: &Config,
    ) -> Result<Self, Error> {
        let shared = config.instance.is_none() && !config.only_user_space;
        let turn = match (shared, config.alone) {
            (true, true) => Turn::take(whole)?,
            (true, false) => Turn::take_if_free(whole),
            (false, _) => None,
        };
        let mut session = Self::with(whole, properties, config, turn)?;
        session.set_up_user_space(config)?;
        if !config.only_user_space {
            session.set_up_kernel(catalog, config)?;
            session.begin(config)?;
        }
        Ok(session)
    }

    /// A recording that an earlier process began and left, for its end; or none at all, whose end
    /// changes nothing.
    ///
    /// # Errors
    /// If the guardian cannot be started, or the instance's name is none.
    pub fn adopt(
        whole: &'a dyn Tracefs,
        properties: &'a dyn Properties,
        config: &Config,
    ) -> Result<Self, Error> {
        Self::with(whole, properties, config, None)
    }

    fn with(
        whole: &'a dyn Tracefs,
        properties: &'a dyn Properties,
        config: &Config,
        turn: Option<Turn>,
    ) -> Result<Self, Error> {
        let tree = match &config.instance {
            None => Instance::top(whole),
            Some(name) => Instance::of(whole, name)?,
        };
        let state = state::File::of(&config.state_folder, config.instance.as_deref());
        let guardian = config
            .guarded
            .then(|| Guardian::start(whole, properties, &state, turn.as_ref()));
        Ok(Self {
            properties,
            settings: Settings::new(
                tree,
                properties,
                guardian.transpose().map_err(Error::Guardian)?,
                state.load(),
            ),
            state,
            warnings: Vec::new(),
            _turn: turn,
        })
    }

    /// Whether there is something to put back.
    pub fn has_changes(&self) -> bool {
        !self.settings.undo().is_empty()
    }

    /// The tree that is recorded in: the whole one or the instance's.
    pub fn tree(&self) -> &Instance<'a> {
        self.settings.tree()
    }

    /// What the recording goes on without; each is told once.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    /// Stops recording; what was recorded stays in the buffer.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn stop(&mut self) -> Result<(), Error> {
        tree::write(self.tree(), "tracing_on", "0")
    }

    /// Empties the buffer.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn clear(&mut self) -> Result<(), Error> {
        tree::truncate(self.tree(), "trace")
    }

    /// Leaves the recording running when this process ends; [`Session::adopt`] finds it again.
    ///
    /// # Errors
    /// If the state cannot be kept: then everything is put back.
    pub fn leave_running(mut self) -> Result<(), Error> {
        if self.has_changes() {
            self.state.save(self.settings.undo())?;
        }
        self.settings.forget();
        Ok(())
    }

    /// Puts everything back. What could not be is told.
    pub fn restore(mut self) -> Vec<Warning> {
        self.put_back(|_| true)
    }

    /// Puts the properties back and leaves the kernel as it is.
    ///
    /// # Errors
    /// If the state of what is left cannot be kept: then everything is put back.
    pub fn restore_user_space(mut self) -> Result<Vec<Warning>, Error> {
        let undo = self.settings.undo().iter().cloned();
        let kernel: Vec<Undo> = undo.filter(|entry| !entry.is_property()).collect();
        let state = self.state.clone();
        if !kernel.is_empty() {
            state.save(&kernel)?;
        }
        let warnings = self.put_back(Undo::is_property);
        if !kernel.is_empty() {
            state.save(&kernel)?;
        }
        Ok(warnings)
    }

    /// Forgets what there was, but for the instance, which goes: for a caller that sets defaults of
    /// its own.
    pub fn forget(mut self) -> Vec<Warning> {
        self.put_back(|entry| matches!(entry, Undo::Instance(_)))
    }

    fn put_back(&mut self, which: impl Fn(&Undo) -> bool) -> Vec<Warning> {
        let mut undo = self.settings.undo().to_vec();
        undo.retain(which);
        let failures = undo_all(&undo, self.tree().whole(), self.properties);
        self.state.remove();
        self.settings.forget();
        failures.iter().map(not_restored).collect()
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        let on =
            |entry: &Undo| matches!(entry, Undo::File { file, .. } if file.ends_with("tracing_on"));
        if self.settings.undo().iter().any(on) {
            let _ = self.stop();
        }
        if self.has_changes() {
            self.put_back(|_| true);
        }
        // One that changed nothing still has a guardian.
        self.settings.forget();
    }
}

fn not_restored((entry, error): &(Undo, io::Error)) -> Warning {
    let what = match entry {
        Undo::File { file, .. } | Undo::Lines { file, .. } => file.clone(),
        Undo::Events(_) => "the enabled events".to_owned(),
        Undo::Property { name, .. } => name.clone(),
        Undo::Instance(name) => format!("the instance {name}"),
    };
    let why = crate::error::reason(error);
    Warning::NotRestored { what, why }
}
