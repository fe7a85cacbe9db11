//! Categories: names for sets of user space tags and kernel events.

mod builtin;
mod catalog;
mod own;
mod vendor;

pub use catalog::{Catalog, Listed};

use crate::{Properties, Tracefs};

/// What a category switches on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Category {
    /// What it is called on the command line.
    pub name: String,
    /// What people read in the list.
    pub title: String,
    /// User space tags: a bit each, as in `debug.atrace.tags.enableflags`.
    pub tags: u64,
    /// Kernel events.
    pub events: Vec<Event>,
    /// Who defined it.
    pub origin: Origin,
}

/// A kernel event, or all events of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// `sched/sched_switch`, or `irq` for a whole system.
    pub path: String,
    /// Without it the category cannot be had; others are switched on where they are there.
    pub required: bool,
}

impl Event {
    /// The file that switches the event on and off.
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
    /// The maker of the device, in `/vendor/etc/atrace/atrace_categories.txt`.
    Vendor,
    /// The user, in a file of `[[category]]` tables.
    Own,
}

/// Whether a category can be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Yes.
    Yes,
    /// Its files are there, but this user may not write them.
    NeedsRoot,
    /// No.
    No,
}

/// Adds the property's list of services to the apps.
pub const CORE_SERVICES: &str = "core_services";
/// The property with that list.
pub const CORE_SERVICES_PROPERTY: &str = "ro.atrace.core.services";
/// Services that spoke PDX, until Android 10.
pub const PDX: &str = "pdx";

impl Category {
    /// Whether it can be recorded here: all required events must be there, and at least one tag or
    /// event.
    pub fn support(&self, tree: &dyn Tracefs, properties: &dyn Properties) -> Support {
        let core = |tree: &dyn Tracefs| match self.name.as_str() {
            CORE_SERVICES => properties.get(CORE_SERVICES_PROPERTY).is_some(),
            PDX => true,
            _ => self.is_there(&|file| tree.is_writable(file)),
        };
        if core(tree) {
            Support::Yes
        } else if self.is_there(&|file| tree.exists(file)) {
            Support::NeedsRoot
        } else {
            Support::No
        }
    }

    fn is_there(&self, usable: &dyn Fn(&str) -> bool) -> bool {
        // A vendor's categories are listed and enabled as they stand; their events are optional.
        let mut there = self.tags != 0 || self.origin == Origin::Vendor;
        for event in &self.events {
            let usable = usable(&event.switch());
            if event.required && !usable {
                return false;
            }
            there |= usable;
        }
        there
    }
}
