//! Filters, threads and stack traces of chosen events.
//!
//! Sources: the kernel's `Documentation/trace/events.rst` (sections 5 and 6).

use crate::settings::Settings;
use crate::{Error, Tracefs};

/// Limits of chosen events. Events are named `system/name`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct EventLimits {
    /// Events, each with a filter expression such as `prev_prio < 100`.
    pub filters: Vec<(String, String)>,
    /// The only threads and processes whose events are recorded, with their children. All if empty.
    pub pids: Vec<u32>,
    /// Events that are recorded with a stack trace.
    pub stacks: Vec<String>,
}

/// The path `system/name` of an event that may be given by its name alone.
pub(crate) fn find(tree: &dyn Tracefs, name: &str) -> Option<String> {
    let has = |path: &str| tree.exists(&format!("events/{path}/enable"));
    if name.contains('/') {
        return has(name).then(|| name.to_owned());
    }
    let systems = tree.list("events").into_iter();
    let mut paths = systems.map(|system| format!("{system}/{name}"));
    paths.find(|path| has(path))
}

/// Sets the limits. They are restored with all other settings.
pub(crate) fn set_up(settings: &mut Settings<'_>, limits: &EventLimits) -> Result<(), Error> {
    for (name, filter) in &limits.filters {
        let event = known(settings, name)?;
        settings.set_filter(&format!("events/{event}/filter"), filter)?;
    }
    for name in &limits.stacks {
        let event = known(settings, name)?;
        settings.add_trigger(&format!("events/{event}/trigger"), "stacktrace")?;
    }
    if limits.pids.is_empty() {
        return Ok(());
    }
    let pids: Vec<String> = limits.pids.iter().map(u32::to_string).collect();
    let pids: Vec<&str> = pids.iter().map(String::as_str).collect();
    settings.set("options/event-fork", "1")?;
    settings.set_lines("set_event_pid", &pids)
}

fn known(settings: &Settings<'_>, name: &str) -> Result<String, Error> {
    find(settings.tree(), name).ok_or_else(|| Error::UnknownEvent(name.to_owned()))
}
