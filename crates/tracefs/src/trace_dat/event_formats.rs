//! The kernel's descriptions of its pages and events.

use std::collections::BTreeSet;

use crate::undo_log::enabled_events;
use crate::{Error, Instance, Tracefs, tracefs};

/// The layout of the ring buffer's pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageLayout {
    /// Size of a page with its header, bytes.
    pub page_bytes: usize,
    /// Size of the kernel's `long`, bytes.
    pub long_bytes: u8,
    /// The kernel's description.
    pub text: String,
}

impl PageLayout {
    /// Reads the layout from `events/header_page`.
    ///
    /// # Errors
    /// If the file cannot be read or does not have the page size.
    pub fn read(instance: &Instance<'_>) -> Result<Self, Error> {
        const FILE: &str = "events/header_page";
        // An instance may have another page size.
        let text = if instance.exists(FILE) {
            tracefs::read(instance, FILE)?
        } else {
            tracefs::read(instance.root(), FILE)?
        };
        Self::parse(text + "\n").ok_or_else(|| {
            let error = std::io::Error::other("it does not have the page size");
            Error::file("reading", &instance.path(FILE))(error)
        })
    }

    fn parse(text: String) -> Option<Self> {
        let field = |name: &str, key: &str| -> Option<usize> {
            let line = text
                .lines()
                .find(|line| line.contains(&format!(" {name};")))?;
            let value = line.split_once(&format!("{key}:"))?.1;
            value.split_once(';')?.0.parse().ok()
        };
        let page_bytes = field("data", "offset")? + field("data", "size")?;
        let long_bytes = field("commit", "size")? as u8;
        let usable = page_bytes.is_power_of_two() && (512..=16 << 20).contains(&page_bytes);
        usable.then_some(Self {
            page_bytes,
            long_bytes,
            text,
        })
    }
}

/// The format descriptions of all events of a system, sorted by name.
pub(super) fn system_formats(tree: &dyn Tracefs, system: &str) -> Vec<String> {
    let folder = format!("events/{system}");
    let files = tree
        .list(&folder)
        .into_iter()
        .map(|event| format!("{folder}/{event}/format"));
    let texts = files.filter_map(|file| tree.read(&file).ok());
    texts.map(|text| text + "\n").collect()
}

/// The systems with enabled events, without `ftrace`.
pub(super) fn enabled_systems(instance: &Instance<'_>) -> Vec<String> {
    let events = enabled_events(instance).unwrap_or_else(|_| enabled_by_system(instance));
    let system = |event: &String| Some(event.split_once(':')?.0.to_owned());
    let systems: BTreeSet<String> = events.iter().filter_map(system).collect();
    systems
        .into_iter()
        .filter(|system| system != "ftrace")
        .collect()
}

/// The systems with enabled events, from their switches, for users who cannot read the list of events.
fn enabled_by_system(tree: &dyn Tracefs) -> Vec<String> {
    let on = |system: &String| {
        let switch = tree.read(&format!("events/{system}/enable"));
        switch.is_ok_and(|value| value != "0")
    };
    let systems = tree.list("events").into_iter().filter(on);
    systems.map(|system| format!("{system}:*")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_size_is_the_end_of_the_last_field() {
        let text = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
                    \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
                    \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\
                    \tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
        let layout = PageLayout::parse(text.to_owned()).unwrap();
        assert_eq!((layout.page_bytes, layout.long_bytes), (4096, 8));
        assert_eq!(PageLayout::parse(text.replace("4080", "4081")), None);
        assert_eq!(PageLayout::parse(String::new()), None);
    }
}
