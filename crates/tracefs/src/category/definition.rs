//! What a category is, and whether it can be recorded.

use crate::{Properties, Tracefs};

/// A named set of user space tags and kernel events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Category {
    /// The name on the command line.
    pub name: String,
    /// The description in the list.
    pub title: String,
    /// User space tags, as bits of `debug.atrace.tags.enableflags`.
    pub tags: u64,
    /// Kernel events.
    pub events: Vec<Event>,
    /// Who defined it.
    pub origin: Origin,
}

/// A kernel event, or all events of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// `system/event` (such as `sched/sched_switch`), or the name of a system.
    pub path: String,
    /// Whether the category needs this event. Other events are enabled if they exist.
    pub required: bool,
}

impl Event {
    /// The file that enables and disables the event.
    pub fn switch(&self) -> String {
        format!("events/{}/enable", self.path)
    }
}

/// Who defined a category.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// Android.
    #[default]
    BuiltIn,
    /// The device's vendor, in `/vendor/etc/atrace/atrace_categories.txt`.
    Vendor,
    /// The user, in a file of `[[category]]` tables.
    User,
}

/// Whether a category can be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Yes.
    Yes,
    /// Its files exist, but this user cannot write to them.
    NeedsRoot,
    /// No.
    No,
}

/// The category that adds the services in [`CORE_SERVICES_PROPERTY`] to the apps.
pub const CORE_SERVICES: &str = "core_services";
/// The property with a list of services.
pub const CORE_SERVICES_PROPERTY: &str = "ro.atrace.core.services";
/// The category of services that used PDX, until Android 10.
pub const PDX: &str = "pdx";

impl Category {
    /// Whether it can be recorded here. All required events must exist, and at least one tag or event.
    pub fn support(&self, tree: &dyn Tracefs, properties: &dyn Properties) -> Support {
        let is_supported = match self.name.as_str() {
            CORE_SERVICES => properties.get(CORE_SERVICES_PROPERTY).is_some(),
            PDX => true,
            _ => self.has_events(&|file| tree.is_writable(file)),
        };
        if is_supported {
            Support::Yes
        } else if self.has_events(&|file| tree.exists(file)) {
            Support::NeedsRoot
        } else {
            Support::No
        }
    }

    fn has_events(&self, usable: &dyn Fn(&str) -> bool) -> bool {
        // A vendor's categories are always supported. Their events are optional.
        let mut has_any = self.tags != 0 || self.origin == Origin::Vendor;
        for event in &self.events {
            let usable = usable(&event.switch());
            if event.required && !usable {
                return false;
            }
            has_any |= usable;
        }
        has_any
    }
}
