//! A recording: from the settings it needs to the settings there were before it.

use std::io;
use std::path::PathBuf;

use crate::category::{CORE_SERVICES, CORE_SERVICES_PROPERTY, Category, Event};
use crate::clock::{self, SyncPrecision};
use crate::guardian::Guardian;
use crate::settings::Settings;
use crate::tree::Instance;
use crate::undo::{Undo, undo_all};
use crate::{Catalog, Error, Properties, Tracefs, functions, properties, state, tree};

/// What is to be recorded, and how.
#[derive(Clone, Debug)]
pub struct Config {
    /// The categories, as [`Catalog::choose`] found them.
    pub categories: Vec<Category>,
    /// Command lines of apps that write marks of their own; `*` stands for any letters.
    pub apps: Vec<String>,
    /// Size of each CPU's buffer, KB; at least 1.
    pub buffer_kb: u32,
    /// A full buffer loses its oldest events; otherwise it takes no more.
    pub overwrite: bool,
    /// Kernel functions to trace with the function graph tracer.
    pub functions: Vec<String>,
    /// Records in a trace instance of this name instead of the global buffer.
    pub instance: Option<String>,
    /// Only properties, nothing in the kernel.
    pub only_user_space: bool,
    /// How the clock marks are written.
    pub sync_precision: SyncPrecision,
    /// Where the state of recordings is that outlive the program.
    pub state_folder: PathBuf,
    /// Whether a guardian puts the settings back if this process dies.
    pub guarded: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            categories: Vec::new(),
            apps: Vec::new(),
            buffer_kb: 2048,
            overwrite: false,
            functions: Vec::new(),
            instance: None,
            only_user_space: false,
            sync_precision: SyncPrecision::Exact,
            state_folder: state::File::default_folder(),
            guarded: true,
        }
    }
}

/// What a recording goes on without.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// Marks of programs go to the global buffer alone.
    #[error(
        "this kernel cannot copy user space marks into an instance (options/copy_trace_marker, Linux 6.16): the recording has kernel events only"
    )]
    NoMarksInInstance,
    /// Tags and apps were asked for where nobody reads them.
    #[error("there is no property store here (setprop is missing): tags and apps have no effect")]
    NoProperties,
    /// An event that a category can do without refused to be switched on.
    #[error("{0}")]
    Event(String),
    /// A setting could not be put back.
    #[error("cannot put {what} back: {why}")]
    NotRestored {
        /// The setting.
        what: String,
        /// What the system said.
        why: String,
    },
}

/// A recording under way. Dropped, it puts everything back.
pub struct Session<'a> {
    properties: &'a dyn Properties,
    settings: Settings<'a>,
    state: state::File,
    warnings: Vec<Warning>,
}

impl<'a> Session<'a> {
    /// Sets everything up and records. What failed on the way is put back.
    ///
    /// # Errors
    /// If a setting is refused.
    pub fn start(
        whole: &'a dyn Tracefs,
        properties: &'a dyn Properties,
        catalog: &Catalog,
        config: &Config,
    ) -> Result<Self, Error> {
        let mut session = Self::adopt(whole, properties, config)?;
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
        let tree = match &config.instance {
            None => Instance::top(whole),
            Some(name) => Instance::of(whole, name)?,
        };
        let state = state::File::of(&config.state_folder, config.instance.as_deref());
        let guardian = match config.guarded {
            true => Some(Guardian::start(whole, properties, &state).map_err(Error::Guardian)?),
            false => None,
        };
        Ok(Self {
            properties,
            settings: Settings::new(tree, properties, guardian, state.load()),
            state,
            warnings: Vec::new(),
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

    fn set_up_user_space(&mut self, config: &Config) -> Result<(), Error> {
        let mut apps = config.apps.clone();
        let mut categories = config.categories.iter();
        if categories.any(|category| category.name == CORE_SERVICES) {
            let services = self.properties.get(CORE_SERVICES_PROPERTY);
            let services = services.unwrap_or_default();
            apps.extend(services.split(',').map(str::to_owned));
        }
        let tags = config.categories.iter();
        let tags = tags.fold(0, |tags, category| tags | category.tags);
        if !self.properties.is_real() && (tags != 0 || !apps.is_empty()) {
            self.warnings.push(Warning::NoProperties);
        }
        if apps.is_empty() {
            // As the original: one app without a name.
            apps.push(String::new());
        }
        for (number, app) in apps.iter().enumerate() {
            self.settings.set_property(&properties::app(number), app)?;
        }
        let number = apps.len().to_string();
        self.settings
            .set_property(properties::APP_NUMBER, &number)?;
        self.settings
            .set_property(properties::TAGS, &hexadecimal(tags))?;
        self.properties.announce();
        Ok(())
    }

    fn set_up_kernel(&mut self, catalog: &Catalog, config: &Config) -> Result<(), Error> {
        let settings = &mut self.settings;
        settings.set_property(properties::USER_INITIATED, "1")?;
        settings.make_instance()?;
        // First, so that it is put back last: nothing is recorded while the others go back.
        settings.keep("tracing_on")?;
        let buffer_kb = config.buffer_kb.max(1).to_string();
        settings.set(
            "options/overwrite",
            if config.overwrite { "1" } else { "0" },
        )?;
        settings.set_buffer_size(&buffer_kb)?;
        clock::choose(settings)?;
        let mut tgid = ["options/print-tgid", "options/record-tgid"].into_iter();
        if let Some(option) = tgid.find(|option| settings.tree().exists(option)) {
            settings.set(option, "1")?;
        }
        functions::set_up(settings, &config.functions)?;
        if settings.tree().name().is_some() {
            self.copy_marks()?;
        } else {
            self.disable_known(catalog)?;
        }
        self.enable_events(&config.categories)
    }

    fn copy_marks(&mut self) -> Result<(), Error> {
        const OPTION: &str = "options/copy_trace_marker";
        if self.tree().exists(OPTION) {
            return self.settings.set(OPTION, "1");
        }
        self.warnings.push(Warning::NoMarksInInstance);
        Ok(())
    }

    fn enable_events(&mut self, categories: &[Category]) -> Result<(), Error> {
        for event in categories.iter().flat_map(|category| &category.events) {
            let switch = event.switch();
            let tree = self.settings.tree();
            match (tree.is_writable(&switch), event.required) {
                (true, true) => tree::write(tree, &switch, "1")?,
                (true, false) => {
                    if let Err(error) = tree::write(tree, &switch, "1") {
                        self.warnings.push(Warning::Event(error.to_string()));
                    }
                }
                (false, true) => return Err(Error::RequiredEvent(switch)),
                (false, false) => {}
            }
        }
        Ok(())
    }

    /// Switches off what some category knows, whoever switched it on, as the original does. Events
    /// that no category has stay as they are.
    fn disable_known(&mut self, catalog: &Catalog) -> Result<(), Error> {
        let mut switches: Vec<String> = catalog.events().map(Event::switch).collect();
        switches.sort();
        switches.dedup();
        switches.retain(|switch| self.tree().is_writable(switch));
        match self.settings.keep_events() {
            Ok(enabled) => {
                // Each switch may take the kernel milliseconds.
                switches.retain(|switch| enabled.iter().any(|event| switches_off(switch, event)));
                let mut switches = switches.iter();
                switches.try_for_each(|switch| tree::write(self.tree(), switch, "0"))
            }
            // A shell user may write many of Android's event files, but not read the list of all.
            Err(_) => {
                let mut switches = switches.iter();
                switches.try_for_each(|switch| self.settings.set(switch, "0"))
            }
        }
    }

    fn begin(&mut self, config: &Config) -> Result<(), Error> {
        let tree = self.tree();
        tree::write(tree, "tracing_on", "1")?;
        // Cleared after the start: it takes the kernel a while to begin on each CPU, and what the
        // first has until then may begin something that ends on the last, unseen.
        tree::truncate(tree, "trace")?;
        clock::write_sync_marks(tree, config.sync_precision)
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

/// Whether a file switches off an event, `system:event`: alone, or with all of its system.
fn switches_off(switch: &str, event: &str) -> bool {
    let path = switch.strip_prefix("events/");
    let path = path.and_then(|path| path.strip_suffix("/enable"));
    let (system, name) = event.split_once(':').unwrap_or((event, ""));
    path.is_some_and(|path| match path.split_once('/') {
        Some(parts) => parts == (system, name),
        None => path == system,
    })
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

/// As C's `%#llx` prints it: no `0x` in front of zero.
pub(crate) fn hexadecimal(tags: u64) -> String {
    match tags {
        0 => "0".to_owned(),
        tags => format!("{tags:#x}"),
    }
}
