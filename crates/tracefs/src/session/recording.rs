//! The life of a recording.

use std::io;

use super::config::{Config, Warning};
use super::set_up::SetUp;
use crate::guardian::Guardian;
use crate::recording_lock::RecordingLock;
use crate::settings::Settings;
use crate::state_file::StateFile;
use crate::undo_log::{COPY_MARKERS, Undo, undo_all};
use crate::{Catalog, Error, Instance, Properties, Tracefs, tracefs};

/// A running recording. All settings are restored when it is dropped.
pub struct Session<'a> {
    properties: &'a dyn Properties,
    settings: Settings<'a>,
    state: StateFile,
    warnings: Vec<Warning>,
    /// Held until the settings are restored.
    _lock: Option<RecordingLock>,
}

impl<'a> Session<'a> {
    /// Changes settings and starts recording. After an error, all settings are restored.
    ///
    /// # Errors
    /// If a setting is refused; [`Error::Busy`] while another recording uses the ring buffer.
    pub fn start(
        root: &'a dyn Tracefs,
        properties: &'a dyn Properties,
        catalog: &Catalog,
        config: &Config,
    ) -> Result<Self, Error> {
        let shared = config.instance.is_none() && !config.only_user_space;
        let lock = match (shared, config.exclusive) {
            (true, true) => RecordingLock::acquire(root)?,
            (true, false) => RecordingLock::try_acquire(root),
            (false, _) => None,
        };
        let mut session = Self::new(root, properties, config, lock)?;
        let mut set_up = SetUp {
            settings: &mut session.settings,
            properties,
            warnings: &mut session.warnings,
        };
        set_up.user_space(config)?;
        if !config.only_user_space {
            set_up.kernel(catalog, config)?;
            set_up.start_recording(config)?;
        }
        Ok(session)
    }

    /// Takes over a recording that an earlier process left running, in order to end it. If there is
    /// none, ending the session changes nothing.
    ///
    /// # Errors
    /// If the guardian cannot be started, or the instance's name is invalid.
    pub fn adopt(
        root: &'a dyn Tracefs,
        properties: &'a dyn Properties,
        config: &Config,
    ) -> Result<Self, Error> {
        Self::new(root, properties, config, None)
    }

    fn new(
        root: &'a dyn Tracefs,
        properties: &'a dyn Properties,
        config: &Config,
        lock: Option<RecordingLock>,
    ) -> Result<Self, Error> {
        let tree = match &config.instance {
            None => Instance::top(root),
            Some(name) => Instance::named(root, name)?,
        };
        let state = StateFile::new(&config.state_folder, config.instance.as_deref());
        let guardian = config
            .guarded
            .then(|| Guardian::start(root, properties, &state, lock.as_ref()));
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
            _lock: lock,
        })
    }

    /// Whether there are settings to restore.
    pub fn has_changes(&self) -> bool {
        !self.settings.undo().is_empty()
    }

    /// The tree of the recording: a trace instance or the top-level tree.
    pub fn tree(&self) -> &Instance<'a> {
        self.settings.tree()
    }

    /// The warnings since the last call.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    /// Stops recording. The ring buffer keeps its events.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn stop(&mut self) -> Result<(), Error> {
        self.copy_markers("0")?;
        tracefs::write(self.tree(), "tracing_on", "0")
    }

    /// Sets whether marks of programs are copied into the instance, if this session has done that.
    fn copy_markers(&self, value: &str) -> Result<(), Error> {
        let mut undo = self.settings.undo().iter();
        if undo.any(|entry| entry.is_file(COPY_MARKERS)) {
            tracefs::write(self.tree(), COPY_MARKERS, value)?;
        }
        Ok(())
    }

    /// Clears the ring buffer.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn clear(&mut self) -> Result<(), Error> {
        // A buffer that is being cleared refuses marks.
        let is_on = self.tree().read("tracing_on").is_ok_and(|on| on == "1");
        self.copy_markers("0")?;
        tracefs::truncate(self.tree(), "trace")?;
        if is_on {
            self.copy_markers("1")?;
        }
        Ok(())
    }

    /// Leaves the recording running when this process ends. [`Session::adopt`] takes it over later.
    ///
    /// # Errors
    /// If the state cannot be saved. All settings are restored then.
    pub fn leave_running(mut self) -> Result<(), Error> {
        if self.has_changes() {
            self.state.save(self.settings.undo())?;
        }
        self.settings.forget();
        Ok(())
    }

    /// Restores all settings. Returns a warning for each failure.
    pub fn restore(mut self) -> Vec<Warning> {
        self.restore_if(|_| true)
    }

    /// Restores the system properties only.
    ///
    /// # Errors
    /// If the state of the other settings cannot be saved. All settings are restored then.
    pub fn restore_user_space(mut self) -> Result<Vec<Warning>, Error> {
        let undo = self.settings.undo().iter().cloned();
        let kernel: Vec<Undo> = undo.filter(|entry| !entry.is_property()).collect();
        let state = self.state.clone();
        if !kernel.is_empty() {
            state.save(&kernel)?;
        }
        let warnings = self.restore_if(Undo::is_property);
        if !kernel.is_empty() {
            state.save(&kernel)?;
        }
        Ok(warnings)
    }

    /// Forgets the old settings, but removes the trace instance. For a caller that sets defaults
    /// itself.
    pub fn forget(mut self) -> Vec<Warning> {
        self.restore_if(|entry| matches!(entry, Undo::Instance(_)))
    }

    fn restore_if(&mut self, which: impl Fn(&Undo) -> bool) -> Vec<Warning> {
        let mut undo = self.settings.undo().to_vec();
        undo.retain(which);
        let failures = undo_all(&undo, self.tree().root(), self.properties);
        self.state.remove();
        self.settings.forget();
        failures.iter().map(not_restored).collect()
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        let undo = self.settings.undo();
        if undo.iter().any(|entry| entry.is_file("tracing_on")) {
            let _ = self.stop();
        }
        if self.has_changes() {
            self.restore_if(|_| true);
        }
        // A session without changes still has a guardian.
        self.settings.forget();
    }
}

fn not_restored((entry, error): &(Undo, io::Error)) -> Warning {
    let what = match entry {
        Undo::File { file, .. } | Undo::Lines { file, .. } => file.clone(),
        Undo::Events(_) => "the enabled events".to_owned(),
        Undo::Property { name, .. } => name.clone(),
        Undo::Instance(name) => format!("the instance {name}"),
        Undo::Probe { event, .. } => format!("the probe {event}"),
    };
    let reason = crate::error::reason(error);
    Warning::NotRestored { what, reason }
}
