//! The steps of a start, in the order of the original.

use super::{Config, Session, Warning};
use crate::category::{CORE_SERVICES, CORE_SERVICES_PROPERTY, Category, Event};
use crate::{Catalog, Error, Tracefs, clock, functions, properties, tree};

impl Session<'_> {
    pub(super) fn set_up_user_space(&mut self, config: &Config) -> Result<(), Error> {
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

    pub(super) fn set_up_kernel(
        &mut self,
        catalog: &Catalog,
        config: &Config,
    ) -> Result<(), Error> {
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

    pub(super) fn begin(&mut self, config: &Config) -> Result<(), Error> {
        let tree = self.tree();
        tree::write(tree, "tracing_on", "1")?;
        // Cleared after the start: it takes the kernel a while to begin on each CPU, and what the
        // first has until then may begin something that ends on the last, unseen.
        tree::truncate(tree, "trace")?;
        clock::write_sync_marks(tree, config.sync_precision)
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

/// As C's `%#llx` prints it: no `0x` in front of zero.
pub(crate) fn hexadecimal(tags: u64) -> String {
    match tags {
        0 => "0".to_owned(),
        tags => format!("{tags:#x}"),
    }
}
