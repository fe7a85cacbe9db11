//! The steps that start a recording, in the order of Android's atrace.

use super::config::{Config, Warning};
use crate::category::{CORE_SERVICES, CORE_SERVICES_PROPERTY, Category, Event};
use crate::foreign::foreign_limits;
use crate::settings::Settings;
use crate::undo_log::COPY_MARKERS;
use crate::{
    Catalog, Error, Properties, Tracefs, clock, event_limits, functions, probes, system_properties,
    tracefs,
};

/// The parts of a session that its start changes.
pub(super) struct SetUp<'s, 'a> {
    pub settings: &'s mut Settings<'a>,
    pub properties: &'a dyn Properties,
    pub warnings: &'s mut Vec<Warning>,
}

impl SetUp<'_, '_> {
    pub fn user_space(&mut self, config: &Config) -> Result<(), Error> {
        let mut apps = config.apps.clone();
        let mut categories = config.categories.iter();
        if categories.any(|category| category.name == CORE_SERVICES) {
            let services = self.properties.get(CORE_SERVICES_PROPERTY);
            let services = services.unwrap_or_default();
            apps.extend(services.split(',').map(str::to_owned));
        }
        let tags = config.categories.iter();
        let tags = tags.fold(0, |tags, category| tags | category.tags);
        if !self.properties.have_effect() && (tags != 0 || !apps.is_empty()) {
            self.warnings.push(Warning::NoProperties);
        }
        if apps.is_empty() {
            // Android's atrace sets an app without a name.
            apps.push(String::new());
        }
        for (number, app) in apps.iter().enumerate() {
            self.settings
                .set_property(&system_properties::app(number), app)?;
        }
        let number = apps.len().to_string();
        self.settings
            .set_property(system_properties::APP_NUMBER, &number)?;
        self.settings
            .set_property(system_properties::TAGS, &hexadecimal(tags))?;
        self.properties.announce();
        Ok(())
    }

    pub fn kernel(&mut self, catalog: &Catalog, config: &Config) -> Result<(), Error> {
        let settings = &mut *self.settings;
        settings.set_property(system_properties::USER_INITIATED, "1")?;
        settings.make_instance()?;
        // Saved first, so it is restored last: nothing is recorded while other settings are restored.
        settings.save("tracing_on")?;
        let buffer_kb = config.buffer_kb.max(1).to_string();
        // A full instance that does not overwrite would refuse the marks that are copied to it. The write of the
        // program would then fail, too.
        let overwrite = config.overwrite || settings.tree().name().is_some();
        settings.set("options/overwrite", if overwrite { "1" } else { "0" })?;
        settings.set_buffer_size(&buffer_kb)?;
        if let Some(percent) = config.watermark_percent
            && settings.tree().exists("buffer_percent")
        {
            settings.set("buffer_percent", &percent.to_string())?;
        }
        clock::choose(settings)?;
        record_processes(settings)?;
        functions::set_up(settings, &config.functions)?;
        if settings.tree().name().is_none() {
            self.disable_events(catalog)?;
        }
        let limits = foreign_limits(self.settings.tree(), &config.categories);
        self.warnings
            .extend(limits.into_iter().map(Warning::Limited));
        probes::set_up(self.settings, &config.probes)?;
        event_limits::set_up(self.settings, &config.limits)?;
        self.enable_events(&config.categories)?;
        probes::enable(self.settings, &config.probes)
    }

    /// Copies the marks of programs into the instance. The kernel refuses a mark if one of its buffers
    /// does not record, so this is on only while the instance records.
    fn copy_markers(&mut self) -> Result<(), Error> {
        if self.settings.tree().name().is_none() {
            return Ok(());
        }
        if self.settings.tree().exists(COPY_MARKERS) {
            return self.settings.set(COPY_MARKERS, "1");
        }
        self.warnings.push(Warning::NoMarksInInstance);
        Ok(())
    }

    fn enable_events(&mut self, categories: &[Category]) -> Result<(), Error> {
        for event in categories.iter().flat_map(|category| &category.events) {
            let switch = event.switch();
            let tree = self.settings.tree();
            match (tree.is_writable(&switch), event.required) {
                (true, true) => tracefs::write(tree, &switch, "1")?,
                (true, false) => {
                    if let Err(error) = tracefs::write(tree, &switch, "1") {
                        self.warnings.push(Warning::Event(error.to_string()));
                    }
                }
                (false, true) => return Err(Error::RequiredEvent(switch)),
                (false, false) => {}
            }
        }
        Ok(())
    }

    /// Disables the events of all categories, as Android's atrace does. Other events stay enabled.
    fn disable_events(&mut self, catalog: &Catalog) -> Result<(), Error> {
        let mut switches: Vec<String> = catalog.events().map(Event::switch).collect();
        switches.sort();
        switches.dedup();
        switches.retain(|switch| self.settings.tree().is_writable(switch));
        match self.settings.save_events() {
            Ok(enabled) => {
                // A write to a switch may take milliseconds.
                switches.retain(|switch| enabled.iter().any(|event| controls(switch, event)));
                let mut switches = switches.iter();
                switches.try_for_each(|switch| tracefs::write(self.settings.tree(), switch, "0"))
            }
            // Android's shell user can write many event files, but cannot read the list of all events.
            Err(_) => {
                let mut switches = switches.iter();
                switches.try_for_each(|switch| self.settings.set(switch, "0"))
            }
        }
    }

    pub fn start_recording(&mut self, config: &Config) -> Result<(), Error> {
        let tree = self.settings.tree();
        tracefs::write(tree, "tracing_on", "1")?;
        // Clear after the start. The CPUs start one after another, so a thing that the first one
        // saw begin may have ended on a CPU that did not record yet.
        tracefs::truncate(tree, "trace")?;
        if !config.has_marks {
            return Ok(());
        }
        self.copy_markers()?;
        clock::write_markers(self.settings.tree(), config.sync_precision)
    }
}

/// Whether a switch file belongs to an event (`system:event`) or its system.
fn controls(switch: &str, event: &str) -> bool {
    let path = switch.strip_prefix("events/");
    let path = path.and_then(|path| path.strip_suffix("/enable"));
    let (system, name) = event.split_once(':').unwrap_or((event, ""));
    path.is_some_and(|path| match path.split_once('/') {
        Some(parts) => parts == (system, name),
        None => path == system,
    })
}

/// Formats like C's `%#llx`, which prints zero without `0x`.
pub(crate) fn hexadecimal(tags: u64) -> String {
    match tags {
        0 => "0".to_owned(),
        tags => format!("{tags:#x}"),
    }
}

/// Makes the kernel record the process of each thread.
///
/// The option of an instance is not restored, because it disappears with the instance. Switching it off would do harm:
/// Linux counts the events for which it records processes, and subtracts the events of *all* instances when the option
/// of one is switched off. After several instances, the count would be too low until the next boot, and later recordings
/// could lack processes.
fn record_processes(settings: &mut Settings<'_>) -> Result<(), Error> {
    let mut options = ["options/print-tgid", "options/record-tgid"].into_iter();
    match options.find(|option| settings.tree().exists(option)) {
        Some(option) if settings.tree().name().is_some() => {
            tracefs::write(settings.tree(), option, "1")
        }
        Some(option) => settings.set(option, "1"),
        None => Ok(()),
    }
}
